/** Objects that a former leader makes when they are not wanted any more, with and without an existing Subscription. */
import { NEVER } from '../../api/testing/never.ts';
import { beforeEach, describe, expect, test } from 'vitest';
import { ANNOTATION } from '../../api/names.ts';
import { refOf, type KubeObject } from '../../api/object.ts';
import type { Revision } from '../../api/revision.ts';
import { type FakeRequest } from '../../kube/testing/fake-cluster.ts';
import { refusal } from '../../api/testing/refusal.ts';
import { createObject } from '../../apply/write.ts';
import { prepareObjects } from '../../apply/prepare.ts';
import { sample, sampleCrd, sampleDeployment } from '../../apply/testing/sample-objects.ts';
import { silentLog } from '../../kube/log.ts';
import { prepareFor } from '../prepare-for.ts';
import { createLateRemovals, type LateRemovals } from './late-removals.ts';
import { probeConfiguration } from './rehearsal/probe-objects.ts';
import { createHarness, NAMESPACE, type Harness } from './testing/harness.ts';

const config = (name: string): KubeObject =>
  sample('v1', 'ConfigMap', name, { namespace: NAMESPACE, data: { x: '1' } });
const [kept, old] = [config('kept'), config('old')];

/** An object as the manager applies it for a Revision. */
const preparedFor = (revision: Revision, object: KubeObject): KubeObject =>
  prepareObjects([object], prepareFor(revision))[0] as KubeObject;

/** As the API server keeps it of one that says that the manager wrote it. */
const withTimes = (object: KubeObject, { made, written }: { made: string; written: string }): KubeObject => {
  const managedFields = [{ manager: 'slipway', operation: 'Apply', time: written }];
  const metadata = { ...object.metadata, creationTimestamp: made, managedFields };
  return { ...object, metadata };
};

type AccountMay = NonNullable<Parameters<typeof createHarness>[0]>['accountMay'];

const deletionsSince = ({ cluster }: Harness, from: number): readonly FakeRequest[] =>
  cluster.requests.slice(from).filter(({ verb }) => verb === 'delete');

const names = ({ cluster }: Harness): readonly string[] =>
  cluster.objects().flatMap(({ kind, metadata }) => (kind === 'ConfigMap' ? [metadata.name] : []));

/** Upgraded from a Revision that had two ConfigMaps to one that has one of them. */
async function upgraded(options: Parameters<typeof createHarness>[0] = {}, spec: object = {}): Promise<Harness> {
  const harness = createHarness(options);
  harness.setSubscription({ onFailure: { bakeTime: '0s' }, ...spec });
  await harness.addRevision(1, [kept, old], spec);
  await harness.settle(1);
  harness.setState(1, 'Archived');
  await harness.addRevision(2, [kept], spec);
  await harness.settle(2);
  await harness.settle(1);
  await harness.settle(2);
  expect(names(harness)).toEqual(['kept']);
  harness.events.length = 0;
  return harness;
}

