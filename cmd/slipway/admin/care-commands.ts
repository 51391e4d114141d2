/** `slipway doctor` and `slipway logs`: names, arguments and options. */
import type { Command } from 'commander';
import { VERSION } from '../../serving/version.ts';
import { clusterOptions, connectionOptions, outputOption, withExamples, type Perform } from '../flags.ts';
import type { DoctorFlags } from './doctor/doctor.ts';
import type { LogFlags } from './logs.ts';
import type { VersionFlags } from './version.ts';

const SYSTEM_NAMESPACE = 'slipway-system';

export function defineCareCommands(program: Command, perform: Perform): void {
  withExamples(
    systemOption(connectionOptions(program.command('doctor')))
      .description(
        'Checks Slipway itself: CRDs, the manager with its version, rights, leader and clock, the policy about accounts, Catalogs, and whether each Subscription was reconciled. The exit code is 2 if there are errors.',
      )
      .addOption(outputOption(['text', 'json', 'yaml']))
      .action((flags: DoctorFlags) =>
        perform(flags, async (environment) => (await import('./doctor/doctor.ts')).doctor(environment, VERSION, flags)),
      ),
    'slipway doctor',
  );
  withExamples(
    systemOption(clusterOptions(program.command('logs')))
      .description("Prints the logs of an operator's Pods, or of the manager.")
      .argument('[name]', 'NAME or NAMESPACE/NAME of the Subscription')
      .option('--manager', 'the logs of the manager')
      .option('-f, --follow', 'print further lines until interrupted')
      .option('--previous', 'the logs of the containers before their last restart')
      .option('--tail <lines>', 'begin with so many lines', '100')
      .addOption(outputOption(['text', 'json']))
      .action((name: string | undefined, flags: LogFlags) =>
        perform(flags, async (environment) => (await import('./logs.ts')).logs(environment, name, flags)),
      ),
    'slipway logs lights/beacon --follow',
    'slipway logs --manager --tail 20',
  );
  defineVersion(program, perform);
}

function defineVersion(program: Command, perform: Perform): void {
  withExamples(
    systemOption(connectionOptions(program.command('version')))
      .description('Shows the version of this program, of the manager in the cluster, and of Kubernetes.')
      .option('--client', 'only that of this program: no cluster is asked')
      .addOption(outputOption(['text', 'json', 'yaml']))
      .action((flags: VersionFlags) =>
        perform(flags, async (environment) => (await import('./version.ts')).version(environment, VERSION, flags)),
      ),
    'slipway version',
    'slipway version --client -o json',
  );
}

function systemOption(command: Command): Command {
  return command.option('--system-namespace <name>', 'namespace of the manager', SYSTEM_NAMESPACE);
}
