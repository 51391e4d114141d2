/** What the victims have, compared before and after an attack, and whether it still can be worked with. */
import type { TestCluster } from '../../cluster/cluster.ts';
import { runs, waitFor, type Judged } from '../../lib/objects.ts';
import { apply, reconcileNow } from '../../lib/writes.ts';
import { PLATFORM, TEAM, VICTIMS } from './ways-scene.ts';

/** The identity of an object, and the fields that an attack must not change. */
export type Belongings = ReadonlyMap<string, unknown>;

const OURS = '/apis/slipway.dev/v1alpha1';
const CRDS = '/apis/apiextensions.k8s.io/v1/customresourcedefinitions';

interface Item extends Judged {
  readonly metadata: Judged['metadata'] & {
    readonly namespace?: string;
    readonly finalizers?: readonly string[];
    readonly ownerReferences?: readonly unknown[];
    readonly deletionTimestamp?: string;
  };
}

/** Identity, spec and the other decisive fields of all objects of the victims. */
export async function takeStock(cluster: TestCluster): Promise<Belongings> {
  const lists = await Promise.all(PATHS.map(async (path) => ({ path, items: await itemsOf(cluster, path) })));
  return new Map(
    lists
      .flatMap(({ path, items }) => items.filter((item) => isVictims(path, item)).map((item) => describe(path, item)))
      .toSorted(([a], [b]) => (a < b ? -1 : 1)),
  );
}

/** Kinds of which all objects are the victims', and of which theirs are known by name. */
const PATHS: readonly string[] = [
  `${OURS}/catalogs`,
  `${CRDS}/gadgets.tiny.example`,
  `${CRDS}/trinkets.tiny.example`,
  ...['subscriptions', 'revisions', 'catalogs'].map((one) => `${CRDS}/${one}.slipway.dev`),
  '/apis/tiny.example/v1/gadgets',
  '/apis/tiny.example/v1/trinkets',
  `${OURS}/subscriptions`,
  `${OURS}/revisions`,
  '/apis/apps/v1/deployments',
  '/api/v1/namespaces/slipway-system/secrets',
  `/api/v1/namespaces/${PLATFORM}/configmaps`,
  '/apis/rbac.authorization.k8s.io/v1/clusterroles',
  '/apis/rbac.authorization.k8s.io/v1/clusterrolebindings',
];

async function itemsOf(cluster: TestCluster, path: string): Promise<readonly Item[]> {
  const answer = await cluster.read(path);
  return (answer['items'] ?? [answer]) as readonly Item[];
}

/** In `team-a` only the objects named after the administrator's Subscription there. */
function isVictims(path: string, { metadata }: Item): boolean {
  if (metadata.namespace !== TEAM) return true;
  return path.startsWith(OURS) || path.endsWith('deployments') ? /^astore(-\d+)?$/.test(metadata.name) : false;
}

function describe(path: string, { metadata, spec, ...rest }: Item): readonly [string, unknown] {
  const { uid, namespace = '', name, finalizers, ownerReferences, deletionTimestamp } = metadata;
  const [rules, data] = [rest as Record<string, unknown>, rest as Record<string, unknown>];
  const held = { finalizers, ownerReferences, deletionTimestamp };
  return [`${path} ${namespace}/${name}`, { uid, ...held, spec, rules: rules['rules'], data: data['data'] }];
}

/** An administrator waits no longer for an answer: an attacker would hold it up for good. */
const ANSWERED_WITHIN_SECONDS = 60;

/** An administrator's request by annotation to each of them is handled in time. */
export async function answerAll(cluster: TestCluster): Promise<void> {
  const asked = String(performance.now());
  await Promise.all(
    VICTIMS.map(async ([name, namespace]) => {
      const subscription = { kind: 'subscription', name, namespace, timeoutSeconds: ANSWERED_WITHIN_SECONDS };
      await reconcileNow(cluster, subscription, asked);
    }),
  );
}

/** Moves an administrator's operator to another version, which takes a Revision, an apply and a status. */
export async function moveAll(cluster: TestCluster, version: string): Promise<void> {
  await Promise.all(
    VICTIMS.filter(([name]) => name === 'store' || name === 'astore').map(async ([name, namespace]) => {
      const spec = { package: name, version, edges: 'Ignore', onFailure: { bakeTime: '0s' } };
      await apply(cluster, {
        apiVersion: 'slipway.dev/v1alpha1',
        kind: 'Subscription',
        metadata: { name, namespace },
        spec,
      });
      await waitFor(
        cluster,
        { kind: 'subscription', name, namespace, timeoutSeconds: ANSWERED_WITHIN_SECONDS },
        runs(version),
      );
    }),
  );
}