describe('an object that was the last one of its namespace', () => {
  const afar = (namespace: string): KubeObject => sample('rbac.authorization.k8s.io/v1', 'Role', 'afar', { namespace });
  /** Of the second that the clock of the harness shows, as the API server notes it. */
  const madeNow = (harness: Harness, object: KubeObject): KubeObject =>
    withTimes(preparedFor(harness.revision(1), object), times(harness));
  const times = (harness: Harness): { made: string; written: string } => {
    const now = harness.now().toISOString();
    return { made: now, written: now };
  };
  const roles = ({ cluster }: Harness): readonly string[] =>
    cluster.objects().flatMap(({ kind, metadata }) => (kind === 'Role' ? [metadata.namespace ?? ''] : []));

  /** Upgraded from a Revision with a Role in the namespace `team` to one without it. */
  async function withdrawn(options: Parameters<typeof createHarness>[0] = {}, spec: object = {}): Promise<Harness> {
    const harness = createHarness(options);
    for (const name of ['team', 'others']) harness.cluster.put(sample('v1', 'Namespace', name));
    harness.setSubscription({ onFailure: { bakeTime: '0s' }, ...spec });
    await harness.addRevision(1, [kept, afar('team')], spec);
    await harness.settle(1);
    harness.setState(1, 'Archived');
    await harness.addRevision(2, [kept], spec);
    await harness.settle(2);
    await harness.settle(1);
    await harness.settle(2);
    expect(roles(harness)).toEqual([]);
    return harness;
  }

  test.each([
    { because: 'its pruning was a moment ago', passed: 0, stays: false },
    { because: 'its pruning was some minutes ago', passed: 590, stays: false },
    { because: 'no write is that late: a user made it', passed: 700, stays: true },
  ])('is removed again unless a user made it: $because', async ({ passed, stays }) => {
    const harness = await withdrawn();
    harness.pass(passed);
    harness.cluster.put(madeNow(harness, afar('team')));
    await harness.settle(2);
    expect(roles(harness)).toEqual(stays ? ['team'] : []);
  });

  test('stays in a namespace in which the Subscription never had an object', async () => {
    const harness = await withdrawn();
    harness.cluster.put(madeNow(harness, afar('others')));
    await harness.settle(2);
    expect(roles(harness)).toEqual(['others']);
  });

  test('is removed whenever that is possible again: the time of its creation counts', async () => {
    const harness = await withdrawn();
    harness.cluster.put(madeNow(harness, afar('team')));
    harness.pass(7200);
    await harness.settle(2);
    expect(roles(harness)).toEqual([]);
  });

  test('is reported if the account may not delete it: it does not drop out of sight meanwhile', async () => {
    const may = { delete: true };
    const accountMay: AccountMay = ({ verb }) => verb !== 'delete' || may.delete;
    const harness = await withdrawn({ accountMay }, { serviceAccountName: 'installer' });
    may.delete = false;
    harness.events.length = 0;
    harness.pass(300);
    harness.cluster.put(madeNow(harness, afar('team')));
    await expect(harness.reconcile(2)).rejects.toMatchObject({ reason: 'Forbidden' });
    harness.pass(601);
    await harness.reconcile(2);
    expect(harness.events).toMatchObject([{ type: 'Warning', reason: 'LateWrite', action: 'Prune' }]);
  });

  test('is removed also if the Revision that wanted it failed before it made it', async () => {
    const harness = createHarness();
    harness.cluster.put(sample('v1', 'Namespace', 'team'));
    harness.setSubscription({ onFailure: { bakeTime: '0s' } });
    await harness.addRevision(1, [kept]);
    await harness.settle(1);
    harness.setState(1, 'Archived');
    await harness.addRevision(2, [kept, afar('team')]);
    const intended = { ...refOf(afar('team')), uid: '', hash: 'h' };
    harness.cluster.change(refOf(harness.revision(2)), (one) => ({ ...one, status: { inventory: [intended] } }));
    harness.setState(2, 'Archived');
    harness.setState(1, 'Active');
    await harness.settle(1);
    await harness.settle(2);
    expect(harness.revision(2).status?.inventory).toEqual([]);
    harness.cluster.put(withTimes(preparedFor(harness.revision(2), afar('team')), times(harness)));
    await harness.settle(1);
    expect(roles(harness)).toEqual([]);
  });
});

describe("objects that another user made in the manager's name", () => {
  test('an object in a namespace of which no Revision lists an object costs no request', async () => {
    const harness = await upgraded();
    const elsewhere = preparedFor(harness.revision(1), old);
    harness.cluster.put(sample('v1', 'Namespace', 'team'));
    await createObject(
      harness.cluster,
      { ...elsewhere, metadata: { ...elsewhere.metadata, namespace: 'team' } },
      { signal: NEVER },
    );
    const before = harness.cluster.requests.length;
    await harness.reconcile(2);
    const about = harness.cluster.requests.slice(before).filter(({ ref }) => ref.name === 'old');
    expect(about).toEqual([]);
    expect(harness.events).toEqual([]);
  });

  test('a reconcile removes at most 20 of many such objects, and the rest with the next ones', async () => {
    const harness = await upgraded();
    const many = Array.from({ length: 50 }, (_, at) => preparedFor(harness.revision(1), config(`old-${at}`)));
    for (const one of many) await createObject(harness.cluster, one, { signal: NEVER });
    await harness.reconcile(2);
    expect(names(harness)).toHaveLength(1 + 30);
    await harness.reconcile(2);
    await harness.reconcile(2);
    expect(names(harness)).toEqual(['kept']);
  });
});

