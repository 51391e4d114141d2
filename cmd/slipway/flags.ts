/** The flags that several commands share, and how a command hands its action over to be run. */
import { InvalidArgumentError, Option, type Command } from 'commander';
import type { Environment } from './environment.ts';
import type { Outcome } from './outcome.ts';

/** Runs the action of a command, and prints its outcome in the format that the flags ask for. */
export type Perform = (flags: OutputFlags, action: (environment: Environment) => Promise<Outcome>) => Promise<void>;

export interface OutputFlags {
  readonly output: string;
}

/** `-o`: the format in which the outcome is printed; the first format is the default. With JSON, templates are possible. */
export function outputOption(formats: readonly string[] = ['text', 'json']): Option {
  const option = new Option('-o, --output <format>', 'format, or jsonpath=TEMPLATE for single fields of the JSON');
  return option
    .choices(formats)
    .default(formats[0])
    .argParser((value: string) => {
      if (formats.includes(value) || isTemplate(value)) return value;
      throw new InvalidArgumentError(`Allowed choices are ${formats.join(', ')}, jsonpath=TEMPLATE.`);
    });
}

/** Begins a format that has a template behind it. */
const TEMPLATE = 'jsonpath=';

/** Whether a format is a template for single fields. */
export function isTemplate(output: string): boolean {
  return output.startsWith(TEMPLATE);
}

/** The template of such a format, as a shell hands it over. */
export function templateOf(output: string): string {
  return output.slice(TEMPLATE.length);
}

/** Adds the options of every command that may send requests to a registry. */
export function registryOptions(command: Command): Command {
  return command
    .option('--plain-http', 'speak to registries without TLS; to those on this machine always')
    .option('--registry-config <file>', "credentials (default: those of docker's and podman's logins)");
}

/** Adds the options of every command that sends requests about a namespace of a cluster. */
export function clusterOptions(command: Command): Command {
  return connectionOptions(
    command.option('-n, --namespace <name>', "namespace (default: that of the kubeconfig's context)"),
  );
}

/** Adds the options of a command that sends requests to a cluster, and reads no namespace but that of the manager. */
export function connectionOptions(command: Command): Command {
  return command
    .option('--kubeconfig <file>', 'kubeconfig file (default: those of KUBECONFIG, or ~/.kube/config)')
    .option('--context <name>', 'context of the kubeconfig (default: its current one)');
}

const EXAMPLES = new WeakMap<Command, readonly string[]>();

/** Shows command lines as examples at the end of the help, by the name of the program, and in docs/cli.md. */
export function withExamples(command: Command, ...lines: readonly string[]): Command {
  EXAMPLES.set(command, lines);
  return command.addHelpText('after', () => {
    const name = programOf(command);
    return `\nExamples:\n${lines.map((line) => `  ${line.replaceAll(/(^|\| )slipway /g, `$1${name} `)}\n`).join('')}`;
  });
}

function programOf(command: Command): string {
  return command.parent === null ? command.name() : programOf(command.parent);
}

/**
 * The examples of a command; none if it has none.
 *
 * @unshipped The generator of docs/cli.md prints them.
 */
export function examplesOf(command: Command): readonly string[] {
  return EXAMPLES.get(command) ?? [];
}

/** `--color`, for commands that colour their output. */
export function colourOption(): Option {
  return new Option('--color <when>', 'colour the output; auto: on a terminal, unless NO_COLOR is set')
    .choices(['auto', 'always', 'never'])
    .default('auto');
}

/** Parses an option that can be given several times: adds a value to those before it. */
export function append(value: string, values: readonly string[] | undefined): readonly string[] {
  return [...(values ?? []), value];
}

/** The option of a flag: `--kubernetes-version` of `kubernetesVersion`. */
export function optionOf(flag: string): string {
  return `--${flag.replaceAll(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)}`;
}
