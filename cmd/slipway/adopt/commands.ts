/** `slipway adopt`: names, arguments and options. */
import type { Command } from 'commander';
import { clusterOptions, outputOption, withExamples, type Perform } from '../flags.ts';
import type { CatalogFlags } from './catalogs.ts';
import type { AdoptPlanFlags } from './plan.ts';
import type { AdoptRunFlags } from './run.ts';

export function defineAdoptCommands(program: Command, perform: Perform): void {
  const adopt = program
    .command('adopt')
    .description('Hands operators over from OLM v0 to Slipway, while OLM runs and without replacing a Pod.');
  const argument = 'NAME or NAMESPACE/NAME of the Subscription of OLM';
  withExamples(
    nameOptions(clusterOptions(adopt.command('plan')))
      .description(
        "Lists the operators of OLM and whether each can be handed over. With a name, shows Slipway's Subscription, and the objects that are handed over and deleted. Writes nothing. The exit code is 2 if an operator cannot be handed over.",
      )
      .argument('[name]', argument)
      .option('-A, --all-namespaces', 'the operators of all namespaces')
      .addOption(outputOption(['text', 'json', 'yaml']))
      .action((name: string | undefined, flags: AdoptPlanFlags) =>
        perform(flags, async (environment) => (await import('./plan.ts')).planAdoption(environment, name, flags)),
      ),
    'slipway adopt plan --all-namespaces',
    'slipway adopt plan lights/beacon',
  );
  withExamples(
    nameOptions(clusterOptions(adopt.command('run')))
      .description(
        'Hands one operator over, and waits until it is done. It can be interrupted at any time; started again, it goes on.',
      )
      .argument('<name>', argument)
      .option('--timeout <duration>', 'give up waiting after this time', '10m')
      .option('--system-namespace <name>', 'namespace of the manager, which keeps the backup', 'slipway-system')
      .addOption(outputOption(['text', 'json']))
      .action((name: string, flags: AdoptRunFlags) =>
        perform(flags, async (environment) => (await import('./run.ts')).runAdoption(environment, name, flags)),
      ),
    'slipway adopt run lights/beacon --catalog operatorhub',
  );
  withExamples(
    clusterOptions(adopt.command('catalogs'))
      .description('Prints a Catalog for each CatalogSource of OLM that has an image.')
      .option('-A, --all-namespaces', 'the CatalogSources of all namespaces')
      .addOption(outputOption(['yaml', 'json']))
      .action((flags: CatalogFlags) =>
        perform(flags, async (environment) => (await import('./catalogs.ts')).printCatalogs(environment, flags)),
      ),
    'slipway adopt catalogs --namespace olm',
  );
}

function nameOptions(command: Command): Command {
  return command
    .option('--name <name>', "name of Slipway's Subscription; absent, that of OLM's")
    .option('--catalog <name>', 'the only Catalog from which it is upgraded');
}