describe('an object that is made after it was pruned', () => {
  test('an object that is made after it was pruned is removed, and an event says why', async () => {
    const harness = await upgraded();
    await createObject(harness.cluster, preparedFor(harness.revision(1), old), { signal: NEVER });
    await harness.settle(2);
    expect(names(harness)).toEqual(['kept']);
    expect(harness.events).toMatchObject([{ type: 'Warning', reason: 'LateWrite' }]);
  });

  test.each([
    {
      because: 'another program copied it with all annotations',
      make: ({ cluster }: Harness, object: KubeObject) => void cluster.put(object),
    },
    {
      because: 'it belongs to an earlier Subscription of the name',
      make: ({ cluster }: Harness, object: KubeObject) =>
        createObject(
          cluster,
          {
            ...object,
            metadata: {
              ...object.metadata,
              annotations: { ...object.metadata.annotations, [ANNOTATION.ownerUid]: 'x' },
            },
          },
          { signal: NEVER },
        ),
    },
    {
      because: 'it belongs to another Subscription, by its name',
      make: ({ cluster }: Harness, object: KubeObject) =>
        createObject(
          cluster,
          {
            ...object,
            metadata: {
              ...object.metadata,
              annotations: { ...object.metadata.annotations, [ANNOTATION.owner]: 'ops/x' },
            },
          },
          { signal: NEVER },
        ),
    },
    {
      because: 'it was restored from a backup, with our name and the time of then',
      make: ({ cluster }: Harness, object: KubeObject) =>
        void cluster.put(withTimes(object, { made: '2026-01-02T00:00:00Z', written: '2026-01-01T00:00:00Z' })),
    },
    {
      because: 'it was there long before our name came upon it',
      make: ({ cluster }: Harness, object: KubeObject) =>
        void cluster.put(withTimes(object, { made: '2026-01-01T00:30:00Z', written: '2026-01-02T00:00:00Z' })),
    },
    {
      because: 'it is older than the Revision, whatever is written on it',
      make: ({ cluster }: Harness, object: KubeObject) =>
        void cluster.put(withTimes(object, { made: '2025-12-31T00:00:00Z', written: '2025-12-31T00:00:00Z' })),
    },
  ])('an object that is made after it was pruned stays if $because', async ({ make }) => {
    const harness = await upgraded();
    harness.cluster.change(refOf(harness.revision(2)), (one) => ({
      ...one,
      metadata: { ...one.metadata, creationTimestamp: '2026-01-01T00:00:00Z' },
    }));
    await make(harness, preparedFor(harness.revision(1), old));
    await harness.settle(2);
    expect(names(harness)).toEqual(['kept', 'old']);
    expect(harness.events).toEqual([]);
  });

  test('is removed if the times of the API server say so too', async () => {
    const harness = await upgraded();
    const times = { made: '2026-01-02T00:00:01Z', written: '2026-01-02T00:00:00Z' };
    harness.cluster.put(withTimes(preparedFor(harness.revision(1), old), times));
    await harness.settle(2);
    expect(names(harness)).toEqual(['kept']);
  });

  test('a CRD that is made after it was pruned stays if it has objects', async () => {
    const harness = await upgraded();
    await createObject(harness.cluster, preparedFor(harness.revision(1), sampleCrd('Widget')), { signal: NEVER });
    harness.cluster.put(sample('example.com/v1', 'Widget', 'a', { namespace: NAMESPACE, spec: { size: 1 } }));
    await harness.settle(2);
    expect(harness.cluster.objects().map(({ kind }) => kind)).toContain('CustomResourceDefinition');
  });

  test('a CRD that is made after it was pruned is removed although the account may not list its objects', async () => {
    const accountMay: AccountMay = ({ ref }) => ref.kind !== 'Widget';
    const harness = await upgraded({ accountMay }, { serviceAccountName: 'installer' });
    await createObject(harness.cluster, preparedFor(harness.revision(1), sampleCrd('Widget')), { signal: NEVER });
    await harness.settle(2);
    expect(harness.cluster.objects().map(({ kind }) => kind)).not.toContain('CustomResourceDefinition');
  });

  test('a configuration for a check of webhooks is removed although the account may not delete it', async () => {
    const accountMay: AccountMay = ({ ref }) => ref.kind !== 'MutatingWebhookConfiguration';
    const harness = await upgraded({ accountMay }, { serviceAccountName: 'installer' });
    const trace = probeConfiguration(harness.revision(1).metadata.uid ?? '', []);
    await createObject(harness.cluster, preparedFor(harness.revision(1), trace), { signal: NEVER });
    await harness.settle(2);
    expect(harness.cluster.objects().map(({ kind }) => kind)).not.toContain('MutatingWebhookConfiguration');
  });

  describe('if the account may not delete it', () => {
    let may: { delete: boolean };
    let harness: Harness;
    beforeEach(async () => {
      may = { delete: true };
      const accountMay: AccountMay = ({ verb }) => verb !== 'delete' || may.delete;
      harness = await upgraded({ accountMay }, { serviceAccountName: 'installer' });
      may.delete = false;
      await createObject(harness.cluster, preparedFor(harness.revision(1), old), { signal: NEVER });
      await expect(harness.reconcile(2)).rejects.toMatchObject({ reason: 'Forbidden' });
    });

    test('a late object stays, and its removal is retried', () => {
      expect(names(harness)).toEqual(['kept', 'old']);
      expect(harness.events).toEqual([]);
    });

    test('a late object is removed once the account has the right', async () => {
      harness.pass(300);
      may.delete = true;
      await harness.reconcile(2);
      expect(names(harness)).toEqual(['kept']);
      expect(harness.events).toMatchObject([{ type: 'Warning', reason: 'LateWrite' }]);
    });

    test('the removal is given up after ten minutes, and an event says which object stays, why, and how to remove it', async () => {
      harness.pass(601);
      await harness.reconcile(2);
      expect(harness.events).toMatchObject([{ type: 'Warning', reason: 'LateWrite', action: 'Prune' }]);
      expect(harness.events[0]?.note).toMatch(/ConfigMap ops\/old stays.*cannot delete.*Delete it/);
    });

    test('after that no request and no event is left, while the object is the same', async () => {
      harness.pass(601);
      await harness.reconcile(2);
      harness.cluster.change(refOf(old), (object) => ({ ...object, data: { x: '2' } }));
      const before = harness.cluster.requests.length;
      await harness.reconcile(2);
      expect(deletionsSince(harness, before)).toEqual([]);
      expect(harness.events).toHaveLength(1);
    });

    test('another late object of the name is tried again', async () => {
      harness.pass(601);
      await harness.reconcile(2);
      may.delete = true;
      await harness.cluster.delete(refOf(old));
      await createObject(harness.cluster, preparedFor(harness.revision(1), old), { signal: NEVER });
      await harness.reconcile(2);
      expect(names(harness)).toEqual(['kept']);
    });
  });

  test('an object that cannot be removed keeps no other late object', async () => {
    const accountMay: AccountMay = ({ verb, ref }) => verb !== 'delete' || ref.name !== 'other';
    const harness = await upgraded({ accountMay }, { serviceAccountName: 'installer' });
    for (const late of [config('other'), old])
      await createObject(harness.cluster, preparedFor(harness.revision(1), late), { signal: NEVER });
    await expect(harness.reconcile(2)).rejects.toMatchObject({ reason: 'Forbidden' });
    expect(names(harness)).toEqual(['kept', 'other']);
  });
});

