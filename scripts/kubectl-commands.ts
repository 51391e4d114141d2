/** Finds the kubectl commands in a text, and the kinds in them that another project may have too. Pure. */
import { KINDS } from '../api/kinds.ts';
import { GROUP } from '../api/names.ts';

/** `kubectl -n lights get revisions.slipway.dev beacon-1`, as words. */
export interface KubectlCommand {
  /** From 1. */
  readonly line: number;
  readonly words: readonly string[];
}

/** The verbs that take kinds by their names; `apply` and `create` take files. */
const VERBS: ReadonlySet<string> = new Set(
  'annotate delete describe edit events explain get label patch wait'.split(' '),
);

/** Flags whose value is the next word; a value that is a path or a document is no kind. */
const WITH_VALUE: ReadonlySet<string> = new Set('-n --namespace -f -k -o -p --type --timeout -l --selector'.split(' '));

/** The commands in a text: up to the end of a line, of a piece of code or of a pipe; quoted words stay whole. */
export function kubectlCommands(text: string): readonly KubectlCommand[] {
  return text.split('\n').flatMap((_, index, lines) =>
    [...joined(lines, index).matchAll(/\bkubectl ((?:"[^"]*"|'[^']*'|[^`|;&<>"'\n])+)/g)].flatMap(
      ([, command = '']) => {
        const words = wordsOf(command);
        return words.some((word) => VERBS.has(word)) ? [{ line: index + 1, words }] : [];
      },
    ),
  );
}

/** A line with those that continue it. */
function joined(lines: readonly string[], index: number): string {
  const line = lines[index] ?? '';
  return line.endsWith('\\') ? `${line.slice(0, -1)} ${joined(lines, index + 1)}` : line;
}

/** As a shell takes them apart; the end of a sentence is no part of the last one. */
function wordsOf(command: string): readonly string[] {
  const words = command.match(/(?:"[^"]*"|'[^']*'|[^\s"'])+/g) ?? [];
  return words.map((word) => word.replaceAll(/"([^"]*)"|'([^']*)'/g, '$1$2').replace(/[:.,]$/, ''));
}

/** The words of a command in which a kind is named: `subscriptions.slipway.dev,deployments`, `revisions/beacon-1`. */
export function kindWords({ words }: KubectlCommand): readonly string[] {
  const verb = words.findIndex((word) => VERBS.has(word));
  const kinds: string[] = [];
  for (let index = verb + 1; index < words.length; index += 1) {
    const word = words[index] ?? '';
    if (word === '--for' && words[verb] === 'events') continue;
    if (WITH_VALUE.has(word)) index += 1;
    else if (!word.startsWith('-')) kinds.push(word);
  }
  return words[verb] === 'get' || words[verb] === 'delete' || words[verb] === 'describe' ? kinds.slice(0, 1) : kinds;
}

const OURS: ReadonlySet<string> = new Set(KINDS.flatMap(({ plural, singular }) => [plural, singular]));

/** The names in a command that kubectl may give to a kind of another project: without the group. */
export function ambiguousNames(command: KubectlCommand): readonly string[] {
  return kindWords(command)
    .flatMap((word) => word.split(','))
    .map((word) => word.split('/')[0] ?? '')
    .filter((name) => OURS.has(name.split('.')[0] ?? '') && !isFull(name));
}

/** Whether a name has the group: `subscriptions.slipway.dev`, or a field of it. */
export function isFull(name: string): boolean {
  const [kind = ''] = name.split('.');
  return OURS.has(kind) && `${name}.`.startsWith(`${kind}.${GROUP}.`);
}
