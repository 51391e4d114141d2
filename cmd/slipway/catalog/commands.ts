/** `slipway catalog …`: names, arguments and options. */
import { Argument, Option, type Command } from 'commander';
import {
  append,
  colourOption,
  outputOption,
  registryOptions,
  withExamples,
  type OutputFlags,
  type Perform,
} from '../flags.ts';
import type { CatalogDiffFlags } from './diff.ts';
import { defineEdits } from './edit/commands.ts';
import type { CatalogBuildFlags } from './build.ts';
import type { GraphFlags } from './graph/graph.ts';
import type { LintFlags } from './lint.ts';
import type { ListFlags } from './list.ts';
import type { ListName } from './list-rows.ts';
import type { CatalogPushFlags } from './push.ts';
import type { CatalogValidateFlags } from './validate.ts';

const SOURCE = 'folder or file of a file-based catalog, or image of one';

export function defineCatalogCommands(program: Command, perform: Perform): void {
  const catalog = program
    .command('catalog')
    .description('packages, channels and bundles on offer: build, check, edit, publish, list');
  defineReaders(catalog, perform);
  defineWriters(catalog, perform);
  defineEdits(catalog, perform);
}

function defineReaders(catalog: Command, perform: Perform): void {
  withExamples(registryOptions(catalog.command('validate')), 'slipway catalog validate catalog --strict')
    .description('Checks a catalog by the rules of its format.')
    .argument('<dir|ref>', SOURCE)
    .option('--strict', 'warnings make exit code 2, too')
    .addOption(colourOption())
    .addOption(outputOption())
    .action((source: string, flags: CatalogValidateFlags & OutputFlags) =>
      perform(flags, async (environment) => (await import('./validate.ts')).validate(environment, source, flags)),
    );
  withExamples(registryOptions(catalog.command('lint')), 'slipway catalog lint catalog --package lamp-operator')
    .description(
      'Finds faults of the upgrade graph that leave users without an upgrade: versions from which no upgrade leads to the head, ways over skipped versions, versions that are gone, images without digest.',
    )
    .argument('<dir|ref>', SOURCE)
    .option('--package <name>', 'only this package')
    .option('--strict', 'warnings make exit code 2, too')
    .addOption(colourOption())
    .addOption(outputOption())
    .action((source: string, flags: LintFlags & OutputFlags) =>
      perform(flags, async (environment) => (await import('./lint.ts')).lint(environment, source, flags)),
    );
  defineGraph(catalog, perform);
  defineDiff(catalog, perform);
  withExamples(
    registryOptions(catalog.command('list')),
    'slipway catalog list registry.example/team/catalog:latest',
    'slipway catalog list catalog bundles --package lamp-operator -o json',
  )
    .description('Lists the packages, channels or bundles of a catalog.')
    .argument('<dir|ref>', SOURCE)
    .addArgument(
      new Argument('[what]', 'part of the catalog to list')
        .choices(['packages', 'channels', 'bundles'])
        .default('packages'),
    )
    .option('--package <name>', 'only of this package')
    .addOption(outputOption())
    .action((source: string, what: ListName, flags: ListFlags & OutputFlags) =>
      perform(flags, async (environment) => (await import('./list.ts')).list(environment, source, what, flags)),
    );
}

function defineGraph(catalog: Command, perform: Perform): void {
  withExamples(
    registryOptions(catalog.command('graph')),
    'slipway catalog graph catalog lamp-operator',
    'slipway catalog graph registry.example/team/catalog:v1 lamp-operator --channel stable -o svg > lamp.svg',
  )
    .description(
      'Draws the upgrade graph of a package: each channel is a lane, with its head and the versions that are deprecated, skipped, missing, or stranded without a way to the head.',
    )
    .argument('<dir|ref>', SOURCE)
    .argument('<package>', 'package of the catalog')
    .option('--channel <name>', 'only this channel; again for more', append)
    .addOption(outputOption(['text', 'mermaid', 'dot', 'svg', 'json']))
    .action((source: string, packageName: string, flags: GraphFlags) =>
      perform(flags, async (environment) =>
        (await import('./graph/graph.ts')).graph(environment, source, packageName, flags),
      ),
    );
}

function defineDiff(catalog: Command, perform: Perform): void {
  withExamples(
    registryOptions(catalog.command('diff')),
    'slipway catalog diff registry.example/team/catalog:v1 catalog',
    'slipway catalog diff old new --package lamp-operator -o markdown',
  )
    .description(
      'Compares two catalogs: packages, bundles, channels, edges and deprecations that are added, removed or changed.',
    )
    .argument('<old>', SOURCE)
    .argument('<new>', SOURCE)
    .option('--package <name>', 'only this package')
    .addOption(outputOption(['text', 'json', 'markdown']))
    .action((from: string, to: string, flags: CatalogDiffFlags) =>
      perform(flags, async (environment) => (await import('./diff.ts')).diff(environment, from, to, flags)),
    );
}

function defineWriters(catalog: Command, perform: Perform): void {
  withExamples(
    registryOptions(catalog.command('build')),
    'slipway catalog build catalog lamp/1.0.0 lamp/1.1.0 --image-template registry.example/team/{package}:v{version}',
    'slipway catalog build catalog template.yaml --pin',
  )
    .description(
      'Writes a catalog from templates, or from bundles: each package gets the channels and edges that its bundles state, or, if they state none, edges from every version to every higher one.',
    )
    .argument('<dir>', 'folder to write to: <package>/catalog.json for each package')
    .argument('<source...>', 'files with a template (olm.template.basic, olm.semver); folders and images of bundles')
    .option(
      '--image-template <ref>',
      "where the image of a bundle's folder is: registry.example/team/{package}:v{version}",
    )
    .option('--pin', 'name the images of bundles by digest')
    .addOption(
      new Option('--manifests <how>', 'how manifests are carried; objects for clusters before OLM v1')
        .choices(['excerpt', 'objects'])
        .default('excerpt'),
    )
    .addOption(
      new Option(
        '--graph <which>',
        'upgrade graph of bundles: the edges that they state, or edges from every version to every higher one',
      )
        .choices(['stated', 'versions'])
        .default('stated'),
    )
    .option('--no-check', 'write it even with errors')
    .addOption(outputOption())
    .action((folder: string, sources: readonly string[], flags: CatalogBuildFlags & OutputFlags) =>
      perform(flags, async (environment) => (await import('./build.ts')).build(environment, folder, sources, flags)),
    );
  withExamples(
    registryOptions(catalog.command('push')),
    'slipway catalog push catalog registry.example/team/catalog:latest',
  )
    .description('Pushes a catalog as an image, the same bytes from every machine, and prints its digest.')
    .argument('<dir>', 'folder or file of a file-based catalog')
    .argument('<ref>', 'where to, with a tag')
    .option('--no-check', 'push it even with errors')
    .addOption(outputOption())
    .action((source: string, target: string, flags: CatalogPushFlags & OutputFlags) =>
      perform(flags, async (environment) => (await import('./push.ts')).push(environment, source, target, flags)),
    );
}
