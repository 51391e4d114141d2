/** `slipway mirror …`: names, arguments and options. */
import type { Command } from 'commander';
import { append, outputOption, registryOptions, withExamples, type OutputFlags, type Perform } from '../flags.ts';
import type { RegistryFlags } from '../input/registry.ts';
import type { MirrorPullFlags } from './pull.ts';

export function defineMirrorCommands(program: Command, perform: Perform): void {
  const mirror = program
    .command('mirror')
    .description(
      'Takes packages with all that they need to a place without internet: into a folder, and into a registry',
    );
  definePull(mirror, perform);
  definePush(mirror, perform);
  defineVerify(mirror, perform);
}

function definePull(mirror: Command, perform: Perform): void {
  const pull = registryOptions(mirror.command('pull'))
    .description(
      'Collects packages, their dependencies, the images that their Pods run and all signatures in a folder, as an OCI image layout. A run that was interrupted is continued.',
    )
    .argument('<folder>', 'new folder, or one of an earlier run')
    .requiredOption('--catalog <ref>', 'catalog image; again for more, those that are named first go before', append)
    .requiredOption(
      '--package <name[@range]>',
      'package: its latest version, or all in a range; again for more',
      append,
    )
    .option('--whole-catalogs', 'takes the catalog images as they are, with their signatures, and not cut down')
    .option('--since <folder>', 'folder of an earlier run, whose content is left out; again for more', append)
    .addOption(outputOption())
    .action((folder: string, flags: MirrorPullFlags & OutputFlags) =>
      perform(flags, async (environment) => (await import('./pull.ts')).pull(environment, folder, flags)),
    );
  withExamples(
    pull,
    "slipway mirror pull airgap --catalog quay.io/team/catalog:v1 --package 'gadget@>=1.0.0'",
    "slipway mirror pull airgap-2 --since airgap --catalog quay.io/team/catalog:v1 --package 'gadget@>=1.0.0'",
  );
}

function definePush(mirror: Command, perform: Perform): void {
  const push = registryOptions(mirror.command('push'))
    .description(
      'Puts the content of a folder into a registry, and writes the RegistryPolicies that rewrite names to it into the folder.',
    )
    .argument('<folder>', 'folder of "slipway mirror pull"')
    .argument('<prefix>', 'registry, or registry with the beginning of a path, that gets the images')
    .option('--since <folder>', 'folder with the content that this one leaves out; again for more', append)
    .addOption(outputOption())
    .action(
      (folder: string, prefix: string, flags: RegistryFlags & { readonly since?: readonly string[] } & OutputFlags) =>
        perform(flags, async (environment) => (await import('./push.ts')).push(environment, { folder, prefix }, flags)),
    );
  withExamples(push, 'slipway mirror push airgap mirror.example/operators');
}

function defineVerify(mirror: Command, perform: Perform): void {
  const verify = registryOptions(mirror.command('verify'))
    .description(
      'Proves that nothing is missing: every blob of every image, and every image that a catalog, bundle or Pod names. Exit code 2 if something is.',
    )
    .argument('<folder>', 'folder of "slipway mirror pull"')
    .argument('[prefix]', 'the prefix of "slipway mirror push": checks the registry in place of the folder')
    .option('--since <folder>', 'folder with the content that this one leaves out; again for more', append)
    .addOption(outputOption())
    .action(
      (
        folder: string,
        prefix: string | undefined,
        flags: RegistryFlags & { readonly since?: readonly string[] } & OutputFlags,
      ) =>
        perform(flags, async (environment) =>
          (await import('./verify.ts')).verify(environment, { folder, prefix }, flags),
        ),
    );
  withExamples(verify, 'slipway mirror verify airgap', 'slipway mirror verify airgap mirror.example/operators');
}