test('an intended object that was never made leaves the inventory, and is removed if it is made late', async () => {
  const harness = createHarness();
  harness.setSubscription({ onFailure: { bakeTime: '0s' } });
  await harness.addRevision(1, [kept]);
  await harness.settle(1);
  harness.setState(1, 'Archived');
  await harness.addRevision(2, [kept, old]);
  const intended = { apiVersion: 'v1', kind: 'ConfigMap', namespace: NAMESPACE, name: 'old', uid: '', hash: 'h' };
  harness.cluster.change(refOf(harness.revision(2)), (object) => ({ ...object, status: { inventory: [intended] } }));
  harness.setState(2, 'Archived');
  harness.setState(1, 'Active');
  await harness.settle(1);
  await harness.settle(2);
  expect(harness.revision(2).status?.inventory).toEqual([]);
  await createObject(harness.cluster, preparedFor(harness.revision(2), old), { signal: NEVER });
  await harness.settle(1);
  expect(names(harness)).toEqual(['kept']);
});

describe('an object of an operator that is or was being uninstalled', () => {
  const since = '2026-01-01T00:10:00Z';
  const context = { signal: new AbortController().signal, log: silentLog };
  let harness: Harness;
  let late: LateRemovals;
  let revision: Revision;

  beforeEach(async () => {
    harness = createHarness();
    await harness.addRevision(1, [kept]);
    await harness.settle(1);
    revision = harness.revision(1);
    await harness.cluster.delete({ ...refOf(kept) });
    late = createLateRemovals({ client: harness.cluster, now: () => harness.now() });
    const leaving = { ...revision, metadata: { ...revision.metadata, deletionTimestamp: since } };
    late.removing({ revision: leaving, subscription: undefined, siblings: [] });
  });

  async function made(creationTimestamp: string, object = preparedFor(revision, kept)): Promise<KubeObject> {
    const created = await createObject(harness.cluster, object, { signal: NEVER });
    harness.cluster.change(refOf(created), (one) => ({ ...one, metadata: { ...one.metadata, creationTimestamp } }));
    return (await harness.cluster.get(refOf(created))) as KubeObject;
  }

  test('an object is removed if it is made after the removal began', async () => {
    const key = late.keyOf(await made('2026-01-01T00:10:01Z'));
    expect(key).toBeDefined();
    await late.reconcile(key!, context);
    expect(names(harness)).toEqual([]);
  });

  test.each([
    { because: 'it was there before: it is kept', at: '2026-01-01T00:09:59Z', passed: 0 },
    { because: 'it was made in the second in which the removal began', at: since, passed: 0 },
    { because: 'the removal is long ago, and memory is bounded', at: '2026-01-01T00:30:00Z', passed: 601 },
  ])('an object of an operator that is uninstalled stays if $because', async ({ at, passed }) => {
    harness.pass(passed);
    expect(late.keyOf(await made(at))).toBeUndefined();
  });

  test('an object of an operator that is uninstalled stays if another program made it', async () => {
    const object = preparedFor(revision, kept);
    harness.cluster.put({ ...object, metadata: { ...object.metadata, creationTimestamp: '2026-01-01T00:10:01Z' } });
    const key = late.keyOf((await harness.cluster.get(refOf(object))) as KubeObject);
    await late.reconcile(key!, context);
    expect(names(harness)).toEqual(['kept']);
  });

  test('is tried no longer than it is remembered, if it cannot be removed: no request is left then', async () => {
    const refused = refusal(403, 'Forbidden', 'no');
    harness.cluster.delete = async () => Promise.reject(refused);
    const key = late.keyOf(await made('2026-01-01T00:10:01Z'));
    await expect(late.reconcile(key!, context)).rejects.toMatchObject({ reason: 'Forbidden' });
    harness.pass(601);
    const before = harness.cluster.requests.length;
    await late.reconcile(key!, context);
    expect(harness.cluster.requests.length).toBe(before);
  });

  test('an object causes no reconcile if it names no Subscription whose objects were removed', async () => {
    expect(late.keyOf(await made('2026-01-01T00:10:01Z', config('of-others')))).toBeUndefined();
  });
});

