/** The effect of a late write of a former leader, and the reaction to two active Revisions. */
import { expect, describe, test } from 'vitest';
import { createFakeCluster, type FakeCluster } from '../../kube/testing/fake-cluster.ts';
import { isConflictOrReplaced } from '../../api/api-answers.ts';
import { sampleCrd } from '../../apply/testing/sample-objects.ts';
import { ANNOTATION, FINALIZER } from '../../api/names.ts';
import { keyOfObject, refOf, type KubeObject } from '../../api/object.ts';
import type { Revision } from '../../api/revision.ts';
import type { Subscription } from '../../api/subscription.ts';
import { silentLog } from '../../kube/log.ts';
import { describeDependency } from './dependencies.ts';
import { surplusOf } from './history.ts';
import type { SubscriptionDeps } from './deps.ts';
import { createSubscriptionReconciler } from './reconcile.ts';
import { activateRevision, archiveRevision } from './revisions.ts';
import { NOW, revision, subscription } from './testing/facts.ts';

const archived = { state: 'Archived', ready: true } as const;

function clusterOf(...objects: readonly KubeObject[]): FakeCluster {
  const cluster = createFakeCluster();
  cluster.put({ apiVersion: 'v1', kind: 'Namespace', metadata: { name: 'ops' } });
  for (const kind of ['Revision', 'Subscription']) cluster.put(sampleCrd(kind, { group: 'slipway.dev' }));
  for (const object of objects) cluster.put(object);
  return cluster;
}

function find(cluster: FakeCluster, kind: string, name: string): KubeObject | undefined {
  return cluster.objects().find((one) => one.kind === kind && one.metadata.name === name);
}

const findRevision = (cluster: FakeCluster, number: number): Revision | undefined =>
  find(cluster, 'Revision', `gadget-${number}`) as Revision | undefined;

const stateOf = (cluster: FakeCluster, number: number): string | undefined => findRevision(cluster, number)?.spec.state;

describe('the state of a Revision is not written', () => {
  const cases = [
    {
      because: 'it was made active and archived again since',
      write: (cluster: FakeCluster, seen: Revision) => activateRevision(cluster, [], seen),
      given: archived,
    },
    {
      because: 'it was made active again since',
      write: (cluster: FakeCluster, seen: Revision) => archiveRevision(cluster, seen),
      given: { state: 'Active' } as const,
    },
  ];
  test.each(cases)('the state of a Revision is not written if $because', async ({ write, given }) => {
    const cluster = clusterOf(revision(given));
    const seen = findRevision(cluster, 1)!;
    for (const state of ['Archived', 'Active', given.state]) await cluster.patch(refOf(seen), { spec: { state } });
    const error = await write(cluster, seen).then(
      () => undefined,
      (refused: unknown) => refused,
    );
    expect(isConflictOrReplaced(error)).toBe(true);
    expect(stateOf(cluster, 1)).toBe(given.state);
  });
});

/** A reconciler whose caches show the state before the last changes. */
function reconcilerOf(cluster: FakeCluster, cached: readonly KubeObject[]): () => Promise<unknown> {
  const all = (kind: string): readonly KubeObject[] => cached.filter((object) => object.kind === kind);
  const get = (kind: string) => (key: string) => all(kind).find((object) => keyOfObject(object) === key);
  const run = createSubscriptionReconciler({
    caches: {
      subscriptions: { get: get('Subscription'), list: () => all('Subscription') },
      revisions: { get: get('Revision'), byIndex: () => all('Revision'), list: () => all('Revision') },
      catalogs: { list: () => [] },
      content: { get: () => undefined },
      namespaces: { get: () => undefined },
    },
    cluster,
    server: { get: async () => ({ providedKinds: [] }) },
    record: () => undefined,
    now: () => NOW,
    decisionSeconds: 5,
  } as unknown as SubscriptionDeps);
  return () => run({ namespace: 'ops', name: 'gadget' }, { signal: new AbortController().signal, log: silentLog });
}

describe('a Revision that is no longer needed as history', () => {
  const history = [1, 2, 3].map((number) => revision({ ...archived, number }));
  const active = revision({ number: 4, ready: true });
  const owner = subscription({
    metadata: { finalizers: [FINALIZER] },
    spec: { historyLimit: 1 },
    status: {
      installed: { bundle: 'gadget.v1.0.0', version: '1.0.0', revision: 'gadget-4', catalog: 'main', image: 'x' },
    },
  });

  test('a Revision that is no longer needed as history is deleted', async () => {
    const cluster = clusterOf(owner, ...history, active);
    await reconcilerOf(cluster, cluster.objects())();
    expect(find(cluster, 'Revision', 'gadget-1')).toBeUndefined();
  });

  test('a Revision that was made active since is not deleted as history', async () => {
    const cluster = clusterOf(owner, ...history, active);
    const before = cluster.objects();
    await cluster.patch(refOf(history[0] as Revision), { spec: { state: 'Active' } });
    await reconcilerOf(cluster, before)().catch(() => undefined);
    expect(stateOf(cluster, 1)).toBe('Active');
  });
});

