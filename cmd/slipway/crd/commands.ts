/** `slipway crd …`: names, arguments and options. */
import type { Command } from 'commander';
import { outputOption, registryOptions, withExamples, type OutputFlags, type Perform } from '../flags.ts';
import type { RegistryFlags } from '../input/registry.ts';

const SOURCE = 'file with CRDs, folder of a bundle, or image of one';

export function defineCrdCommands(program: Command, perform: Perform): void {
  const crd = program.command('crd').description('CustomResourceDefinitions: compare two versions');
  withExamples(registryOptions(crd.command('diff')), 'slipway crd diff lamp/1.0.0 lamp/1.1.0')
    .description(
      'Compares CRDs by the rules of the CRD safety check: exit code 2 if existing objects could lose data or be rejected.',
    )
    .argument('<old>', SOURCE)
    .argument('<new>', 'the same, with the CRDs that are to replace them')
    .addOption(outputOption())
    .action((old: string, next: string, flags: RegistryFlags & OutputFlags) =>
      perform(flags, async (environment) => (await import('./diff.ts')).diff(environment, { old, next }, flags)),
    );
}
