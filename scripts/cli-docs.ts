/** Renders docs/cli.md from the definitions of the commands and the list of exit codes. Pure: generate.ts writes it. */
import type { Argument, Command, Option } from 'commander';
import { examplesOf } from '../cmd/slipway/flags.ts';
import { EXIT_CODES, FINDINGS } from '../cmd/slipway/outcome.ts';
import { buildProgram } from '../cmd/slipway/program.ts';
import { markdownTable } from './field-table.ts';

/** docs/cli.md, complete. */
export function renderCliDocs(): string {
  const program = buildProgram(async () => {}, { print: () => {}, complain: () => {} });
  const commands = leavesOf(program, program.name());
  const parts = [
    '# The command line: `slipway`',
    INTRODUCTION,
    '## Exit codes',
    markdownTable(
      ['code', 'meaning'],
      Object.entries(EXIT_CODES).map(([code, meaning]) => [`\`${code}\``, meaning]),
    ),
    markdownTable(
      ['command', 'finding, with exit code 2'],
      Object.entries(FINDINGS).map(([command, finding]) => [command.split(', ').map(asCode).join(', '), finding]),
    ),
    ...commands.flatMap(({ name, command }) => renderCommand(name, command)),
  ];
  return `${parts.join('\n\n')}\n`;
}

const INTRODUCTION = `In a checkout, \`npm run -s slipway -- ARGS\` runs it. \`make build\` writes \`dist/slipway/slipway.js\`, an executable for
machines with Node 24.15 or newer; an older Node is refused by name. [Some other
forms](how-to/use-the-command-line.md#install-the-command-line) need no Node. Results go to stdout, failures to stderr: one line with
a reason from [the closed list](api.md#reasons), and one with the remedy. \`-o json\` gives data whose shape is stable: fields
are added, never renamed or removed. Names and texts that come from bundles, catalogs and registries are printed without
control characters; in JSON they are escaped.

On a terminal, tables and text follow its width, and a cell that does not fit ends in \`…\`; in a pipe or a file nothing is
cut. Findings are coloured on a terminal. \`--color\` decides, then \`FORCE_COLOR\`, then \`NO_COLOR\`.

An argument \`DIR|REF\` is a folder if there is one of that name, else an image with its registry. The folder may be an
[OCI image layout](https://github.com/opencontainers/image-spec/blob/main/image-layout.md), as \`bundle build\` writes it.

Credentials are those that \`docker login\` and \`podman login\` keep, programs for credentials
included, and are searched for in this order: the file \`REGISTRY_AUTH_FILE\`, \`config.json\` in the folder
\`DOCKER_CONFIG\` (default: \`~/.docker\`), \`XDG_RUNTIME_DIR/containers/auth.json\`. Proxies are taken from \`HTTPS_PROXY\`,
\`HTTP_PROXY\` and \`NO_PROXY\`.`;

interface Leaf {
  readonly name: string;
  readonly command: Command;
}

/** The commands that the help shows; a name that begins with `_` is for scripts. */
function leavesOf(command: Command, name: string): readonly Leaf[] {
  if (command.commands.length === 0) return [{ name, command }];
  const shown = command.commands.filter((child) => !child.name().startsWith('_'));
  return shown.flatMap((child) => leavesOf(child, `${name} ${child.name()}`));
}

function renderCommand(name: string, command: Command): readonly string[] {
  const usage = command.registeredArguments.map(usageOf);
  const examples = examplesOf(command);
  return [
    `## ${name}`,
    command.description(),
    `\`\`\`text\n${[name, ...usage, '[options]'].join(' ')}\n\`\`\``,
    ...(examples.length > 0 ? [`Examples:\n\n\`\`\`text\n${examples.join('\n')}\n\`\`\``] : []),
    markdownTable(
      ['argument or option', 'meaning'],
      [
        ...command.registeredArguments.map((argument) => [`\`${usageOf(argument)}\``, meaningOf(argument)] as const),
        ...command.options.map((option) => [`\`${option.flags}\``, meaningOf(option)] as const),
      ],
    ),
  ];
}

function usageOf(argument: Argument): string {
  const name = `${argument.name().toUpperCase()}${argument.variadic ? '…' : ''}`;
  return argument.required ? name : `[${name}]`;
}

function meaningOf(described: Argument | Option): string {
  const { argChoices, defaultValue } = described;
  const choices = argChoices === undefined ? [] : [`one of ${argChoices.map(asCode).join(', ')}`];
  const byDefault = typeof defaultValue === 'string' ? [`default ${asCode(defaultValue)}`] : [];
  const needed = 'mandatory' in described && described.mandatory ? ['required'] : [];
  const facts = [...choices, ...byDefault, ...needed].join('; ');
  return facts === '' ? described.description : `${described.description} (${facts})`;
}

function asCode(text: string): string {
  return `\`${text}\``;
}
