/** `slipway bundle …`: names, arguments and options. */
import { InvalidArgumentError, Option, type Command } from 'commander';
import {
  append,
  colourOption,
  outputOption,
  registryOptions,
  withExamples,
  type OutputFlags,
  type Perform,
} from '../flags.ts';
import { defineComparisons } from './compare-commands.ts';
import { defineTest, defineTry } from './trial/commands.ts';
import type { BundleBuildFlags } from './build.ts';
import type { InitFlags } from './init.ts';
import type { BundlePushFlags } from './push.ts';
import type { RenderFlags } from './render.ts';
import type { BundleValidateFlags } from './validate.ts';
import type { RegistryFlags } from '../input/registry.ts';

const SOURCE = 'folder with manifests/ and metadata/, or image of a bundle';
const SUITES = ['install', 'format', 'operatorhub', 'community', 'good-practices', 'removed-apis'];

export function defineBundleCommands(program: Command, perform: Perform): void {
  const bundle = program.command('bundle').description('one version of an operator: check, render, publish');
  defineInit(bundle, perform);
  defineChecks(bundle, perform);
  defineImages(bundle, perform);
  defineComparisons(bundle, perform);
  defineTest(bundle, perform);
  defineTry(program, perform);
}

function defineInit(bundle: Command, perform: Perform): void {
  const init = registryOptions(bundle.command('init'))
    .description(
      'Makes a bundle of the objects by which an operator is installed: plain YAML, a kustomization, a Helm chart, or those of a cluster. It names the place of every object; a second run changes nothing, and edits of the ClusterServiceVersion stay.',
    )
    .argument('<dir>', 'folder of the bundle: new, or one that is brought up to date')
    .requiredOption(
      '--from <source...>',
      'folders and files of YAML, folders with a kustomization, - for stdin, chart <ref>: a chart that helm renders, or live <namespace>: the operator that runs there',
    )
    .option('--package <name>', 'name of the package (default: that of the bundle in the folder, or of the folder)')
    .option(
      '--version <version>',
      'version of the bundle (default: that of the bundle in the folder, or the tag of an image)',
    )
    .option(
      '--replaces <name>',
      'bundle that this one replaces (default: the one in the folder if its version is another)',
    )
    .option('--channel <name>', 'channel that offers the bundle, again for more (default: stable)', append)
    .option('--default-channel <name>', 'channel of a Subscription that names none')
    .addOption(
      new Option(
        '--install-mode <name>',
        'namespaces that the operator can watch, again for more (default: all if its rights are for all, else its own)',
      )
        .choices(MODES)
        .argParser(oneOf(MODES)),
    )
    .option('--pin', 'ask registries for the digests of images, and name images by digest');
  withExamples(
    init,
    'slipway bundle init lamp --from config/default --package lamp-operator --version 1.0.0',
    'slipway bundle init lamp --from chart oci://registry.example/charts/lamp --chart-version 1.2.0',
    'slipway bundle init lamp --from live lamp-system --context prod',
    'kustomize build config/default | slipway bundle init lamp --from - --samples config/samples',
  );
  defineObjects(init);
  defineChart(init);
  defineLive(init);
  defineWords(init)
    .option('--prune', 'remove manifests whose objects are not in the source')
    .option('--dry-run', 'write nothing')
    .option('--strict', 'warnings make exit code 2, too')
    .addOption(colourOption())
    .addOption(outputOption())
    .action((folder: string, flags: InitFlags & OutputFlags) =>
      perform(flags, async (environment) => (await import('./init.ts')).init(environment, folder, flags)),
    );
}

/** Options about single objects of the source. */
function defineObjects(init: Command): void {
  init
    .option('--samples <path>', 'folder or file with examples of custom resources; again for more', append)
    .addOption(
      new Option(
        '--custom-resources <use>',
        'use of custom resources in the source: examples in the CSV, or a part of the installation',
      )
        .choices(['examples', 'install'])
        .default('examples'),
    )
    .option(
      '--leave-out <kind[/name]>',
      'objects that the operator works without, as in Job.batch/migrate; again for more',
      append,
    );
}

/** Options that are handed on to helm. */
function defineChart(init: Command): void {
  init
    .option('--values <file>', 'values of the chart; again for more', append)
    .option('--set <key=value>', 'value of the chart; again for more', append)
    .option('--chart-version <version>', 'version of a chart in a repository');
}

/** Options about the cluster of `--from live`; it is read, and nothing in it is changed. */
function defineLive(init: Command): void {
  init
    .option(
      '--include <kind/name>',
      'object of the cluster to take in any case, as in Secret/token; again for more',
      append,
    )
    .option('--kubeconfig <file>', 'kubeconfig file (default: those of KUBECONFIG, or ~/.kube/config)')
    .option('--context <name>', 'context of the kubeconfig (default: its current one)');
}

/** Texts that hubs show; they replace those of the ClusterServiceVersion. */
function defineWords(init: Command): Command {
  return init
    .option('--display-name <text>', 'name for people')
    .option('--description <text>', 'description, in Markdown')
    .option('--icon <file>', 'file with the icon: .svg, .png, .jpg or .gif')
    .option('--provider <name>', 'organization that publishes the operator')
    .option('--maintainer <person>', '"Name <address>"; again for more', append)
    .option('--maturity <text>', 'alpha, beta or stable')
    .option('--min-kube-version <version>', 'oldest version of Kubernetes that the operator works with');
}

