/** Lists every object of every kind in a cluster, to prove that every object of a test was removed. */
import type { TestCluster } from '../cluster/cluster.ts';
import { readEverything } from './everything.ts';
import { until } from './until.ts';

/** Kinds whose objects Kubernetes makes and deletes itself at any time. */
const RESTLESS = new Set(['events', 'events.events.k8s.io', 'leases.coordination.k8s.io', 'componentstatuses']);

/** `kind/name` and `namespace kind/name` of everything there is. */
export async function snapshot(cluster: TestCluster): Promise<ReadonlySet<string>> {
  const found = await readEverything(cluster, RESTLESS);
  return new Set(
    found.map(({ apiVersion, kind, metadata: { namespace, name } }) =>
      [namespace ?? '<none>', kind, apiVersion, name].join(' '),
    ),
  );
}

/**
 * Waits until the cluster holds what it held before, nothing more and nothing less.
 * @param options.besides What goes its own way meanwhile.
 */
export async function expectUnchanged(
  cluster: TestCluster,
  before: ReadonlySet<string>,
  { timeoutSeconds = 180, besides }: { readonly timeoutSeconds?: number; readonly besides?: RegExp } = {},
): Promise<void> {
  let difference: readonly string[] = [];
  await until(
    'the cluster holds what it held before',
    async () => {
      const after = await snapshot(cluster);
      difference = [
        ...[...after.difference(before)].map((line) => `+ ${line}`),
        ...[...before.difference(after)].map((line) => `- ${line}`),
      ].filter((line) => besides?.test(line) !== true);
      return difference.length === 0;
    },
    { timeoutSeconds, explain: () => difference.join('\n') },
  );
}
