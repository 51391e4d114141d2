/** `slipway ui`: name and options. */
import type { Command } from 'commander';
import { connectionOptions, outputOption, withExamples, type Perform } from '../flags.ts';
import type { UiFlags } from './ui.ts';

export function defineUiCommands(program: Command, perform: Perform): void {
  withExamples(
    connectionOptions(
      program
        .command('ui')
        .option(
          '-n, --namespace <name>',
          "the only namespace to watch (default: all, or that of the kubeconfig's context if you may not list all)",
        ),
    ),
    'slipway ui',
    'slipway ui --read-only --no-open --port 8443',
    'slipway ui -n lights',
  )
    .description(
      'Opens the console in the browser: the installed operators, the effect of each upgrade, and why a version is not chosen. It runs on this machine, with the rights of the kubeconfig, until it is interrupted.',
    )
    .option('--port <number>', 'port of 127.0.0.1 to listen on (default: any that is free)')
    .option('--no-open', 'print the address, and open no browser')
    .option('--read-only', 'show, and send no change to the cluster')
    .option('--system-namespace <name>', 'namespace of the manager', 'slipway-system')
    .addOption(outputOption())
    .action((flags: UiFlags) =>
      perform(flags, async (environment) => (await import('./ui.ts')).ui(environment, flags)),
    );
}
