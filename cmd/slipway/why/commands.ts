/** `slipway why` and `slipway why-not`: names, arguments and options. */
import { Option, type Command } from 'commander';
import { append, outputOption, registryOptions, withExamples, type OutputFlags, type Perform } from '../flags.ts';
import type { WhyFlags } from './flags.ts';

export function defineWhyCommands(program: Command, perform: Perform): void {
  withExamples(
    questionOptions(program.command('why')),
    'slipway why beacon-operator -n lights',
    'slipway why beacon-operator --catalog registry.example/team/catalog:latest --installed 1.0.0',
  )
    .description('Explains which version of a package is chosen and why, or how one version stands.')
    .argument('<package[@version]>', 'package; with a version, or the name of a bundle, the question is about that')
    .action((subject: string, flags: WhyFlags & OutputFlags) =>
      perform(flags, async (environment) => (await import('./why.ts')).why(environment, subject, flags)),
    );
  withExamples(
    questionOptions(program.command('why-not')),
    'slipway why-not beacon-operator@2.0.0 -n lights',
    'slipway why-not beacon-operator@2.0.0 --catalog catalog --installed 1.0.0',
  )
    .description(
      'Explains why a version is not chosen, in the shortest form, and lists the changes that would make it chosen.',
    )
    .argument('<package@version>', 'package with the version, or the name of the bundle, that the question is about')
    .action((subject: string, flags: WhyFlags & OutputFlags) =>
      perform(flags, async (environment) => (await import('./why.ts')).whyNot(environment, subject, flags)),
    );
}

function questionOptions(command: Command): Command {
  return registryOptions(
    command
      .option(
        '--catalog <source>',
        'folder or file of a file-based catalog, or image of one; again for more, each goes before those after it (default: a Subscription in the cluster is asked)',
        append,
      )
      .option('--installed <version>', 'installed version, or name of its bundle (default: nothing is installed)')
      .option('--channel <name>', 'channel of the Subscription, "*" for any (default: that of the package)')
      .option('--version <range>', 'version of the Subscription, a range (default: any)')
      .addOption(edgesOption())
      .addOption(dependenciesOption())
      .option(
        '--kubernetes-version <version>',
        'version of the cluster (default: the demands of bundles on it are not checked)',
      )
      .option('--subscription <name>', 'Subscription in the cluster (default: the one for the package)')
      .option('-n, --namespace <name>', "namespace of the Subscription (default: that of the kubeconfig's context)")
      .option('--kubeconfig <file>', 'kubeconfig file (default: those of KUBECONFIG, or ~/.kube/config)')
      .option('--context <name>', 'context of the kubeconfig (default: its current one)'),
  ).addOption(outputOption());
}

function edgesOption(): Option {
  return new Option('--edges <how>', 'edges of the Subscription (default: Follow)').choices(['Follow', 'Ignore']);
}

function dependenciesOption(): Option {
  return new Option('--dependencies <how>', 'dependencies of the Subscription (default: Install)').choices([
    'Install',
    'Require',
    'Ignore',
  ]);
}
