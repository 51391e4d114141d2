/** `slipway plan`: names, arguments and options. */
import { InvalidArgumentError, Option, type Command } from 'commander';
import type { DenyRuleName } from '../../../plan/deny.ts';
import { append, outputOption, registryOptions, withExamples, type OutputFlags, type Perform } from '../flags.ts';
import { trustOptions } from '../verify/commands.ts';
import type { PlanFlags } from './flags.ts';

/** Written out, so that help loads nothing else; a test compares them with the closed list. */
export const DENY_NAMES: readonly DenyRuleName[] = [
  'rights-growth',
  'unsafe-crd',
  'other-registry',
  'major',
  'unsigned',
  'irreversible',
  'high',
];

export function definePlanCommands(program: Command, perform: Perform): void {
  const plan = registryOptions(program.command('plan'))
    .description(
      'Shows the effect of a change before it is made: objects, rights in words, images, CRDs, restarts and the risk; from a file and a catalog, or from a Subscription in the cluster.',
    )
    .argument('[namespace/name]', 'Subscription in the cluster, or its name alone; not with --file')
    .option('-f, --file <file>', 'file with the manifest of a Subscription')
    .option(
      '--catalog <source>',
      'folder or file of a file-based catalog, or image of one; again for more, each goes before those after it; with --file',
      append,
    )
    .option(
      '--from <version>',
      'version that is installed, or name of its bundle; with --file (default: nothing is installed)',
    )
    .option(
      '--bundle <dir|ref>',
      'bundle to read in place of the image that the catalog names; again for more; with --file',
      append,
    )
    .option('--kubernetes-version <version>', 'version of the cluster; with --file')
    .option('--uninstall', 'plan the uninstall of a Subscription in the cluster')
    .option(
      '--system-namespace <name>',
      'namespace of the manager, whose backups of adopted operators --uninstall reads',
      'slipway-system',
    )
    .addOption(
      new Option('--deny <rules>', `exit code 2 if the plan hits one of these: ${DENY_NAMES.join(', ')}`).argParser(
        denyRules,
      ),
    );
  trustOptions(plan, '; with --file')
    .option(
      '-n, --namespace <name>',
      "namespace of a Subscription that is named without one (default: that of the kubeconfig's context)",
    )
    .option('--kubeconfig <file>', 'kubeconfig file (default: those of KUBECONFIG, or ~/.kube/config)')
    .option('--context <name>', 'context of the kubeconfig (default: its current one)')
    .addOption(outputOption(['text', 'json', 'markdown']))
    .action((subject: string | undefined, flags: PlanFlags & OutputFlags) =>
      perform(flags, async (environment) => (await import('./plan.ts')).plan(environment, subject, flags)),
    );
  withExamples(
    plan,
    'slipway plan lights/beacon',
    'slipway plan --file beacon.yaml --catalog registry.example/team/catalog:latest --from 1.0.0 --deny major,irreversible -o markdown',
    'slipway plan --file beacon.yaml --catalog registry.example/team/catalog:latest --deny unsigned --policy policies.yaml',
  );
}

/** Reads a list with commas, and adds it to those before it. */
function denyRules(value: string, before: readonly DenyRuleName[] | undefined): readonly DenyRuleName[] {
  const names = value.split(',').map((name) => name.trim());
  const wrong = names.find((name) => !DENY_NAMES.some((rule) => rule === name));
  if (wrong !== undefined) throw new InvalidArgumentError(`It is a list of ${DENY_NAMES.join(', ')}.`);
  return [...(before ?? []), ...(names as DenyRuleName[])];
}
