/** `slipway bundle …`: names, arguments and options. */
import { InvalidArgumentError, Option, type Command } from 'commander';
import { append, colourOption, outputOption, registryOptions, type OutputFlags, type Perform } from '../flags.ts';
import type { BundleBuildFlags } from './build.ts';
import type { BundlePushFlags } from './push.ts';
import type { RenderFlags } from './render.ts';
import type { BundleValidateFlags } from './validate.ts';
import type { RegistryFlags } from '../input/registry.ts';

const SOURCE = 'folder with manifests/ and metadata/, or image of a bundle';
const SUITES = ['install', 'format', 'operatorhub', 'community', 'good-practices', 'removed-apis'];

export function defineBundleCommands(program: Command, perform: Perform): void {
  const bundle = program.command('bundle').description('one version of an operator: check, render, publish');
  defineChecks(bundle, perform);
  defineImages(bundle, perform);
}

function defineChecks(bundle: Command, perform: Perform): void {
  registryOptions(bundle.command('validate'))
    .description('Checks everything that keeps a bundle from being installed or published, and gives advice.')
    .argument('<dir|ref>', SOURCE)
    .addOption(
      new Option('--suite <name>', 'only these checks, again for more; absent, all but community')
        .choices(SUITES)
        .argParser(suite),
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
  registryOptions(bundle.command('render'))
    .description('Prints the objects that installing a bundle applies, in the order of application.')
    .argument('<dir|ref>', SOURCE)
    .requiredOption('--namespace <name>', 'where the operator is installed')
    .option(
      '--watch-namespace <name>',
      'namespace to watch, "" for all; again for more; absent, as the bundle allows',
      append,
    )
    .option('--config <file>', "changes to the operator's Deployments: what spec.config of a Subscription holds")
    .addOption(
      new Option(
        '--certificates <issuer>',
        'who issues the certificates of webhooks and APIServices: the manager, as for a Subscription, cert-manager, or none, which is so where it is absent; with none, nothing that needs a certificate is mounted, and APIServices are left out',
      ).choices(['none', 'manager', 'cert-manager']),
    )
    .addOption(outputOption(['yaml', 'json']))
    .action((source: string, flags: RenderFlags & OutputFlags) =>
      perform(flags, async (environment) => (await import('./render.ts')).render(environment, source, flags)),
    );
  registryOptions(bundle.command('inspect'))
    .description('Shows the facts of a bundle: its version, APIs, objects, images and dependencies.')
    .argument('<dir|ref>', SOURCE)
    .addOption(outputOption())
    .action((source: string, flags: RegistryFlags & OutputFlags) =>
      perform(flags, async (environment) => (await import('./inspect.ts')).inspect(environment, source, flags)),
    );
}

function defineImages(bundle: Command, perform: Perform): void {
  bundle
    .command('build')
    .description('Writes the image of a bundle into a folder, as an OCI image layout, and prints its digest.')
    .argument('<dir>', 'folder with manifests/ and metadata/')
    .argument('<layout>', 'folder to write to; one that is a layout gets a further image')
    .option('--tag <name>', 'name of the image in the layout')
    .option('--no-check', 'build even what cannot be installed')
    .addOption(outputOption())
    .action((source: string, layout: string, flags: BundleBuildFlags & OutputFlags) =>
      perform(flags, async (environment) => (await import('./build.ts')).build(environment, source, layout, flags)),
    );
  registryOptions(bundle.command('push'))
    .description('Pushes a bundle as an image, the same bytes from every machine, and prints its digest.')
    .argument('<dir>', 'folder with manifests/ and metadata/, or a layout that holds the image')
    .argument('<ref>', 'where to, with a tag')
    .option('--no-check', 'push even what cannot be installed')
    .addOption(outputOption())
    .action((source: string, target: string, flags: BundlePushFlags & OutputFlags) =>
      perform(flags, async (environment) => (await import('./push.ts')).push(environment, source, target, flags)),
    );
  registryOptions(bundle.command('pull'))
    .description('Writes the files of a bundle into a folder.')
    .argument('<ref>', 'image of a bundle, or a layout that holds it')
    .argument('<dir>', 'folder to write to, new or empty')
    .addOption(outputOption())
    .action((source: string, folder: string, flags: RegistryFlags & OutputFlags) =>
      perform(flags, async (environment) => (await import('./pull.ts')).pull(environment, source, folder, flags)),
    );
}

function suite(value: string, values: readonly string[] | undefined): readonly string[] {
  if (!SUITES.includes(value)) throw new InvalidArgumentError(`It is one of ${SUITES.join(', ')}.`);
  return append(value, values);
}
