/** Renders the manual pages from the definitions of the commands: one of the program, and one of each command. Pure. */
import type { Argument, Command, Option } from 'commander';
import { examplesOf } from '../cmd/slipway/flags.ts';
import { EXIT_CODES, FINDINGS } from '../cmd/slipway/outcome.ts';
import { buildProgram } from '../cmd/slipway/program.ts';

/** By name: `slipway.1`, `slipway-bundle-render.1`. */
export function renderManPages(): ReadonlyMap<string, string> {
  const program = buildProgram(async () => {}, { print: () => {}, complain: () => {} });
  const commands = leavesOf(program, [program.name()]);
  const version = program.version() ?? '';
  return new Map([
    ['slipway.1', renderProgram(program, commands, version)],
    ...commands.map(({ words, command }) => [`${words.join('-')}.1`, renderCommand(words, command, version)] as const),
  ]);
}

interface ManCommand {
  readonly words: readonly string[];
  readonly command: Command;
}

/** The commands that the help shows; a name that begins with `_` is for scripts. */
function leavesOf(command: Command, words: readonly string[]): readonly ManCommand[] {
  if (command.commands.length === 0) return [{ words, command }];
  const shown = command.commands.filter((child) => !child.name().startsWith('_'));
  return shown.flatMap((child) => leavesOf(child, [...words, child.name()]));
}

function renderProgram(program: Command, commands: readonly ManCommand[], version: string): string {
  return page([
    heading('slipway', version),
    section('NAME', ['slipway \\- administers, builds and explains Kubernetes operators']),
    section('SYNOPSIS', ['.B slipway', '.I command', '[options]']),
    section('DESCRIPTION', [text(program.description())]),
    section(
      'COMMANDS',
      commands.flatMap(({ words, command }) =>
        item(`.BR ${text(words.join('-'))} (1)`, firstSentence(command.description())),
      ),
    ),
    exitStatus(),
    section('ENVIRONMENT', [
      ...item('.B KUBECONFIG', 'Files with clusters and credentials, as for kubectl.'),
      ...item('.B NO_COLOR', 'If it is set, nothing is coloured.'),
      ...item('.B REGISTRY_AUTH_FILE', 'File with credentials of registries.'),
    ]),
  ]);
}

function renderCommand(words: readonly string[], command: Command, version: string): string {
  const name = words.join('-');
  const usage = command.registeredArguments.map((argument) => `.I ${text(usageOf(argument))}`);
  const examples = examplesOf(command);
  const described = [
    ...command.registeredArguments.flatMap((argument) => item(`.I ${text(usageOf(argument))}`, meaningOf(argument))),
    ...command.options.flatMap((option) => item(`.B ${text(option.flags)}`, meaningOf(option))),
  ];
  return page([
    heading(name, version),
    section('NAME', [`${text(name)} \\- ${text(firstSentence(command.description()).replace(/\.$/, ''))}`]),
    section('SYNOPSIS', [`.B ${words.join(' ')}`, ...usage, '[options]']),
    section('DESCRIPTION', [text(command.description())]),
    section('OPTIONS', described),
    ...(examples.length === 0 ? [] : [section('EXAMPLES', ['.nf', ...examples.map(text), '.fi'])]),
    exitStatus(),
    section('SEE ALSO', ['.BR slipway (1),', '.BR kubectl (1)']),
  ]);
}

function exitStatus(): string {
  const codes = Object.entries(EXIT_CODES).flatMap(([code, meaning]) =>
    item(`.B ${code}`, meaning.replaceAll('`', '')),
  );
  const findings = Object.entries(FINDINGS).flatMap(([command, finding]) =>
    item(`.B ${text(command)}`, finding.replaceAll('`', '')),
  );
  return section('EXIT STATUS', codes) + section('FINDINGS, WITH EXIT CODE 2', findings);
}

function heading(name: string, version: string): string {
  return `.TH ${text(name.toUpperCase())} 1 "" "Slipway ${version}" "Slipway"\n`;
}

function section(title: string, lines: readonly string[]): string {
  return `.SH ${title}\n${lines.join('\n')}\n`;
}

function item(term: string, meaning: string): readonly string[] {
  return ['.TP', term, text(meaning)];
}

function page(parts: readonly string[]): string {
  return `.\\" Generated from cmd/slipway/ by the build.\n${parts.join('')}`;
}

function usageOf(argument: Argument): string {
  const name = `${argument.name()}${argument.variadic ? '...' : ''}`;
  return argument.required ? name : `[${name}]`;
}

function meaningOf({ description, argChoices, defaultValue }: Argument | Option): string {
  const choices = argChoices === undefined ? '' : `; one of ${argChoices.join(', ')}`;
  return `${description}${choices}${typeof defaultValue === 'string' ? `; default ${defaultValue}` : ''}`;
}

function firstSentence(description: string): string {
  return /^.*?[.:](?= |$)/s.exec(description)?.[0].replace(/:$/, '.') ?? description;
}

/** Text on which troff does not act: no escapes, no requests at the beginning of a line, hyphens that can be copied. */
function text(plain: string): string {
  const escaped = plain.replaceAll('\\', '\\e').replaceAll('-', '\\-').replaceAll('"', '\\(dq').replaceAll('…', '...');
  return /^[.']/.test(escaped) ? `\\&${escaped}` : escaped;
}
