/**
 * The tree of commands with their arguments and options: the source of `--help` and docs/cli.md. The code of a command
 * is loaded when it runs, so that `slipway --help` loads nothing else.
 */
import { Command, CommanderError } from 'commander';
import { defineAdoptCommands } from './adopt/commands.ts';
import { defineAdminCommands } from './admin/commands.ts';
import { defineBundleCommands } from './bundle/commands.ts';
import { defineCatalogCommands } from './catalog/commands.ts';
import { defineCompletionCommands } from './completion/commands.ts';
import type { Perform } from './flags.ts';
import { cleanLine } from '../../report/clean.ts';
import { VERSION } from '../serving/version.ts';
import { HELP_LAYOUT } from './output/help-layout.ts';
import { defineCrdCommands } from './crd/commands.ts';
import { defineMirrorCommands } from './mirror/commands.ts';
import { definePlanCommands } from './plan/commands.ts';
import { defineRightsCommands } from './rights/commands.ts';
import { defineUiCommands } from './ui/commands.ts';
import { defineVerifyCommands } from './verify/commands.ts';
import { defineWhyCommands } from './why/commands.ts';

export { CommanderError };

/** Where the program itself writes its texts: help, and errors in the arguments. */
export interface Writers {
  readonly print: (text: string) => void;
  readonly complain: (text: string) => void;
  /** Width of the terminal, if there is one. */
  readonly columns?: number;
  /** The command as the user types it. */
  readonly programName?: string;
}

/** Of help in a pipe or a file. */
const HELP_WIDTH = 100;

/** The program; it throws a CommanderError if the arguments are wrong, or once help has been printed. */
export function buildProgram(perform: Perform, writers: Writers): Command {
  const { print, complain, columns = HELP_WIDTH, programName = 'slipway' } = writers;
  const program = new Command(programName)
    .description(
      'Builds, checks and publishes bundles and catalogs of Kubernetes operators, explains which version is chosen, and administers the operators of a cluster.',
    )
    .version(VERSION)
    .enablePositionalOptions() // so that --version behind a command is that command's
    .showHelpAfterError('(--help has more)')
    .exitOverride()
    .configureHelp(HELP_LAYOUT)
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
  definePlanCommands(program, perform);
  defineRightsCommands(program, perform);
  defineCrdCommands(program, perform);
  defineVerifyCommands(program, perform);
  defineMirrorCommands(program, perform);
  defineAdminCommands(program, perform);
  defineUiCommands(program, perform);
  defineAdoptCommands(program, perform);
  defineCompletionCommands(program, perform);
  return program;
}
