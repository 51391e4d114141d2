/** `slipway verify`: names, arguments and options. */
import { Option, type Command } from 'commander';
import { append, outputOption, registryOptions, withExamples, type OutputFlags, type Perform } from '../flags.ts';
import type { VerifyFlags } from './verify.ts';

export function defineVerifyCommands(program: Command, perform: Perform): void {
  const verify = registryOptions(program.command('verify'))
    .description(
      "Checks the signatures of an image as the manager does, offline but for the image's registry: exit code 2 if none is trusted.",
    )
    .argument('<ref>', 'image by tag or digest');
  trustOptions(verify)
    .addOption(outputOption())
    .action((reference: string, flags: VerifyFlags & OutputFlags) =>
      perform(flags, async (environment) => (await import('./verify.ts')).verify(environment, reference, flags)),
    );
  withExamples(
    verify,
    'slipway verify registry.example/team/gadget:v1.0.0 --key release.pub --transparency-log Ignore',
    'slipway verify registry.example/team/gadget:v1.0.0 --policy policies.yaml -o json',
  );
}

/** Adds the options that name the signers to trust. @param suffix Ends the first description. */
export function trustOptions(command: Command, suffix = ''): Command {
  return command
    .option('--key <file>', `public key in PEM form that is trusted; again for more${suffix}`, append)
    .addOption(
      new Option('--transparency-log <choice>', 'whether a signature by a key needs proof of a log')
        .choices(['Require', 'Ignore'])
        .default('Require'),
    )
    .option('--issuer <url>', 'issuer of the certificate that is trusted, with --subject')
    .option('--subject <text>', 'subject of that certificate; each * stands for any text')
    .option(
      '--attestation <type>',
      'predicate type of an attestation that the image must have too, as in https://slsa.dev/provenance; again for more',
      append,
    )
    .option('--trusted-root <file>', 'trusted_root.json (default: that of the public Sigstore instance)')
    .option('--policy <file>', 'RegistryPolicies or a Catalog, as manifests, in place of keys and identities');
}
