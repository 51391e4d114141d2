/** `slipway adopt`: names, arguments and options. */
import { Option, type Command } from 'commander';
import {
  clusterOptions,
  connectionOptions,
  outputOption,
  registryOptions,
  withExamples,
  type Perform,
} from '../flags.ts';
import type { CatalogFlags } from './catalogs.ts';
import type { AdoptPlanFlags } from './plan.ts';
import type { AdoptRunFlags } from './run.ts';
import type { AdoptStatusFlags } from './status.ts';
import type { AdoptUndoFlags } from './undo.ts';

export function defineAdoptCommands(program: Command, perform: Perform): void {
  const adopt = program
    .command('adopt')
    .description(
      'Hands operators over from OLM to Slipway, and back to OLM, while OLM runs and without replacing a Pod.',
    );
  definePlan(adopt, perform);
  defineRun(adopt, perform);
  defineAfterwards(adopt, perform);
}

const ARGUMENT = 'NAME or NAMESPACE/NAME of the Subscription of OLM v0, or NAME of the ClusterExtension of OLM v1';
const OLM_V1 = 'olm-v1';

interface From {
  readonly from: string;
}

function definePlan(adopt: Command, perform: Perform): void {
  withExamples(
    nameOptions(clusterOptions(adopt.command('plan')))
      .description(
        "Lists the operators of OLM and whether each can be handed over. With a name, shows Slipway's Subscription, the objects that are handed over and deleted, the Deployments whose Pods would be replaced and the ConfigMaps and Secrets whose edits would be set back, by dry runs of the version that a Catalog has. Writes nothing. The exit code is 2 if an operator cannot be handed over, or not without these.",
      )
      .argument('[name]', ARGUMENT)
      .option('-A, --all-namespaces', 'the operators of all namespaces')
      .addOption(keptOption())
      .addOption(outputOption(['text', 'json', 'yaml']))
      .addOption(fromOption())
      .action((name: string | undefined, flags: AdoptPlanFlags & From) =>
        perform(flags, async (environment) =>
          flags.from === OLM_V1
            ? (await import('./olm-v1/plan.ts')).planExtensions(environment, name, flags)
            : (await import('./plan.ts')).planAdoption(environment, name, flags),
        ),
      ),
    'slipway adopt plan --all-namespaces',
    'slipway adopt plan lights/beacon',
    'slipway adopt plan beacon --from olm-v1',
  );
  withExamples(
    clusterOptions(adopt.command('catalogs'))
      .description(
        'Prints a Catalog for each CatalogSource of OLM v0 that has an image, or for each ClusterCatalog of OLM v1.',
      )
      .option('-A, --all-namespaces', 'the CatalogSources of all namespaces')
      .addOption(outputOption(['yaml', 'json']))
      .addOption(fromOption())
      .action((flags: CatalogFlags & From) =>
        perform(flags, async (environment) =>
          flags.from === OLM_V1
            ? (await import('./olm-v1/catalogs.ts')).printClusterCatalogs(environment, flags)
            : (await import('./catalogs.ts')).printCatalogs(environment, flags),
        ),
      ),
    'slipway adopt catalogs --namespace olm',
    'slipway adopt catalogs --from olm-v1',
  );
}

function defineRun(adopt: Command, perform: Perform): void {
  withExamples(
    nameOptions(clusterOptions(adopt.command('run')))
      .description(
        'Hands one operator over, and waits until it is done. It can be interrupted at any time; started again, it goes on. With --all, one operator after the other: one that is refused is passed over and listed at the end with the cause, and any other error ends the command. Exit code 2 if some cannot be handed over.',
      )
      .argument('[name]', ARGUMENT)
      .option('--all', 'every operator of the namespace')
      .option('-A, --all-namespaces', 'with --all, the operators of all namespaces')
      .option('--allow-restarts', 'hand over although Pods are replaced, which the plan lists')
      .option(
        '--allow-overwrites',
        'hand over although edited ConfigMaps and Secrets are set back, which the plan lists',
      )
      .addOption(timeoutOption('10m'))
      .addOption(keptOption())
      .addOption(outputOption(['text', 'json']))
      .addOption(fromOption())
      .action((name: string | undefined, flags: AdoptRunFlags & From) =>
        perform(flags, async (environment) =>
          flags.from === OLM_V1
            ? (await import('./olm-v1/run.ts')).runExtensions(environment, name, flags)
            : (await import('./run.ts')).runAdoption(environment, name, flags),
        ),
      ),
    'slipway adopt run lights/beacon --catalog operatorhub',
    'slipway adopt run --all --all-namespaces',
    'slipway adopt run beacon --from olm-v1 --catalog operatorhub',
  );
}

function defineAfterwards(adopt: Command, perform: Perform): void {
  withExamples(
    connectionOptions(adopt.command('status'))
      .description('Lists the hand-overs that have a backup, each with its next step.')
      .option('-n, --namespace <name>', 'only the hand-overs of this namespace (default: of all)')
      .addOption(keptOption())
      .addOption(outputOption(['text', 'json', 'yaml']))
      .addOption(fromOption())
      .action((flags: AdoptStatusFlags & From) =>
        perform(flags, async (environment) =>
          flags.from === OLM_V1
            ? (await import('./olm-v1/status.ts')).showExtensions(environment, flags)
            : (await import('./status.ts')).showAdoptions(environment, flags),
        ),
      ),
    'slipway adopt status',
    'slipway adopt status --from olm-v1',
  );
  withExamples(
    clusterOptions(adopt.command('undo'))
      .description(
        "Hands an operator back to OLM from its backup, without replacing a Pod, and deletes Slipway's Subscription. For OLM v0 the version that it had must be installed; OLM v1 must find the installed version in its catalogs. A hand-over from which OLM has not gone yet is called off. It can be interrupted at any time; started again, it goes on. With --stop a begun way back is given up instead, as long as Slipway has the operator.",
      )
      .argument('<name>', ARGUMENT)
      .option('--stop', 'give a begun way back up: Slipway keeps the operator')
      .addOption(timeoutOption('10m'))
      .addOption(keptOption())
      .addOption(outputOption(['text', 'json']))
      .addOption(fromOption())
      .action((name: string, flags: AdoptUndoFlags & From) =>
        perform(flags, async (environment) =>
          flags.from === OLM_V1
            ? (await import('./olm-v1/undo.ts')).undoExtension(environment, name, flags)
            : (await import('./undo.ts')).undoAdoption(environment, name, flags),
        ),
      ),
    'slipway adopt undo lights/beacon',
    'slipway adopt undo beacon --from olm-v1',
    'slipway adopt undo beacon --from olm-v1 --stop',
  );
}

function fromOption(): Option {
  return new Option('--from <program>', 'the program that manages the operators now')
    .choices(['olm-v0', OLM_V1])
    .default('olm-v0');
}

function timeoutOption(duration: string): Option {
  return new Option('--timeout <duration>', 'give up waiting after this time').default(duration);
}

function keptOption(): Option {
  return new Option('--system-namespace <name>', 'namespace of the manager, which keeps the backups and serves the Catalogs').default('slipway-system'); // prettier-ignore
}

function nameOptions(command: Command): Command {
  return registryOptions(command)
    .option('--name <name>', "name of Slipway's Subscription (default: that of OLM's object)")
    .option('--catalog <name>', 'the only Catalog from which it is upgraded');
}
