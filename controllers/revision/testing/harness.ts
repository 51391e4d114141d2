/**
 * Runs the Revision controller against a cluster in memory: one Subscription and its Revisions, with a clock that the
 * test sets.
 */
import { actingAs, createFakeCluster, type FakeCluster, type FakeOptions } from '../../../kube/testing/fake-cluster.ts';
import { API_VERSION, FINALIZER, ANNOTATION } from '../../../api/names.ts';
import { keyOfObject, type KubeObject, groupKind } from '../../../api/object.ts';
import { Revision } from '../../../api/revision.ts';
import { Subscription } from '../../../api/subscription.ts';
import type { Client } from '../../../kube/client/client.ts';
import type { ObjectKey, Result } from '../../../kube/controller/controller.ts';
import { silentLog } from '../../../kube/log.ts';
import type { Handlers } from '../../../kube/watch/informer.ts';
import { subscriptionKey } from '../../by-subscription.ts';
import type { EventFacts } from '../../events.ts';
import { manifestSecrets } from '../../manifest-secrets.ts';
import { describeManifests, packManifests } from '../../manifests.ts';
import { createSerializer } from '../../serialize.ts';
import { RevisionMemories } from '../memory.ts';
import { createRevisionReconciler } from '../reconcile.ts';
import type { RevisionDeps } from '../run.ts';

export const NAMESPACE = 'ops';

export interface Harness {
  readonly cluster: FakeCluster;
  readonly events: EventFacts[];
  /** Moves the clock forward; also by hours. */
  pass(seconds: number): void;
  now(): Date;
  /** Makes the Revision `widgets-<number>` of these objects. */
  addRevision(number: number, objects: readonly KubeObject[], spec?: object): Promise<void>;
  setSubscription(spec: object, annotations?: Readonly<Record<string, string>>): void;
  setState(number: number, state: 'Active' | 'Archived'): void;
  reconcile(number: number, signal?: AbortSignal): Promise<Result>;
  revision(number: number): Revision;
  /** From now on the cache has this Revision, whatever the cluster holds. */
  freeze(revision: Revision): void;
  /** From now on the cache lacks the Subscription, as that of a replica whose watch is broken. */
  hideSubscription(): void;
  /** Another program takes the finalizer off and deletes the Revision; its watch reports that. */
  vanish(number: number): Promise<void>;
  readonly memories: RevisionMemories;
  /** Reconciles until no reconcile is due at once. */
  settle(number: number): Promise<Revision>;
}

export interface HarnessOptions
  extends
    FakeOptions,
    Pick<RevisionDeps, 'probeWebhooks' | 'countRepair' | 'pullSecrets' | 'wayBackOf' | 'loads' | 'stoodStill'> {
  /** Whether the account of the Subscription may do something; by default everything. */
  readonly accountMay?: Parameters<typeof actingAs>[2];
  /** Whether the manager may do something; by default everything. */
  readonly managerMay?: Parameters<typeof actingAs>[2];
}

/** An empty cluster with the namespace `ops` and the Subscription `ops/widgets`. */
export function createHarness(options: HarnessOptions = {}): Harness {
  const cluster = createFakeCluster(options);
  const events: EventFacts[] = [];
  const followed = new Set<string>();
  let time = Date.parse('2026-01-01T00:00:00Z');
  const find = (kind: string, name: string): KubeObject | undefined =>
    cluster.objects().find((object) => object.kind === kind && object.metadata.name === name);
  const findRevision = (name: string): Revision | undefined => find('Revision', name) as Revision | undefined;
  const subscriptionAt = (key: string): Subscription | undefined =>
    cluster.objects().find((object) => object.kind === 'Subscription' && keyOfObject(object) === key) as
      | Subscription
      | undefined;
  const revisionsOf = (key: string): Revision[] =>
    (cluster.objects().filter(({ kind }) => kind === 'Revision') as Revision[]).filter(
      (revision) => subscriptionKey(revision) === key,
    );
  let frozen: Revision | undefined;
  let isHidden = false;
  const memories = new RevisionMemories();
  const handlers: Handlers<Revision>[] = [];
  const deps: RevisionDeps = {
    caches: {
      subscriptions: { get: (key) => (isHidden ? undefined : subscriptionAt(key)) },
      revisions: {
        get: (key) => frozen ?? findRevision(key.split('/')[1] ?? ''),
        byIndex: (_index, key) => revisionsOf(key),
        on: (handler) => {
          handlers.push(handler);
          return () => undefined;
        },
      },
    },
    client: asClient(cluster, options),
    managed: {
      follow: async (kinds) => {
        const scopes = await Promise.all([...kinds].map((kind) => cluster.isNamespaced(kind)));
        // Like an informer of a kind that is not served: it never syncs.
        if (scopes.includes(undefined)) await new Promise(() => undefined);
      },
      followOwn: async (kinds) => {
        for (const kind of kinds) followed.add(groupKind(kind));
      },
      followsVersion: (kind) => followed.has(groupKind(kind)),
      get: (ref) =>
        cluster
          .objects()
          .find(
            ({ kind, metadata }) =>
              kind === ref.kind && metadata.name === ref.name && metadata.namespace === ref.namespace,
          ),
      isAbsent: () => false,
      claimedBy: (uid) =>
        cluster.objects().filter(({ metadata }) => metadata.annotations?.[ANNOTATION.ownerUid] === uid),
      isFollowed: (kind) => followed.has(groupKind(kind)),
      onChange: () => () => undefined,
    },
    manager: { namespace: 'slipway-system', name: 'slipway-manager' },
    record: (_regarding, event) => void events.push(event),
    now: () => new Date(time),
    // No webhook answers in memory, unless a test simulates it.
    probeWebhooks: options.probeWebhooks ?? false,
    ...(options.countRepair !== undefined && { countRepair: options.countRepair }),
    ...(options.pullSecrets !== undefined && { pullSecrets: options.pullSecrets }),
    ...(options.loads !== undefined && { loads: options.loads }),
    ...(options.stoodStill !== undefined && { stoodStill: options.stoodStill }),
    ...(options.wayBackOf !== undefined && { wayBackOf: options.wayBackOf }),
    // The test moves the clock.
    patience: () => 0,
    serialize: createSerializer(),
    memories,
  };
  const reconcile = createRevisionReconciler(deps);
  const harness: Harness = {
    cluster,
    events,
    pass: (seconds) => void (time += seconds * 1000),
    now: () => new Date(time),
    addRevision: (number, objects, spec = {}) => putRevision(cluster, { number, objects, spec }),
    setSubscription: (spec, annotations = {}) => putSubscription(cluster, spec, annotations),
    setState: (number, state) =>
      cluster.change(refOfRevision(number), (object) => ({
        ...object,
        metadata: { ...object.metadata, generation: (object.metadata.generation ?? 1) + 1 },
        spec: { ...(object['spec'] as object), state },
      })),
    reconcile: (number, signal = new AbortController().signal) => reconcile(keyOf(number), { signal, log: silentLog }),
    revision: (number) => find('Revision', keyOf(number).name) as Revision,
    memories,
    async vanish(number) {
      const gone = harness.revision(number);
      cluster.change(refOfRevision(number), (object) => ({
        ...object,
        metadata: { ...object.metadata, finalizers: [] },
      }));
      await cluster.delete(refOfRevision(number));
      for (const { deleted } of handlers) deleted?.(gone);
    },
    freeze: (revision) => void (frozen = revision),
    hideSubscription: () => void (isHidden = true),
    async settle(number) {
      for (let round = 0; round < 10; round += 1) {
        const before = JSON.stringify(harness.revision(number).status);
        await reconcile(keyOf(number), { signal: new AbortController().signal, log: silentLog });
        if (JSON.stringify(harness.revision(number).status) === before) break;
      }
      return harness.revision(number);
    },
  };
  cluster.put({ apiVersion: 'v1', kind: 'Namespace', metadata: { name: NAMESPACE }, status: { phase: 'Active' } });
  harness.setSubscription({});
  return harness;
}

