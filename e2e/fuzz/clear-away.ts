/** Deletes every object of the fuzz, and reports those that stay. */
import { CATALOG } from '../../api/catalog.ts';
import { KINDS } from '../../api/kinds.ts';
import { ANNOTATION } from '../../api/names.ts';
import type { TestCluster } from '../cluster/cluster.ts';
import { pathOf } from '../lib/objects.ts';
import { until } from '../lib/until.ts';
import { HOLD } from './acts.ts';
import { NAMESPACES } from './arena.ts';
import { HEALTHY_CATALOG } from './healthy.ts';

interface Found {
  readonly kind: string;
  readonly path: string;
  readonly metadata: { readonly name: string; readonly namespace?: string; readonly finalizers?: readonly string[] };
  readonly status?: unknown;
}

const WITHIN_SECONDS = 180;
const CRDS = '/apis/apiextensions.k8s.io/v1/customresourcedefinitions';

/**
 * Deletes our kinds first, as a person would, then the namespaces and CRDs; reports the objects that are left after
 * some minutes.
 */
export async function clearAway(cluster: TestCluster): Promise<readonly string[]> {
  for (const one of await findOurs(cluster)) await cluster.request('DELETE', one.path).catch(() => undefined);
  const leftOver = await awaitNone(cluster);
  for (const name of NAMESPACES) await cluster.request('DELETE', pathOf('namespace', name)).catch(() => undefined);
  for (const name of await fuzzedCrds(cluster))
    await cluster.request('DELETE', `${CRDS}/${name}`).catch(() => undefined);
  return leftOver;
}

async function awaitNone(cluster: TestCluster): Promise<readonly string[]> {
  const isClear = async (): Promise<boolean> => {
    const left = await findOurs(cluster);
    for (const one of left) await release(cluster, one);
    return left.length === 0;
  };
  const left = await until('nothing is left', isClear, { timeoutSeconds: WITHIN_SECONDS }).then(
    () => [],
    () => findOurs(cluster),
  );
  return left.map(({ kind, metadata, status }) => `${kind} ${metadata.name}: ${JSON.stringify(status).slice(0, 300)}`);
}

/** What the fuzz itself holds is its own business; the manager gives no Catalog a finalizer. */
async function release(
  cluster: TestCluster,
  { kind, path, metadata: { finalizers: held = [] } }: Found,
): Promise<void> {
  const finalizers = held.filter((one) => one !== HOLD && kind !== CATALOG.kind);
  if (finalizers.length === held.length) return;
  await cluster.request('PATCH', path, { metadata: { finalizers } }).catch(() => undefined);
}

async function findOurs(cluster: TestCluster): Promise<readonly Found[]> {
  const lists = await Promise.all(
    KINDS.map(async ({ kind, scope }) => {
      const items = (await cluster.read(pathOf(kind)))['items'] as readonly Omit<Found, 'path' | 'kind'>[];
      const fuzzed = items.filter(({ metadata: { name, namespace } }) =>
        scope === 'Cluster' ? name !== HEALTHY_CATALOG : NAMESPACES.some((one) => one === namespace),
      );
      return fuzzed.map((item) => ({ ...item, kind, path: pathOf(kind, item.metadata.name, item.metadata.namespace) }));
    }),
  );
  return lists.flat();
}

/** CRDs that the fuzz made, or an operator that it installed left behind. */
async function fuzzedCrds(cluster: TestCluster): Promise<readonly string[]> {
  const { items } = (await cluster.read(CRDS)) as unknown as {
    readonly items: readonly {
      readonly metadata: { readonly name: string; readonly annotations?: Readonly<Record<string, string>> };
    }[];
  };
  const isFuzzed = (owner: string | undefined): boolean => NAMESPACES.some((one) => owner?.startsWith(`${one}/`));
  return items
    .filter(
      ({ metadata }) => metadata.name.endsWith('.fuzz.example') || isFuzzed(metadata.annotations?.[ANNOTATION.owner]),
    )
    .map(({ metadata }) => metadata.name);
}
