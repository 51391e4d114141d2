/** `slipway adopt`: names, arguments and options. */
import { Option, type Command } from 'commander';
import { clusterOptions, outputOption, registryOptions, withExamples, type Perform } from '../flags.ts';
import type { CatalogFlags } from './catalogs.ts';
import type { AdoptPlanFlags } from './plan.ts';
import type { AdoptRunFlags } from './run.ts';
import type { AdoptStatusFlags } from './status.ts';
import type { AdoptUndoFlags } from './undo.ts';

export function defineAdoptCommands(program: Command, perform: Perform): void {
  const adopt = program
    .command('adopt')
    .description('Hands operators over from OLM v0 to Slipway and back, while OLM runs and without replacing a Pod.');
  definePlan(adopt, perform);
  defineRun(adopt, perform);
  defineAfterwards(adopt, perform);
}

const ARGUMENT = 'NAME or NAMESPACE/NAME of the Subscription of OLM';

function definePlan(adopt: Command, perform: Perform): void {
  withExamples(
    nameOptions(clusterOptions(adopt.command('plan')))
      .description(
        "Lists the operators of OLM and whether each can be handed over. With a name, shows Slipway's Subscription, the objects that are handed over and deleted, and the Deployments whose Pods would be replaced, by dry runs of the version that a Catalog has. Writes nothing. The exit code is 2 if an operator cannot be handed over, or not without replacing Pods.",
      )
      .argument('[name]', ARGUMENT)
      .option('-A, --all-namespaces', 'the operators of all namespaces')
      .addOption(keptOption())
      .addOption(outputOption(['text', 'json', 'yaml']))
      .action((name: string | undefined, flags: AdoptPlanFlags) =>
        perform(flags, async (environment) => (await import('./plan.ts')).planAdoption(environment, name, flags)),
      ),
    'slipway adopt plan --all-namespaces',
    'slipway adopt plan lights/beacon',
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

function defineRun(adopt: Command, perform: Perform): void {
  withExamples(
    nameOptions(clusterOptions(adopt.command('run')))
      .description(
        'Hands one operator over, and waits until it is done. It can be interrupted at any time; started again, it goes on. With --all, one operator after the other: it ends with the first one that does not succeed, and with exit code 2 if some cannot be handed over.',
      )
      .argument('[name]', ARGUMENT)
      .option('--all', 'every operator of the namespace')
      .option('-A, --all-namespaces', 'with --all, the operators of all namespaces')
      .option('--allow-restarts', 'hand over although Pods are replaced, which the plan lists')
      .addOption(timeoutOption('10m'))
      .addOption(keptOption())
      .addOption(outputOption(['text', 'json']))
      .action((name: string | undefined, flags: AdoptRunFlags) =>
        perform(flags, async (environment) => (await import('./run.ts')).runAdoption(environment, name, flags)),
      ),
    'slipway adopt run lights/beacon --catalog operatorhub',
    'slipway adopt run --all --all-namespaces',
  );
}

function defineAfterwards(adopt: Command, perform: Perform): void {
  withExamples(
    clusterOptions(adopt.command('status'))
      .description('Lists the hand-overs that have a backup, each with its next step.')
      .addOption(keptOption())
      .addOption(outputOption(['text', 'json', 'yaml']))
      .action((flags: AdoptStatusFlags) =>
        perform(flags, async (environment) => (await import('./status.ts')).showAdoptions(environment, flags)),
      ),
    'slipway adopt status',
  );
  withExamples(
    clusterOptions(adopt.command('undo'))
      .description(
        "Hands an operator back to OLM from its backup, without replacing a Pod, and deletes Slipway's Subscription. The version that OLM had must be installed. It can be interrupted at any time; started again, it goes on.",
      )
      .argument('<name>', ARGUMENT)
      .addOption(timeoutOption('10m'))
      .addOption(keptOption())
      .addOption(outputOption(['text', 'json']))
      .action((name: string, flags: AdoptUndoFlags) =>
        perform(flags, async (environment) => (await import('./undo.ts')).undoAdoption(environment, name, flags)),
      ),
    'slipway adopt undo lights/beacon',
  );
}

function timeoutOption(duration: string): Option {
  return new Option('--timeout <duration>', 'give up waiting after this time').default(duration);
}

function keptOption(): Option {
  return new Option('--system-namespace <name>', 'namespace of the manager, which keeps the backups and serves the Catalogs').default('slipway-system'); // prettier-ignore
}

function nameOptions(command: Command): Command {
  return registryOptions(command)
    .option('--name <name>', "name of Slipway's Subscription; absent, that of OLM's")
    .option('--catalog <name>', 'the only Catalog from which it is upgraded');
}
