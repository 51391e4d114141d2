/** Finds the objects that a wave has left in the cluster, or removed from it, and their packages. */
import { ANNOTATION } from '../../api/names.ts';
import type { TestCluster } from '../cluster/cluster.ts';
import { readEverything } from '../lib/everything.ts';
import { expectUnchanged, snapshot } from '../lib/snapshot.ts';

export interface Leftover {
  /** `+ namespace kind apiVersion name`; `-` if it was there before and is gone. */
  readonly what: string;
  /** Of the Subscription that it belongs to; all that come into question if nothing says so. */
  readonly namespaces: readonly string[];
}

/** What clears itself away does so within this time. */
const SETTLES_WITHIN_SECONDS = 45;

/** Empty once the cluster has the same objects as before. */
export async function awaitLeftovers(
  cluster: TestCluster,
  before: ReadonlySet<string>,
  namespaces: readonly string[],
): Promise<readonly Leftover[]> {
  const isUnchanged = await expectUnchanged(cluster, before, { timeoutSeconds: SETTLES_WITHIN_SECONDS }).then(
    () => true,
    () => false,
  );
  if (isUnchanged) return [];
  const after = await snapshot(cluster);
  const owners = await ownersOf(cluster);
  return [
    ...[...after.difference(before)].map((line) => ({ line, sign: '+' })),
    ...[...before.difference(after)].map((line) => ({ line, sign: '-' })),
  ].map(({ line, sign }) => {
    const [namespace = ''] = line.split(' ');
    const known = [owners.get(line) ?? namespace].filter((one) => namespaces.includes(one));
    return { what: `${sign} ${line}`, namespaces: known.length === 0 ? namespaces : known };
  });
}

/** By the lines of a snapshot, the namespaces of the Subscriptions that own the objects. */
async function ownersOf(cluster: TestCluster): Promise<ReadonlyMap<string, string>> {
  const everything = await readEverything(cluster, new Set());
  return new Map(
    everything.flatMap(({ apiVersion, kind, metadata }) => {
      const { annotations } = metadata as { readonly annotations?: Readonly<Record<string, string>> };
      const [owner] = annotations?.[ANNOTATION.owner]?.split('/') ?? [];
      if (owner === undefined) return [];
      return [[[metadata.namespace ?? '<none>', kind, apiVersion, metadata.name].join(' '), owner]];
    }),
  );
}
