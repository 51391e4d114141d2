/** `slipway bundle test` and `slipway try`: arguments and options. */
import type { Command } from 'commander';
import {
  append,
  clusterOptions,
  outputOption,
  registryOptions,
  withExamples,
  type OutputFlags,
  type Perform,
} from '../../flags.ts';
import type { TestFlags } from './test.ts';
import type { TryFlags } from './try.ts';

const SOURCE = 'folder with manifests/ and metadata/, or image of a bundle';

export function defineTest(bundle: Command, perform: Perform): void {
  const test = withExamples(
    registryOptions(bundle.command('test')),
    'slipway bundle test lamp --to registry.example/team/lamp-trial --upgrade-from registry.example/team/lamp-operator:v1.0.0',
    'slipway bundle test registry.example/team/lamp-operator:v1.1.0 --junit results.xml',
  )
    .description(
      'Tests a bundle in a cluster with Slipway, in a namespace of its own: it is installed and upgraded, its examples are accepted and kept, an uninstall leaves nothing, and an account with the rights of `slipway rights --minimal` can install it. The exit code is 2 if a step fails.',
    )
    .argument('<dir|ref>', SOURCE)
    .option('--kubeconfig <file>', 'kubeconfig file (default: those of KUBECONFIG, or ~/.kube/config)')
    .option('--context <name>', 'context of the kubeconfig (default: its current one)')
    .option('--junit <file>', 'write the results as JUnit');
  trialOptions(test)
    .addOption(outputOption())
    .action((source: string, flags: TestFlags & OutputFlags) =>
      perform(flags, async (environment) => (await import('./test.ts')).test(environment, source, flags)),
    );
}

export function defineTry(program: Command, perform: Perform): void {
  const command = withExamples(
    clusterOptions(registryOptions(program.command('try'))),
    'slipway try lamp --to registry.example/team/lamp-trial -n lights',
    'slipway try registry.example/team/lamp-operator:v1.1.0 --upgrade-from registry.example/team/lamp-operator:v1.0.0 --rm',
  )
    .description(
      'Has a cluster with Slipway install a bundle that no catalog offers yet, follows it until it is ready, and shows the last lines of its logs. The exit code is 2 if it does not become ready.',
    )
    .argument('<dir|ref>', SOURCE)
    .option('--name <name>', 'name of the Subscription and of the Catalog (default: try- and the name of the package)')
    .option('--rm', 'delete everything in the end');
  trialOptions(command)
    .addOption(outputOption())
    .action((source: string, flags: TryFlags) =>
      perform(flags, async (environment) => (await import('./try.ts')).tryOut(environment, source, flags)),
    );
}

function trialOptions(command: Command): Command {
  return command
    .option('--upgrade-from <dir|ref>', 'earlier version, which is installed first')
    .option(
      '--to <repository>',
      'repository that the cluster can pull from, to which the bundles are pushed (default: the one of the images, whose tags must be their versions)',
    )
    .option('--pull-secret <name>', 'Secret in the namespace of the manager with the credentials of the repository')
    .option(
      '--watch-namespace <name>',
      'namespace to watch, "" for all; again for more (default: as the bundle allows)',
      append,
    )
    .option('--timeout <duration>', 'longest time for each step', '5m');
}
