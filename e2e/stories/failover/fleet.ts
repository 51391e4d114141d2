/**
 * Operators, ten of them unless asked otherwise, each in a namespace of its own, on a fake Node beside the real one that
 * the manager runs on. Their Pods take as long to start as is asked for.
 */
import { FINALIZER, LABEL } from '../../../api/names.ts';
import type { Revision } from '../../../api/revision.ts';
import type { TestCluster } from '../../cluster/cluster.ts';
import { catalogOf, isReady, list, runs, subscriptionTo, waitFor } from '../../lib/objects.ts';
import { packageDocuments, publishCatalog } from '../../lib/publish.ts';
import { publishTiny } from '../../lib/tiny-operator.ts';
import { until } from '../../lib/until.ts';
import { makeNamespaces, requestReconcile } from '../../lib/writes.ts';

export const SIZE = 10;
export const CATALOG = 'fleet';
const TIMEOUT_SECONDS = 120;
/** The kinds of the operators' objects. */
const KINDS = 'serviceaccounts,deployments,clusterroles,clusterrolebindings,customresourcedefinitions';

/** Placement of Pods on kwok's node, and the label that makes them start slowly. */
const PLACEMENT = {
  nodeSelector: { type: 'kwok' },
  tolerations: [{ key: 'kwok.x-k8s.io/node', operator: 'Exists' }],
  labels: { 'slipway.dev/test-pod': 'slow' },
};

/** Slow enough that upgrading all of them has a middle. */
export const SLOWLY: Pace = { startSeconds: 4 };

export interface Pace {
  /** How long the Pods take to start. */
  readonly startSeconds: number;
}

export interface Fleet {
  /** Publishes these versions of all operators, each the successor of the one before, and makes their namespaces. */
  publish(versions: readonly string[]): Promise<void>;
  applyCatalog(): Promise<void>;
  /** Asks for a version of all operators at once. */
  ask(version: string, pace?: Pace): Promise<void>;
  /** Resolves when the first have begun to become that version. */
  awaitMiddle(version: string): Promise<void>;
  awaitAll(version: string): Promise<void>;
  /** Requests a reconcile of each Subscription, and resolves when the leader has written that it was done. */
  askAnew(): Promise<void>;
  /** The operators that do not run the version. */
  lacking(version: string): Promise<readonly string[]>;
  /**
   * What each operator consists of, as its active Revision has it: `Kind namespace/name uid`, and without uid where the
   * name has the version in it, which is left out.
   */
  inventories(): Promise<ReadonlyMap<string, readonly string[]>>;
  /** The objects of the operators that the cluster has and no active Revision, or the other way round. */
  strays(): Promise<readonly string[]>;
  /** How often the spec of each operator's Deployment has changed. */
  generations(): Promise<ReadonlyMap<string, number>>;
  /** The Subscriptions that are being deleted and still exist, with their finalizers. */
  held(): Promise<readonly string[]>;
}

