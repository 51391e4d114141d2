/** `slipway catalog add`, `remove` and `promote`: arguments and options of the commands that edit a catalog in a folder. */
import { Option, type Command } from 'commander';
import {
  append,
  colourOption,
  outputOption,
  registryOptions,
  withExamples,
  type OutputFlags,
  type Perform,
} from '../../flags.ts';
import type { AddFlags } from './add.ts';
import type { PromoteFlags } from './promote.ts';
import type { RemoveFlags } from './remove.ts';

const FOLDER = 'folder or file of a file-based catalog';

export function defineEdits(catalog: Command, perform: Perform): void {
  defineAdd(catalog, perform);
  defineRemove(catalog, perform);
  definePromote(catalog, perform);
}

function defineAdd(catalog: Command, perform: Perform): void {
  const add = withExamples(
    registryOptions(catalog.command('add')),
    'slipway catalog add catalog registry.example/team/lamp-operator:v1.2.0',
    "slipway catalog add catalog registry.example/team/lamp-operator:v2.0.0 --channel fast --skip-range '>=1.0.0 <2.0.0'",
  )
    .description(
      'Adds a bundle to a catalog in a folder, and keeps comments, order and layout of everything else. A second run changes nothing.',
    )
    .argument('<dir>', `${FOLDER}; one that does not exist is made`)
    .argument('<bundle>', 'image or folder of a bundle')
    .option(
      '--channel <name>',
      'channel that offers the bundle, again for more (default: those that the bundle states, else the default channel)',
      append,
    )
    .option(
      '--replaces <name>',
      'bundle that this one replaces (default: the edges that the bundle states, else the head of the channel)',
    )
    .option('--skips <name>', 'bundle that this one skips; again for more', append)
    .option('--skip-range <range>', 'versions that may upgrade to this one directly')
    .option(
      '--image-template <ref>',
      "where the image of a bundle's folder is: registry.example/team/{package}:v{version}",
    )
    .option('--pin', 'name the image of the bundle by digest')
    .addOption(
      new Option('--manifests <how>', 'how manifests are carried; objects for clusters before OLM v1')
        .choices(['excerpt', 'objects'])
        .default('excerpt'),
    );
  editOptions(add).action((folder: string, bundle: string, flags: AddFlags & OutputFlags) =>
    perform(flags, async (environment) => (await import('./add.ts')).add(environment, folder, bundle, flags)),
  );
}

function defineRemove(catalog: Command, perform: Perform): void {
  const remove = withExamples(
    catalog.command('remove'),
    'slipway catalog remove catalog lamp-operator 1.1.0',
    'slipway catalog remove catalog lamp-operator 1.1.0 --channel stable',
    'slipway catalog remove catalog lamp-operator',
  )
    .description(
      'Removes a version or a whole package from a catalog in a folder. The version that replaced it goes on from the one below it and skips the removed one, so that no user is stranded.',
    )
    .argument('<dir>', FOLDER)
    .argument('<package>', 'package of the catalog')
    .argument('[version]', 'version, or name of a bundle (default: the whole package)')
    .option('--channel <name>', 'only from this channel, again for more (default: from all)', append);
  editOptions(remove).action(
    (folder: string, packageName: string, version: string | undefined, flags: RemoveFlags & OutputFlags) =>
      perform(flags, async (environment) =>
        (await import('./remove.ts')).remove(
          environment,
          { folder, package: packageName, ...(version !== undefined && { version }) },
          flags,
        ),
      ),
  );
}

function definePromote(catalog: Command, perform: Perform): void {
  const promote = withExamples(
    catalog.command('promote'),
    'slipway catalog promote catalog lamp-operator 1.2.0 --from candidate --to stable',
  )
    .description(
      'Puts a version of one channel into another one, as the upgrade of its head, in a catalog in a folder. A second run changes nothing.',
    )
    .argument('<dir>', FOLDER)
    .argument('<package>', 'package of the catalog')
    .argument('<version>', 'version, or name of a bundle')
    .requiredOption('--from <channel>', 'channel that has the version')
    .requiredOption('--to <channel>', 'channel that gets it; one that does not exist is made');
  editOptions(promote).action(
    (folder: string, packageName: string, version: string, flags: PromoteFlags & OutputFlags) =>
      perform(flags, async (environment) =>
        (await import('./promote.ts')).promote(environment, { folder, package: packageName, version }, flags),
      ),
  );
}

function editOptions(command: Command): Command {
  return command
    .option('--dry-run', 'write nothing')
    .option('--no-check', 'write it even with new errors')
    .addOption(colourOption())
    .addOption(outputOption());
}
