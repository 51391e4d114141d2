/** What may follow the words of an unfinished command line, from the definitions of the commands. Pure. */
import type { Command, Option } from 'commander';

/** Names that only a cluster knows. */
export type Noun =
  | 'subscription'
  | 'object'
  | 'catalog'
  | 'namespace'
  | 'package'
  | 'channel'
  | 'version'
  | 'installed';

export interface CompletionQuestion {
  /** The unfinished word. */
  readonly partial: string;
  /** Candidates that the definitions give, whatever the unfinished word is. */
  readonly known: readonly string[];
  /** Names that have to be looked up in the cluster as well. */
  readonly noun?: Noun;
  /** Positional arguments before the unfinished word, without the names of commands. */
  readonly given: readonly string[];
  /** Options with values before it, by their long name without dashes. */
  readonly options: ReadonlyMap<string, string>;
  /** Names of the commands: `bundle`, `render`. */
  readonly commands: readonly string[];
  /** Begins each candidate: `--output=` for an option with its value in one word. */
  readonly prefix: string;
}

/** Reads the words after the name of the program; the last one is unfinished, and may be empty. */
export function questionOf(program: Command, words: readonly string[]): CompletionQuestion {
  const finished = joined(words.slice(0, -1));
  const last = unquoted(words.at(-1) ?? '');
  const walk = walkThrough(program, finished);
  const [, name = '', partial] = /^(--[\w-]+)=(.*)$/s.exec(last) ?? [];
  const option = partial === undefined ? walk.awaits : optionOf(walk.command, name);
  const base = { given: walk.given, options: walk.options, commands: walk.commands, prefix: partial === undefined ? '' : `${name}=` }; // prettier-ignore
  if (option !== undefined) return { ...base, partial: partial ?? last, ...valuesOf(option, walk.command) };
  if (last.startsWith('-')) return { ...base, partial: last, known: optionsOf(walk.command) };
  return { ...base, partial: last, ...argumentOf(walk) };
}

/** bash splits `--output=json` into three words. */
function joined(words: readonly string[]): readonly string[] {
  return words.filter((word) => word !== '=').map(unquoted);
}

/** No value yet: behind the equals sign of bash, or the empty word of PowerShell. */
function unquoted(word: string): string {
  return word === '=' || word === '""' ? '' : word;
}

interface Walk {
  readonly command: Command;
  readonly commands: readonly string[];
  readonly given: readonly string[];
  readonly options: ReadonlyMap<string, string>;
  /** The option whose value the next word is. */
  readonly awaits?: Option;
}

function walkThrough(program: Command, words: readonly string[]): Walk {
  const options = new Map<string, string>();
  let walk: Walk = { command: program, commands: [], given: [], options };
  for (const word of words) {
    const { awaits, ...rest } = walk;
    if (awaits !== undefined) {
      options.set(longOf(awaits), word);
      walk = rest;
    } else walk = follow(rest, word);
  }
  return walk;
}

function follow(walk: Omit<Walk, 'awaits'>, word: string): Walk {
  const { command, commands, given, options } = walk;
  if (word.startsWith('-')) {
    const [, name = word, value] = /^(--[\w-]+)=(.*)$/s.exec(word) ?? [];
    const option = optionOf(command, name);
    if (option === undefined || !takesValue(option)) return walk;
    if (value === undefined) return { ...walk, awaits: option };
    return { ...walk, options: new Map([...options, [longOf(option), value]]) };
  }
  const child = given.length > 0 ? undefined : command.commands.find((one) => one.name() === word);
  if (child !== undefined) return { ...walk, command: child, commands: [...commands, word] };
  return { ...walk, given: [...given, word] };
}

function optionOf(command: Command, name: string): Option | undefined {
  return command.options.find(({ long, short }) => long === name || short === name);
}

function takesValue({ required, optional }: Option): boolean {
  return required || optional;
}

function longOf({ long, short }: Option): string {
  return (long ?? short ?? '').replace(/^-+/, '');
}

function optionsOf(command: Command): readonly string[] {
  return [...command.options.map(({ long, short }) => long ?? short ?? ''), '--help'];
}

type Values = Pick<CompletionQuestion, 'known' | 'noun'>;

/** The nouns that options with values name. */
const NOUN_OF_OPTION: ReadonlyMap<string, Noun> = new Map([
  ['namespace', 'namespace'],
  ['watch-namespace', 'namespace'],
  ['system-namespace', 'namespace'],
  ['catalog', 'catalog'],
  ['channel', 'channel'],
  ['version', 'version'],
  ['to', 'installed'],
]);

function valuesOf(option: Option, command: Command): Values {
  const isOfCluster = command.options.some(({ long }) => long === '--context');
  const noun = isOfCluster ? NOUN_OF_OPTION.get(longOf(option)) : undefined;
  return { known: option.argChoices ?? [], ...(noun !== undefined && { noun }) };
}

/** Commands whose first argument is a Subscription. */
const OF_SUBSCRIPTION: ReadonlySet<string> = new Set(
  'status tree history events wait approve upgrade rollback suspend resume reconcile uninstall logs'.split(' '),
);

function argumentOf({ command, commands, given }: Walk): Values {
  if (command.commands.length > 0)
    return { known: command.commands.map((one) => one.name()).filter((name) => !name.startsWith('_')) };
  const [name = ''] = commands;
  if (name === 'get') return given.length === 0 ? { known: KIND_WORDS } : { known: [], noun: 'object' };
  if (given.length === 0 && OF_SUBSCRIPTION.has(name)) return { known: [], noun: 'subscription' };
  if (given.length === 0 && ['install', 'list'].includes(name)) return { known: [], noun: 'package' };
  return { known: command.registeredArguments[given.length]?.argChoices ?? [] };
}

const KIND_WORDS = ['subscriptions', 'revisions', 'catalogs', 'registrypolicies', 'all'];