const MODES = ['AllNamespaces', 'OwnNamespace', 'SingleNamespace', 'MultiNamespace'];

function defineChecks(bundle: Command, perform: Perform): void {
  withExamples(
    registryOptions(bundle.command('validate')),
    'slipway bundle validate lamp --suite operatorhub --strict',
    'slipway bundle validate registry.example/team/lamp-operator:v1.0.0 -o json',
  )
    .description('Checks everything that keeps a bundle from being installed or published, and gives advice.')
    .argument('<dir|ref>', SOURCE)
    .addOption(
      new Option('--suite <name>', 'only these checks, again for more (default: all but community)')
        .choices(SUITES)
        .argParser(oneOf(SUITES)),
    )
    .option('--kubernetes-version <version>', 'version that the bundle is to work with')
    .option('--category <name>', 'category that the hub knows, instead of the usual ones; again for more', append)
    .option('--dockerfile <file>', "Dockerfile of the bundle's image, for its labels; adds community")
    .option('--strict', 'warnings make exit code 2, too')
    .addOption(colourOption())
    .addOption(outputOption())
    .action((source: string, flags: BundleValidateFlags & OutputFlags) =>
      perform(flags, async (environment) => (await import('./validate.ts')).validate(environment, source, flags)),
    );
  withExamples(
    registryOptions(bundle.command('render')),
    'slipway bundle render lamp --namespace lights',
    'slipway bundle render lamp --namespace lights --certificates manager -o json',
  )
    .description('Prints the objects that installing a bundle applies, in the order of application.')
    .argument('<dir|ref>', SOURCE)
    .requiredOption('--namespace <name>', 'namespace of the operator')
    .option(
      '--watch-namespace <name>',
      'namespace to watch, "" for all; again for more (default: as the bundle allows)',
      append,
    )
    .option('--config <file>', 'file with changes to the Deployments, as in spec.config of a Subscription')
    .addOption(
      new Option(
        '--certificates <issuer>',
        'issuer of the certificates of webhooks and APIServices; a Subscription has the manager. Without an issuer, nothing that needs a certificate is mounted, and APIServices are left out (default: none)',
      ).choices(['none', 'manager', 'cert-manager']),
    )
    .addOption(outputOption(['yaml', 'json']))
    .action((source: string, flags: RenderFlags & OutputFlags) =>
      perform(flags, async (environment) => (await import('./render.ts')).render(environment, source, flags)),
    );
  withExamples(
    registryOptions(bundle.command('inspect')),
    'slipway bundle inspect registry.example/team/lamp-operator:v1.0.0',
  )
    .description('Shows the facts of a bundle: its version, APIs, objects, images and dependencies.')
    .argument('<dir|ref>', SOURCE)
    .addOption(outputOption())
    .action((source: string, flags: RegistryFlags & OutputFlags) =>
      perform(flags, async (environment) => (await import('./inspect.ts')).inspect(environment, source, flags)),
    );
}

function defineImages(bundle: Command, perform: Perform): void {
  withExamples(bundle.command('build'), 'slipway bundle build lamp dist/lamp --tag v1.0.0')
    .description('Writes the image of a bundle into a folder, as an OCI image layout, and prints its digest.')
    .argument('<dir>', 'folder with manifests/ and metadata/')
    .argument('<layout>', 'folder to write to; one that is a layout gets a further image')
    .option('--tag <name>', 'name of the image in the layout')
    .option('--no-check', 'build even a bundle that cannot be installed')
    .addOption(outputOption())
    .action((source: string, layout: string, flags: BundleBuildFlags & OutputFlags) =>
      perform(flags, async (environment) => (await import('./build.ts')).build(environment, source, layout, flags)),
    );
  withExamples(
    registryOptions(bundle.command('push')),
    'slipway bundle push lamp registry.example/team/lamp-operator:v1.0.0',
  )
    .description('Pushes a bundle as an image, the same bytes from every machine, and prints its digest.')
    .argument('<dir>', 'folder with manifests/ and metadata/, or a layout that holds the image')
    .argument(
      '<ref>',
      'image to push to, with its registry and a tag; a tag that is a version has to be that of the bundle',
    )
    .option('--no-check', 'push even a bundle that cannot be installed, and under any tag')
    .addOption(outputOption())
    .action((source: string, target: string, flags: BundlePushFlags & OutputFlags) =>
      perform(flags, async (environment) => (await import('./push.ts')).push(environment, source, target, flags)),
    );
  withExamples(
    registryOptions(bundle.command('pull')),
    'slipway bundle pull registry.example/team/lamp-operator:v1.0.0 lamp',
  )
    .description('Writes the files of a bundle into a folder.')
    .argument('<ref>', 'image of a bundle, or a layout that holds it')
    .argument('<dir>', 'folder to write to, new or empty')
    .addOption(outputOption())
    .action((source: string, folder: string, flags: RegistryFlags & OutputFlags) =>
      perform(flags, async (environment) => (await import('./pull.ts')).pull(environment, source, folder, flags)),
    );
}

/** Parses an option that takes one of several values, and can be given several times. */
function oneOf(
  choices: readonly string[],
): (value: string, values: readonly string[] | undefined) => readonly string[] {
  return (value, values) => {
    if (!choices.includes(value)) throw new InvalidArgumentError(`It is one of ${choices.join(', ')}.`);
    return append(value, values);
  };
}