describe('an object that the next Revision does not want, and the one after it does', () => {
  test('a leftover is marked before it is deleted, and written when it is kept, so a late deletion misses it', async () => {
    const harness = createHarness();
    harness.setSubscription({ onFailure: { bakeTime: '1h' } });
    await harness.addRevision(1, [kept, old]);
    await harness.settle(1);
    harness.setState(1, 'Archived');
    await harness.addRevision(2, [kept]);
    await harness.settle(2);
    const seen = (await harness.cluster.get(refOf(old))) as KubeObject;
    const listed = harness.revision(2).status?.inventory ?? [];
    expect(listed.filter(({ leftover }) => leftover === true).map(({ name }) => name)).toEqual(['old']);

    harness.setState(2, 'Archived');
    harness.setState(1, 'Active');
    await harness.settle(1);
    const { uid = '', resourceVersion = '' } = seen.metadata;
    const late = harness.cluster.delete(refOf(old), { uid, resourceVersion });
    await expect(late).rejects.toMatchObject({ reason: 'Conflict' });
    expect(names(harness)).toEqual(['kept', 'old']);
    expect((harness.revision(1).status?.inventory ?? []).some(({ leftover }) => leftover === true)).toBe(false);
  });

  test('a kept object is written once for each activation of a Revision, not at each reconcile', async () => {
    const unready = { react: (object: KubeObject) => object };
    const harness = createHarness(unready);
    const operator = sampleDeployment('operator');
    await harness.addRevision(1, [kept, old, operator]);
    await harness.settle(1);
    harness.setState(1, 'Archived');
    await harness.addRevision(2, [kept, operator]);
    await harness.settle(2);
    harness.setState(2, 'Archived');
    harness.setState(1, 'Active');
    const isWrite = ({ verb, ref, dryRun }: FakeRequest): boolean => verb === 'apply' && ref.name === 'old' && !dryRun;
    const before = harness.cluster.requests.filter(isWrite).length;
    for (const _ of [1, 2, 3]) await harness.reconcile(1);
    expect(harness.revision(1).status?.conditions?.find(({ type }) => type === 'Ready')?.status).toBe('False');
    expect(harness.cluster.requests.filter(isWrite).length - before).toBe(1);
  });
});
