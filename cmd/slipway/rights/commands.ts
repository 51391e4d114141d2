/** `slipway rights`: names, arguments and options. */
import type { Command } from 'commander';
import { append, outputOption, registryOptions, withExamples, type OutputFlags, type Perform } from '../flags.ts';
import type { RightsFlags } from './flags.ts';

export function defineRightsCommands(program: Command, perform: Perform): void {
  withExamples(
    registryOptions(program.command('rights')),
    'slipway rights registry.example/team/lamp-operator:v1.1.0 --from registry.example/team/lamp-operator:v1.0.0',
  )
    .description('Lists the rights that an operator gets, in words, the most dangerous first.')
    .argument('[dir|ref]', 'folder with manifests/ and metadata/, or image of a bundle; not with --missing')
    .option('--minimal', 'print the smallest set of roles, as YAML, with which an account can install the bundle')
    .option(
      '--missing <namespace/name>',
      'print the roles, as YAML, that the account of a Subscription lacks for the Revision that comes next',
    )
    .option('--account <name>', 'ServiceAccount of the namespace that gets the roles; with --minimal', 'installer')
    .option('--kubeconfig <file>', 'kubeconfig file; with --missing (default: those of KUBECONFIG, or ~/.kube/config)')
    .option('--context <name>', 'context of the kubeconfig; with --missing (default: its current one)')
    .option('--from <dir|ref>', 'bundle that is installed: lists only the rights that are gained and lost')
    .option('--namespace <name>', 'namespace of the operator', 'operators')
    .option(
      '--watch-namespace <name>',
      'namespace to watch, "" for all; again for more (default: as the bundle allows)',
      append,
    )
    .addOption(outputOption())
    .action((source: string | undefined, flags: RightsFlags & OutputFlags) =>
      perform(flags, async (environment) => (await import('./rights.ts')).rights(environment, source, flags)),
    );
}