export function createFleet(cluster: TestCluster, size = SIZE): Fleet {
  const { kubectl } = cluster;
  const names = Array.from({ length: size }, (_, index) => `operator-${index}`);

  async function active(): Promise<readonly Revision[]> {
    return (await list<Revision>(cluster, 'revision')).filter(({ spec }) => spec.state === 'Active');
  }

  async function lacking(version: string): Promise<readonly string[]> {
    const there = new Map((await list(cluster, 'subscription')).map((one) => [one.metadata.name, one]));
    const arrived = runs(version);
    return names.filter((name) => !there.has(name) || !arrived(there.get(name)!));
  }

  async function ask(version: string, { startSeconds }: Pace = { startSeconds: 0 }): Promise<void> {
    const config = { ...PLACEMENT, annotations: { 'slipway.dev/test-delay': `${startSeconds}s` } };
    const spec = { channel: 'stable', version, config, onFailure: { bakeTime: '0s' } };
    const items = names.map((name) => JSON.parse(subscriptionTo(name, name, { package: name, ...spec })) as object);
    await kubectl(['apply', '-f', '-'], JSON.stringify({ apiVersion: 'v1', kind: 'List', items }));
  }

  return {
    async publish(versions) {
      await publishFleet(cluster.registry, names, versions);
      await makeNamespaces(cluster, names);
    },
    async applyCatalog() {
      await kubectl(['apply', '-f', '-'], catalogOf(CATALOG, `${cluster.registry}/catalog:latest`));
      await waitFor(cluster, { kind: 'catalog', name: CATALOG }, isReady);
    },
    ask,
    async awaitMiddle(version) {
      const begun = ({ spec, status }: Revision): boolean => spec.version === version && status?.phases !== undefined;
      await until(`upgrades to ${version} have begun`, async () =>
        (await list<Revision>(cluster, 'revision')).some(begun),
      );
    },
    async awaitAll(version) {
      await until(`all are at ${version}`, async () => (await lacking(version)).length === 0, {
        timeoutSeconds: TIMEOUT_SECONDS,
        explain: () => kubectl(['get', 'catalogs,subscriptions,revisions,pods', '-A']),
      });
    },
    lacking,
    async askAnew() {
      const now = String(Date.now());
      for (const name of names) await requestReconcile(cluster, { kind: 'subscription', name, namespace: name }, now);
      await until('every request was handled', async () =>
        (await list(cluster, 'subscription')).every(({ status }) => status?.['lastHandledReconcileAt'] === now),
      );
    },
    async inventories() {
      return new Map((await active()).map((one) => [one.spec.subscription, describeInventory(one)]));
    },
    async strays() {
      const entries = (await active()).flatMap(({ status }) => status?.inventory ?? []);
      const kept = new Set(entries.map(({ kind, name, uid }) => `${kind} ${name} ${uid}`));
      const columns = 'custom-columns=KIND:.kind,NAME:.metadata.name,UID:.metadata.uid';
      const selected = ['-A', '-l', LABEL.owner, '--no-headers', '-o', columns];
      const lines = (await kubectl(['get', KINDS, ...selected])).split('\n').filter((line) => line !== '');
      const there = new Set(lines.map((line) => line.trim().replaceAll(/\s+/g, ' ')));
      return [...kept.symmetricDifference(there)];
    },
    async generations() {
      const operators = (await list(cluster, 'deployment')).filter(({ metadata: { name } }) => names.includes(name));
      return new Map(operators.map(({ metadata: { name, generation } }) => [name, generation]));
    },
    async held() {
      const subscriptions = await list<{ readonly metadata: Leaving }>(cluster, 'subscription');
      return subscriptions
        .filter(({ metadata }) => metadata.deletionTimestamp !== undefined)
        .filter(({ metadata }) => metadata.finalizers?.includes(FINALIZER))
        .map(({ metadata }) => metadata.name);
    },
  };
}

interface Leaving {
  readonly name: string;
  readonly deletionTimestamp?: string;
  readonly finalizers?: readonly string[];
}

async function publishFleet(registry: string, names: readonly string[], versions: readonly string[]): Promise<void> {
  const documents = names.map(async (name, index) => {
    const published = [];
    for (const [at, version] of versions.entries()) {
      const image = await publishTiny(registry, { name, version, kind: `Tool${index}` });
      published.push({ version, image, ...(at > 0 && { replaces: versions[at - 1]! }) });
    }
    return packageDocuments(name, published);
  });
  await publishCatalog((await Promise.all(documents)).flat(), `${registry}/catalog:latest`);
}

function describeInventory({ spec, status }: Revision): readonly string[] {
  return (status?.inventory ?? []).map(({ kind, namespace = '', name, uid }) => {
    const general = name.replace(`.v${spec.version}`, '');
    return `${kind} ${namespace}/${general}${general === name ? ` ${uid}` : ''}`;
  });
}
