/** `slipway list` and `slipway search`: names, arguments and options. */
import type { Command } from 'commander';
import { clusterOptions, outputOption, withExamples, type Perform } from '../flags.ts';
import type { OfferFlags } from './offers/offers.ts';

export function defineOfferCommands(program: Command, perform: Perform): void {
  withExamples(
    offerOptions(program.command('list'))
      .description('Lists the packages that the Catalogs of the cluster offer, or the versions of one package.')
      .argument('[package]', 'name of a package (default: all packages)')
      .action((name: string | undefined, flags: OfferFlags) =>
        perform(flags, async (environment) => (await import('./offers/offers.ts')).list(environment, name, flags)),
      ),
    'slipway list',
    'slipway list beacon-operator --catalog examples',
  );
  withExamples(
    offerOptions(program.command('search'))
      .description(
        'Searches the names and descriptions of the packages that the Catalogs of the cluster offer. The exit code is 2 if no package is found.',
      )
      .argument('<term>', 'part of a name or a description, in any case')
      .action((term: string, flags: OfferFlags) =>
        perform(flags, async (environment) => (await import('./offers/offers.ts')).search(environment, term, flags)),
      ),
    'slipway search certificates',
  );
}

function offerOptions(command: Command): Command {
  return clusterOptions(command)
    .option('--catalog <name>', 'the only Catalog to read (default: all)')
    .option('--system-namespace <name>', 'namespace of the manager, which serves the content', 'slipway-system')
    .option('--manager-url <url>', "address of the manager's port http (default: the API server forwards the request)")
    .addOption(outputOption(['text', 'json', 'yaml']));
}
