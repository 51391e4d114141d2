/** `slipway get`, `status`, `tree`, `events`, `history` and `outdated`: names, arguments and options. */
import { Argument, Option, type Command } from 'commander';
import { append, clusterOptions, outputOption, registryOptions, withExamples, type Perform } from '../flags.ts';
import type { EventFlags } from './events.ts';
import type { ReadFlags } from './flags.ts';
import type { OutdatedFlags } from './outdated.ts';

const DOCUMENTS = ['text', 'json', 'yaml'];
const TABLES = ['table', 'wide', 'json', 'yaml', 'name'];
const TARGET = 'NAME or NAMESPACE/NAME of the Subscription';

export function defineReadingCommands(program: Command, perform: Perform): void {
  defineLists(program, perform);
  defineOutdated(program, perform);
  defineViews(program, perform);
}

function defineLists(program: Command, perform: Perform): void {
  withExamples(
    listOptions(program.command('get'))
      .description('Lists Subscriptions, Revisions, Catalogs or RegistryPolicies as tables, or prints the objects.')
      .addArgument(
        new Argument('[kind]', 'subscriptions, revisions, catalogs, registrypolicies or all').default('subscriptions'),
      )
      .argument('[name...]', 'only the objects of these names')
      .option('-w, --watch', 'print changes until interrupted')
      .addOption(outputOption(TABLES))
      .action((kind: string, names: readonly string[], flags: ReadFlags) =>
        perform(flags, async (environment) => (await import('./get.ts')).get(environment, kind, names, flags)),
      ),
    'slipway get -A',
    'slipway get revisions -n lights -o wide',
    'slipway get catalogs --watch',
  );
  withExamples(
    clusterOptions(program.command('events'))
      .description("Shows the events of Slipway's objects, the oldest first.")
      .argument('[name]', `${TARGET}, with its Revisions (default: all objects of the namespace)`)
      .option('-A, --all-namespaces', 'those of all namespaces')
      .option('-w, --watch', 'print further events until interrupted')
      .option('--warnings', 'only events of the type Warning')
      .addOption(outputOption(DOCUMENTS))
      .action((name: string | undefined, flags: EventFlags) =>
        perform(flags, async (environment) => (await import('./events.ts')).events(environment, name, flags)),
      ),
    'slipway events lights/beacon',
    'slipway events -A --warnings --watch',
  );
}

function defineOutdated(program: Command, perform: Perform): void {
  withExamples(
    registryOptions(listOptions(program.command('outdated')))
      .description(
        'Lists operators for which a newer version exists, with the reason why it is not installed. With --write it raises exact versions in files of manifests, and changes nothing else in them. The exit code is 2 if there are newer versions.',
      )
      .option(
        '--write <file...>',
        'files with Subscriptions: raise each exact spec.version to the newest version that the edges of the catalog lead to',
      )
      .option(
        '--catalog <source>',
        'folder or file of a file-based catalog, or image of one, in place of the Catalogs of the cluster; again for more; with --write',
        append,
      )
      .option('--kubernetes-version <version>', 'version of the cluster that bundles must support; with --catalog')
      .addOption(
        new Option('--dry-run <how>', 'client: write no file, and report the versions; with --write').choices([
          'client',
        ]),
      )
      .option('--system-namespace <name>', 'namespace of the manager, which serves the content', 'slipway-system')
      .option(
        '--manager-url <url>',
        "address of the manager's port http (default: the API server forwards the request)",
      )
      .addOption(outputOption(DOCUMENTS))
      .action((flags: OutdatedFlags) =>
        perform(flags, async (environment) => (await import('./outdated.ts')).outdated(environment, flags)),
      ),
    'slipway outdated -A',
    'slipway outdated -n lights -o json',
    'slipway outdated --write clusters/prod/beacon.yaml --catalog registry.example/catalog:latest',
  );
}

function defineViews(program: Command, perform: Perform): void {
  withExamples(
    clusterOptions(program.command('status'))
      .description(
        'Shows one Subscription on one screen: the installed and available version, the phases of a roll-out, problems, and the commands that help.',
      )
      .argument('<name>', TARGET)
      .option('-w, --watch', 'print the screen again after each change, until interrupted')
      .addOption(outputOption(DOCUMENTS))
      .action((name: string, flags: ReadFlags) =>
        perform(flags, async (environment) => (await import('./status.ts')).status(environment, name, flags)),
      ),
    'slipway status lights/beacon',
    'slipway status beacon -n lights --watch',
  );
  withExamples(
    clusterOptions(program.command('tree'))
      .description('Shows a Subscription with its Revisions, their objects and Pods, and the health of each.')
      .argument('<name>', TARGET)
      .option('-w, --watch', 'print the tree again after each change, until interrupted')
      .addOption(outputOption(DOCUMENTS))
      .action((name: string, flags: ReadFlags) =>
        perform(flags, async (environment) => (await import('./tree.ts')).tree(environment, name, flags)),
      ),
    'slipway tree lights/beacon',
    'slipway tree beacon -n lights --watch',
  );
  withExamples(
    clusterOptions(program.command('history'))
      .description(
        'Lists the Revisions of a Subscription: how long each took and was in use, which program approved it, and why it ended.',
      )
      .argument('<name>', TARGET)
      .option('-w, --watch', 'print the table again after each change, until interrupted')
      .addOption(outputOption(DOCUMENTS))
      .action((name: string, flags: ReadFlags) =>
        perform(flags, async (environment) => (await import('./history.ts')).history(environment, name, flags)),
      ),
    'slipway history lights/beacon',
    'slipway history beacon -n lights --watch',
  );
}

function listOptions(command: Command): Command {
  return clusterOptions(command)
    .option('-A, --all-namespaces', 'those of all namespaces')
    .option('-l, --selector <labels>', 'only objects with these labels: app=lights,tier!=test');
}