function keyOf(number: number): ObjectKey {
  return { namespace: NAMESPACE, name: `widgets-${number}` };
}

function refOfRevision(number: number): { apiVersion: string; kind: string; namespace: string; name: string } {
  return { apiVersion: API_VERSION, kind: 'Revision', namespace: NAMESPACE, name: `widgets-${number}` };
}

/** The manager's client; those that act as an account have the rights of the account. */
function asClient(cluster: FakeCluster, { accountMay, managerMay = () => true }: HarnessOptions): Client {
  if (accountMay !== undefined) cluster.restrict(accountMay);
  return actingAs(cluster, 'system:serviceaccount:slipway-system:slipway-manager', managerMay);
}

let generation = 0;

async function ownerUid(cluster: FakeCluster): Promise<string> {
  const owner = await cluster.get({ ...OWNER, namespace: NAMESPACE });
  return owner?.metadata.uid ?? OWNER.uid;
}

/** The Subscription, as its Revisions refer to it. */
const OWNER = {
  apiVersion: API_VERSION,
  kind: 'Subscription',
  name: 'widgets',
  uid: 'subscription-uid',
  controller: true,
} as const;

function putSubscription(cluster: FakeCluster, spec: object, annotations: Readonly<Record<string, string>>): void {
  const parsed = Subscription.shape.spec.parse({ package: 'widget-operator', ...spec });
  cluster.put({
    apiVersion: API_VERSION,
    kind: 'Subscription',
    metadata: { name: 'widgets', namespace: NAMESPACE, uid: OWNER.uid, annotations },
    spec: parsed,
  });
  const ref = { apiVersion: API_VERSION, kind: 'Subscription', namespace: NAMESPACE, name: 'widgets' };
  cluster.change(ref, (object) => ({ ...object, metadata: { ...object.metadata, generation: ++generation } }));
}

async function putRevision(
  cluster: FakeCluster,
  {
    number,
    objects,
    spec,
  }: { readonly number: number; readonly objects: readonly KubeObject[]; readonly spec: object },
): Promise<void> {
  const { namespace, name } = keyOf(number) as { namespace: string; name: string };
  const packed = await packManifests(objects);
  const revision = {
    apiVersion: API_VERSION,
    kind: 'Revision',
    metadata: {
      name,
      namespace,
      finalizers: [FINALIZER],
      ownerReferences: [{ ...OWNER, uid: await ownerUid(cluster) }],
    },
    spec: Revision.shape.spec.parse({
      subscription: 'widgets',
      number,
      package: 'widget-operator',
      bundle: `widget-operator.v${number}.0.0`,
      version: `${number}.0.0`,
      catalog: 'examples',
      image: `registry.example/widget@sha256:${'a'.repeat(64)}`,
      configHash: 'none',
      manifests: describeManifests(name, packed),
      certificates: 'Manager',
      approved: true,
      state: 'Active',
      ...spec,
    }),
  } as Revision;
  const put = cluster.put(revision) as Revision;
  for (const secret of manifestSecrets(put, packed.pieces)) cluster.put(secret);
}
