/** The commands that change a Subscription, or wait for it: names, arguments and options. */
import { Option, type Command } from 'commander';
import { append, clusterOptions, outputOption, withExamples, type Perform } from '../flags.ts';
import type { ActFlags } from './carry-out.ts';
import type { InstallFlags } from './install.ts';
import type { UpgradeFlags } from './intents.ts';
import type { UninstallFlags } from './uninstall.ts';
import type { WaitFlags } from './wait.ts';

const TARGET = 'NAME or NAMESPACE/NAME of the Subscription';

export function defineActingCommands(program: Command, perform: Perform): void {
  defineLife(program, perform);
  defineVersions(program, perform);
  defineSwitches(program, perform);
  defineWait(program, perform);
}

function defineLife(program: Command, perform: Perform): void {
  withExamples(
    actOptions(program.command('install'))
      .description('Creates a Subscription, so that the manager installs a package and keeps it up to date.')
      .argument('<package>', 'name of the package, as a Catalog offers it')
      .option('--name <name>', 'name of the Subscription (default: that of the package)')
      .option('--catalog <name>', 'the only Catalog to search (default: all by their priority)')
      .option('--channel <name>', 'channel, "*" for any (default: the default channel of the package)')
      .option('--version <range>', 'range of versions, or exactly one (default: any)')
      .addOption(
        new Option('--approval <how>', 'whether each version waits for an approval (default: Automatic)').choices([
          'Automatic',
          'Manual',
        ]),
      )
      .option('--service-account <name>', 'ServiceAccount of the namespace with whose rights the operator is installed')
      .option('--watch-namespace <name>', 'namespace that the operator watches; again for more', append)
      .action((name: string, flags: InstallFlags) =>
        perform(flags, async (environment) => (await import('./install.ts')).install(environment, name, flags)),
      ),
    'slipway install beacon-operator -n lights --name beacon',
    "slipway install beacon-operator -n lights --version '~1.0' --approval Manual --dry-run=client -o yaml",
  );
  withExamples(
    actOptions(program.command('uninstall'))
      .description('Deletes a Subscription, so that the manager uninstalls its operator.')
      .argument('<name>', TARGET)
      .option('--preview', 'delete nothing, and count the objects that would be deleted and those that would stay')
      .addOption(
        new Option('--custom-resources <policy>', 'policy for custom resources, instead of that of the spec').choices([
          'Retain',
          'Delete',
          'Block',
        ]),
      )
      .option('--orphan', 'leave every object of the operator in the cluster')
      .option(
        '--system-namespace <name>',
        'namespace of the manager, whose backups of adopted operators --preview reads',
        'slipway-system',
      )
      .action((name: string, flags: UninstallFlags) =>
        perform(flags, async (environment) => (await import('./uninstall.ts')).uninstall(environment, name, flags)),
      ),
    'slipway uninstall lights/beacon --preview',
    'slipway uninstall lights/beacon --custom-resources Delete',
    'slipway uninstall lights/beacon --orphan',
  );
}

function defineVersions(program: Command, perform: Perform): void {
  withExamples(
    actOptions(program.command('upgrade'))
      .description(
        'Requests another version or channel. Without options it approves the upgrade that waits, or has one tried again that failed.',
      )
      .argument('<name>', TARGET)
      .option('--version <range>', 'range of versions, or exactly one')
      .option('--channel <name>', 'channel, "*" for any')
      .option('--unpin', 'request any version, along the edges of the catalog')
      .addOption(
        new Option(
          '--edges <how>',
          'whether only the edges of the catalog lead to the version (default: Follow with --unpin, and if another version is named while the Subscription ignores edges; else no change)',
        ).choices(['Follow', 'Ignore']),
      )
      .action((name: string, flags: ActFlags & UpgradeFlags) =>
        perform(flags, async (environment) => (await import('./acting.ts')).upgrade(environment, name, flags)),
      ),
    'slipway upgrade lights/beacon --version 2.0.0',
    'slipway upgrade lights/beacon',
  );
  withExamples(
    actOptions(program.command('approve'))
      .description('Approves the Revision that waits. An approval cannot be taken back.')
      .argument('<name>', TARGET)
      .option('--version <version>', 'approve only this version, or the bundle of this name')
      .action((name: string, flags: ActFlags & { readonly version?: string }) =>
        perform(flags, async (environment) => (await import('./acting.ts')).approve(environment, name, flags)),
      ),
    'slipway approve lights/beacon --version 1.1.0',
  );
  withExamples(
    actOptions(program.command('rollback'))
      .description('Requests the version that worked before, against the edges of the catalog.')
      .argument('<name>', TARGET)
      .option('--to <version>', 'version, bundle or Revision (default: the one before)')
      .action((name: string, flags: ActFlags & { readonly to?: string }) =>
        perform(flags, async (environment) => (await import('./acting.ts')).rollback(environment, name, flags)),
      ),
    'slipway rollback lights/beacon',
    'slipway rollback lights/beacon --to 1.0.0 --dry-run=client -o yaml',
  );
}

function defineSwitches(program: Command, perform: Perform): void {
  withExamples(
    actOptions(program.command('suspend'))
      .description('Stops the work on a Subscription: no upgrade and no repair until it is resumed.')
      .argument('<name>', TARGET)
      .action((name: string, flags: ActFlags) =>
        perform(flags, async (environment) => (await import('./acting.ts')).suspend(environment, name, flags)),
      ),
    'slipway suspend lights/beacon',
  );
  withExamples(
    actOptions(program.command('resume'))
      .description('Ends a suspension.')
      .argument('<name>', TARGET)
      .action((name: string, flags: ActFlags) =>
        perform(flags, async (environment) => (await import('./acting.ts')).resume(environment, name, flags)),
      ),
    'slipway resume lights/beacon',
  );
  withExamples(
    actOptions(program.command('reconcile'))
      .description('Requests a reconcile now: versions that failed are tried again, and a Catalog asks its registry.')
      .argument('<name>', `${TARGET}, or catalog/NAME`)
      .action((name: string, flags: ActFlags) =>
        perform(flags, async (environment) => (await import('./acting.ts')).reconcile(environment, name, flags)),
      ),
    'slipway reconcile lights/beacon',
    'slipway reconcile catalog/examples',
  );
}

function defineWait(program: Command, perform: Perform): void {
  withExamples(
    clusterOptions(program.command('wait'))
      .description(
        'Waits until a Subscription is ready or has failed, with its progress on a terminal. The exit code is 0 if it is ready, 2 if it has failed, and 3 if the time is up.',
      )
      .argument('<name>', TARGET)
      .addOption(new Option('--for <state>', 'the state to wait for').choices(['ready', 'deleted']).default('ready'))
      .option('--version <version>', 'version, or name of the bundle, that has to be installed')
      .option('--timeout <duration>', 'how long to wait: 90s, 5m, 1h', '10m')
      .addOption(outputOption(['text', 'json', 'yaml']))
      .action((name: string, flags: WaitFlags) =>
        perform(flags, async (environment) => (await import('./wait.ts')).wait(environment, name, flags)),
      ),
    'slipway wait lights/beacon --version 2.0.0 --timeout 5m',
    'slipway wait lights/beacon --for deleted',
  );
}

function actOptions(command: Command): Command {
  return clusterOptions(command)
    .addOption(
      new Option('--dry-run <how>', 'client: send nothing, and print the object or patch with -o yaml').choices([
        'client',
      ]),
    )
    .addOption(outputOption(['text', 'json', 'yaml']));
}
