/**
 * The tree of commands with their arguments and options: what `--help` prints and docs/cli.md is made of. What a
 * command does is loaded when it is run, so that `slipway --help` loads nothing else.
 */
import { Command, CommanderError, Option } from 'commander';
import { defineBundleCommands } from './bundle/commands.ts';
import { defineCatalogCommands } from './catalog/commands.ts';
import type { Environment } from './environment.ts';
import type { Outcome } from './outcome.ts';
import { cleanLine } from './output/clean.ts';
import { defineWhyCommands } from './why/commands.ts';

export { CommanderError };

/** Runs the action of a command, and prints its outcome in the format that the flags ask for. */
export type Perform = (flags: OutputFlags, action: (environment: Environment) => Promise<Outcome>) => Promise<void>;

export interface OutputFlags {
  readonly output: string;
}

/** Where the texts of the program itself go: help, and what is wrong with the arguments. */
export interface Writers {
  readonly print: (text: string) => void;
  readonly complain: (text: string) => void;
  /** Width of the terminal, if there is one. */
  readonly columns?: number;
}

/** Of help in a pipe or a file. */
const HELP_WIDTH = 100;
/** Of package.json; a file that is read would have to be shipped. */
const VERSION = '0.1.0';

/** The program; it throws a CommanderError where the arguments are wrong, or once help has been printed. */
export function buildProgram(perform: Perform, { print, complain, columns = HELP_WIDTH }: Writers): Command {
  const program = new Command('slipway')
    .description(
      'Builds, checks and publishes bundles and catalogs of Kubernetes operators, and explains which version is chosen.',
    )
    .version(VERSION)
    .enablePositionalOptions() // so that --version behind a command is that command's
    .showHelpAfterError('(--help has more)')
    .exitOverride()
    .configureOutput({
      writeOut: print,
      writeErr: complain,
      outputError: (text) => complain(`slipway: ${cleanLine(text.replace(/^error: /, ''))}\n`),
      getOutHelpWidth: () => columns,
      getErrHelpWidth: () => columns,
      getOutHasColors: () => false,
      getErrHasColors: () => false,
    });
  defineBundleCommands(program, perform);
  defineCatalogCommands(program, perform);
  defineWhyCommands(program, perform);
  return program;
}

/** `-o`: what of the outcome is printed; the first format is the default. */
export function outputOption(formats: readonly string[] = ['text', 'json']): Option {
  return new Option('-o, --output <format>', 'what to print').choices(formats).default(formats[0]);
}

/** The options of every command that may ask a registry. */
export function registryOptions(command: Command): Command {
  return command
    .option('--plain-http', 'speak to registries without TLS; to those on this machine always')
    .option('--registry-config <file>', "credentials; absent, those of docker's and podman's logins");
}

/** `--color`, for commands that colour what they print. */
export function colourOption(): Option {
  return new Option('--color <when>', 'colour the output; auto: on a terminal, unless NO_COLOR is set')
    .choices(['auto', 'always', 'never'])
    .default('auto');
}

/** For options that can be given several times. */
export function append(value: string, values: readonly string[] | undefined): readonly string[] {
  return [...(values ?? []), value];
}