describe('a Revision that is made active although the status stays as it is', () => {
  const stopped = revision({ ...archived, lastActiveTime: '2026-05-01T11:30:00Z' });

  /** A cluster in which the status is written, but no Revision is active, as after a crash. */
  async function crashed(): Promise<FakeCluster> {
    const image = stopped.spec.image;
    const installed = { bundle: 'gadget.v1.0.0', version: '1.0.0', revision: 'gadget-1', catalog: 'main', image };
    const owner = subscription({ metadata: { finalizers: [FINALIZER] }, status: { installed } });
    const cluster = clusterOf(owner, stopped);
    await reconcilerOf(cluster, cluster.objects())();
    await archiveRevision(cluster, findRevision(cluster, 1)!);
    return cluster;
  }

  test('it becomes active if the Subscription is as the cache has it', async () => {
    const cluster = await crashed();
    expect(stateOf(cluster, 1)).toBe('Archived');
    await reconcilerOf(cluster, cluster.objects())();
    expect(stateOf(cluster, 1)).toBe('Active');
  });

  test('it stays archived if the Subscription has changed since, as it may have failed', async () => {
    const cluster = await crashed();
    const before = cluster.objects();
    const failed = { ...(find(cluster, 'Subscription', 'gadget') as Subscription) };
    await cluster.patch(refOf(failed), { status: { lastNumber: 7 } }, { subresource: 'status' });
    const refused = await reconcilerOf(cluster, before)().catch((error: unknown) => error);
    expect(isConflictOrReplaced(refused)).toBe(true);
    expect(stateOf(cluster, 1)).toBe('Archived');
  });
});

describe('several active Revisions', () => {
  const [first, second] = [revision({ number: 1, ready: true }), revision({ number: 2, ready: true })];
  const installed = (name: string): Subscription =>
    ({ ...subscription(), status: { installed: { revision: name } } }) as unknown as Subscription;

  test.each([
    { because: 'the status names it as installed', owner: installed('gadget-1'), surplus: ['gadget-2'] },
    { because: 'it is the newest', owner: subscription(), surplus: ['gadget-1'] },
    {
      because: 'it is the newest of those, although the status names another',
      owner: installed('x'),
      surplus: ['gadget-1'],
    },
  ])('one of several active Revisions counts: $because', ({ owner, surplus }) => {
    expect(surplusOf(owner, [first, second]).map(({ metadata }) => metadata.name)).toEqual(surplus);
  });

  test('several active Revisions stay as they are while all are being removed', () => {
    const leaving = subscription({ metadata: { deletionTimestamp: '2026-05-01T11:59:00Z' } });
    expect(surplusOf(leaving, [first, second])).toEqual([]);
  });

  test('the surplus active Revisions are archived before anything else is decided', async () => {
    const cluster = clusterOf(installed('gadget-1'), first, second);
    await reconcilerOf(cluster, cluster.objects())();
    expect([1, 2].map((number) => stateOf(cluster, number))).toEqual(['Active', 'Archived']);
  });
});

describe('a dependency that is created', () => {
  const step = { package: 'gizmo', catalog: 'main', channel: 'stable' } as Parameters<typeof describeDependency>[1];
  const requester = subscription({ name: 'needs', metadata: { uid: 'n' } });
  const described = describeDependency(requester, step);
  const created = subscription({ name: 'gadget', metadata: { ...described.metadata, name: 'gadget', uid: 'u' } });
  const left = (cluster: FakeCluster): KubeObject['metadata'] => find(cluster, 'Subscription', 'gadget')!.metadata;

  test.each([
    { because: 'its requester is gone', there: [] },
    { because: 'its requester was made again', there: [subscription({ name: 'needs', metadata: { uid: 'other' } })] },
    {
      because: 'its requester is being removed',
      there: [subscription({ name: 'needs', metadata: { uid: 'n', deletionTimestamp: '2026-05-01T11:59:00Z' } })],
    },
  ])(
    'a dependency that is created too late is not installed, and the garbage collector deletes it: $because',
    async ({ there }) => {
      const cluster = clusterOf(created);
      await reconcilerOf(cluster, [created, ...there])();
      expect(left(cluster)).toMatchObject({ ownerReferences: [{ kind: 'Subscription', name: 'needs', uid: 'n' }] });
      expect(left(cluster).finalizers).toBeUndefined();
    },
  );

  test('a dependency that begins loses the reference to its requester, and keeps the annotation', async () => {
    const cluster = clusterOf(requester, created);
    await reconcilerOf(cluster, cluster.objects())().catch(() => undefined);
    expect(left(cluster)).toMatchObject({ finalizers: [FINALIZER], ownerReferences: [] });
    expect(left(cluster).annotations).toMatchObject({ [ANNOTATION.requestedBy]: 'n' });
  });

  test('a dependency of an earlier release, or one that has begun, needs no requester', async () => {
    const begun = { ...described.metadata, name: 'gadget', uid: 'u', ownerReferences: [] };
    const cluster = clusterOf(subscription({ metadata: begun }));
    await reconcilerOf(cluster, cluster.objects())().catch(() => undefined);
    expect(left(cluster).finalizers).toEqual([FINALIZER]);
  });
});
