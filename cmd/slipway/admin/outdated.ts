/** `slipway outdated`: installed operators for which a newer version exists, and why it is not installed. */
import { optionOf } from '../flags.ts';
import { SUBSCRIPTION, type Subscription } from '../../../api/subscription.ts';
import { outdatedOf, type Outdated } from '../../../report/outdated.ts';
import type { Environment } from '../environment.ts';
import { withCluster } from '../input/connection.ts';
import type { Outcome } from '../outcome.ts';
import { formatTable } from '../output/table.ts';
import { count } from '../../../report/count.ts';
import { invalidInput } from '../../../api/invalid-input.ts';
import type { ReadFlags } from './flags.ts';
import { listObjects } from './objects.ts';
import { outcomeOf } from './print.ts';
import type { WriteFlags } from './raise/raise.ts';

export interface OutdatedFlags extends ReadFlags, Omit<WriteFlags, 'write'> {
  /** Files in which versions are raised; absent, the Subscriptions of the cluster are listed. */
  readonly write?: readonly string[];
}

export async function outdated(environment: Environment, flags: OutdatedFlags): Promise<Outcome> {
  const { write } = flags;
  checkFlags(flags);
  if (write === undefined) return listOutdated(environment, flags);
  return (await import('./raise/raise.ts')).raise(environment, { ...flags, write });
}

const WITH_WRITE = ['catalog', 'dryRun', 'managerUrl', 'plainHttp', 'registryConfig', 'kubernetesVersion'] as const;
const WITH_CLUSTER = ['kubeconfig', 'context', 'managerUrl'] as const;

/** @throws ReasonedError InputInvalid for a flag that would have no effect */
function checkFlags(flags: OutdatedFlags): void {
  const { write, catalog } = flags;
  const idle = write === undefined ? WITH_WRITE.find((name) => flags[name] !== undefined) : undefined;
  if (idle !== undefined) throw invalidInput(`${optionOf(idle)} goes with --write`, 'Name files by --write');
  if (write === undefined) return;
  const listed = (['allNamespaces', 'selector'] as const).find((name) => flags[name] !== undefined);
  if (listed !== undefined)
    throw invalidInput(`${optionOf(listed)} does not go with --write`, 'Name the files that count');
  const ofCluster = catalog && WITH_CLUSTER.find((name) => flags[name] !== undefined);
  if (ofCluster !== undefined)
    throw invalidInput(`${optionOf(ofCluster)} is about a cluster, and --catalog asks catalogs alone`);
  if (catalog === undefined && flags.kubernetesVersion !== undefined)
    throw invalidInput('--kubernetes-version goes with --catalog');
}

async function listOutdated(environment: Environment, flags: ReadFlags): Promise<Outcome> {
  return withCluster(environment, flags, async ({ client, namespace }) => {
    const options = {
      ...(flags.allNamespaces !== true && { namespace }),
      ...(flags.selector !== undefined && { labelSelector: flags.selector }),
    };
    const all = (await listObjects(client, SUBSCRIPTION, options, environment.signal)) as unknown as Subscription[];
    const found = all.flatMap((one) => outdatedOf(one) ?? []);
    const text = printOutdated(found, all.length, environment.columns);
    return outcomeOf({ checked: all.length, outdated: found }, text, flags.output, found.length > 0 ? 2 : 0);
  });
}

const HEADER = ['NAMESPACE', 'NAME', 'PACKAGE', 'INSTALLED', 'AVAILABLE', 'LATEST', 'REASON', 'MESSAGE'];

/** The table, or one line if every operator has the newest version. */
export function printOutdated(found: readonly Outdated[], checked: number, columns?: number): string {
  if (checked === 0) return 'There are no Subscriptions here; -A checks those of all namespaces\n';
  if (found.length === 0) return `No newer version exists for ${count(checked, 'Subscription')}\n`;
  const rows = found.map((one) => [
    one.namespace,
    one.name,
    one.package,
    one.installed ?? '',
    one.available ?? '',
    one.latest ?? '',
    one.reason,
    one.message,
  ]);
  return formatTable(HEADER, rows, columns);
}
