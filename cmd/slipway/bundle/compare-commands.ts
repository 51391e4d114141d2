/** `slipway bundle diff` and `export`: arguments and options. */
import { Option, type Command } from 'commander';
import { append, outputOption, registryOptions, withExamples, type OutputFlags, type Perform } from '../flags.ts';
import type { BundleDiffFlags } from './diff.ts';
import type { ExportFlags } from './export/export.ts';

const SOURCE = 'folder with manifests/ and metadata/, or image of a bundle';

export function defineComparisons(bundle: Command, perform: Perform): void {
  defineDiff(bundle, perform);
  defineExport(bundle, perform);
}

function defineDiff(bundle: Command, perform: Perform): void {
  rendering(
    withExamples(
      registryOptions(bundle.command('diff')),
      'slipway bundle diff registry.example/team/lamp-operator:v1.0.0 lamp',
      'slipway bundle diff registry.example/team/lamp-operator:v1.0.0 lamp -o markdown',
    )
      .description(
        'Compares two bundles of a package: objects field by field, rights in words, images, CRDs with the result of the safety check, webhooks and dependencies.',
      )
      .argument('<old>', SOURCE)
      .argument('<new>', SOURCE)
      .option('--namespace <name>', 'namespace for which both are rendered', 'operators'),
  )
    .addOption(outputOption(['text', 'json', 'markdown']))
    .action((from: string, to: string, flags: BundleDiffFlags) =>
      perform(flags, async (environment) => (await import('./diff.ts')).diff(environment, from, to, flags)),
    );
}

function defineExport(bundle: Command, perform: Perform): void {
  rendering(
    withExamples(
      registryOptions(bundle.command('export')),
      'slipway bundle export lamp lamp-kustomize --as kustomize --namespace lights',
      'slipway bundle export registry.example/team/lamp-operator:v1.0.0 lamp-chart --as chart',
    )
      .description(
        'Writes the objects that an installation applies as a kustomization or a Helm chart, for clusters without Slipway.',
      )
      .argument('<dir|ref>', SOURCE)
      .argument('<dir>', 'folder to write to, new or empty')
      .addOption(
        new Option('--as <format>', 'format of the files').choices(['kustomize', 'chart']).makeOptionMandatory(),
      )
      .option('--namespace <name>', 'namespace of the operator in a kustomization; a chart takes that of its release'),
  )
    .addOption(
      new Option(
        '--certificates <issuer>',
        'issuer of the certificates of webhooks (default: cert-manager if something needs one)',
      ).choices(['none', 'cert-manager']),
    )
    .addOption(outputOption())
    .action((source: string, folder: string, flags: ExportFlags & OutputFlags) =>
      perform(flags, async (environment) =>
        (await import('./export/export.ts')).exportBundle(environment, source, folder, flags),
      ),
    );
}

/** Options about how the objects are rendered. */
function rendering(command: Command): Command {
  return command
    .option(
      '--watch-namespace <name>',
      'namespace to watch, "" for all; again for more (default: as the bundle allows)',
      append,
    )
    .option('--config <file>', "changes to the operator's Deployments, as in spec.config of a Subscription");
}
