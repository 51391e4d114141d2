/**
 * A Subscription's name gives no title to objects in the cluster: those of an earlier Subscription, those that another
 * user marked by hand, and those that the account may not touch. Attacks stand beside the cases of an administrator and
 * of an upgrade.
 */
import { describe, expect, test } from 'vitest';
import { sample, sampleCrd } from '../../apply/testing/sample-objects.ts';
import { findCondition } from '../../api/conditions.ts';
import { ANNOTATION } from '../../api/names.ts';
import { refOf, type KubeObject } from '../../api/object.ts';
import { createHarness, NAMESPACE, type Harness, type HarnessOptions } from './testing/harness.ts';

type May = NonNullable<HarnessOptions['accountMay']>;

const config = sample('v1', 'ConfigMap', 'widget-config', { namespace: NAMESPACE, data: { level: 'info' } });
const crd = sampleCrd('Widget');
const objects = [crd, config];
const precious = sample('example.com/v1', 'Widget', 'precious', { namespace: 'platform' });
const mine = sample('example.com/v1', 'Widget', 'mine', { namespace: NAMESPACE });
const EARLIER = { [ANNOTATION.owner]: 'ops/widgets', [ANNOTATION.ownerUid]: 'earlier-uid' };
/** The rights of a tenant's account: everything in its namespace, nothing else. */
const ownNamespace: May = ({ ref }) => ref.namespace === NAMESPACE;
const NAMED = { serviceAccountName: 'installer' };
const refOfSubscription = {
  apiVersion: 'slipway.dev/v1alpha1',
  kind: 'Subscription',
  namespace: NAMESPACE,
  name: 'widgets',
};

function sceneFor(accountMay: May, options: HarnessOptions = {}): Harness {
  const harness = createHarness({ accountMay, ...options });
  harness.cluster.put(sample('v1', 'ServiceAccount', 'installer', { namespace: NAMESPACE }));
  return harness;
}

/** The objects of an earlier Subscription: the CRD with a custom resource of another namespace. */
function leave(harness: Harness, annotations: Readonly<Record<string, string>> = EARLIER): void {
  harness.cluster.put({ ...crd, metadata: { ...crd.metadata, annotations } });
  harness.cluster.put(precious);
}

/** Rolls out as far as possible; a rejection is in the status. */
async function rollOut(harness: Harness): Promise<string | undefined> {
  for (let round = 0; round < 4; round += 1) await harness.reconcile(1).catch(() => undefined);
  return readyOf(harness)?.reason;
}

function readyOf(harness: Harness): { readonly reason: string; readonly message: string } | undefined {
  return findCondition(harness.revision(1)?.status?.conditions, 'Ready');
}

async function remove(harness: Harness, uninstall: object = { customResources: 'Delete' }, spec = {}): Promise<void> {
  harness.setSubscription({ uninstall, ...spec });
  harness.cluster.change(refOfSubscription, (object) => ({
    ...object,
    metadata: { ...object.metadata, deletionTimestamp: '2026-01-01T00:00:00Z', finalizers: ['slipway.dev/cleanup'] },
  }));
  await harness.cluster.delete(refOf(harness.revision(1)));
  for (let round = 0; round < 3 && harness.revision(1) !== undefined; round += 1) await harness.reconcile(1);
}

const isThere = async (harness: Harness, object: KubeObject): Promise<boolean> =>
  (await harness.cluster.get(refOf(object))) !== undefined;

describe('a Subscription with an account that only has the name of an earlier one', () => {
  test.each<{ annotations: Readonly<Record<string, string>>; may: May; because: string }>([
    { annotations: EARLIER, may: ownNamespace, because: 'the account may not even read it' },
    { annotations: EARLIER, may: () => true, because: 'the account may delete it, but no person handed it over' },
    {
      annotations: { [ANNOTATION.owner]: 'ops/widgets' },
      may: ownNamespace,
      because: 'an earlier release wrote no uid',
    },
  ])(
    'an account with the name of an earlier Subscription destroys none of its objects, although $because',
    async ({ annotations, may }) => {
      const harness = sceneFor(may);
      leave(harness, annotations);
      harness.setSubscription(NAMED);
      await harness.addRevision(1, objects, NAMED);
      expect(await rollOut(harness)).toMatch(/Forbidden|Collision/);
      await remove(harness, { customResources: 'Delete' }, NAMED);
      expect(harness.revision(1)).toBeUndefined();
      expect(await isThere(harness, crd)).toBe(true);
      expect(await isThere(harness, precious)).toBe(true);
      expect(harness.events).toContainEqual(
        expect.objectContaining({ type: 'Warning', note: expect.stringContaining('widgets.example.com stays') }),
      );
    },
  );

  test('an account destroys no object that another user marked with its uid, if it may not delete it', async () => {
    const harness = sceneFor(ownNamespace);
    leave(harness, { [ANNOTATION.owner]: 'ops/widgets', [ANNOTATION.ownerUid]: 'subscription-uid' });
    harness.setSubscription(NAMED);
    await harness.addRevision(1, objects, NAMED);
    expect(await rollOut(harness)).toBe('Forbidden');
    await remove(harness, { customResources: 'Delete' }, NAMED);
    expect(await isThere(harness, crd)).toBe(true);
    expect(await isThere(harness, precious)).toBe(true);
    expect(harness.revision(1)).toBeUndefined();
  });

  test('the message of a collision names the earlier Subscription, and how its objects are handed over', async () => {
    const harness = sceneFor(() => true);
    leave(harness);
    harness.setSubscription(NAMED);
    await harness.addRevision(1, objects, NAMED);
    expect(await rollOut(harness)).toBe('Collision');
    expect(readyOf(harness)?.message).toMatch(
      /an earlier Subscription ops\/widgets.*slipway\.dev\/adopt-by=ops\/widgets/,
    );
    await harness.cluster.patch(refOf(crd), { metadata: { annotations: { [ANNOTATION.adoptBy]: 'ops/widgets' } } });
    expect(await rollOut(harness)).toBe('Succeeded');
  });

  test('a Subscription adopts no object that its account may patch but not delete', async () => {
    const harness = sceneFor(({ verb }) => verb !== 'delete');
    leave(harness, { [ANNOTATION.adoptBy]: 'ops/widgets' });
    harness.setSubscription(NAMED);
    await harness.addRevision(1, objects, NAMED);
    expect(await rollOut(harness)).toBe('Forbidden');
    expect((await harness.cluster.get(refOf(crd)))?.metadata.annotations).toEqual({
      [ANNOTATION.adoptBy]: 'ops/widgets',
    });
  });
});

describe('a CRD that a tenant made for the operator of an administrator', () => {
  const webhook = {
    clientConfig: { service: { namespace: 'lights', name: 'stranger' } },
    conversionReviewVersions: ['v1'],
  };
  const planted = (metadata: object): KubeObject => ({
    ...crd,
    metadata: { ...crd.metadata, ...metadata },
    spec: { ...(crd['spec'] as object), conversion: { strategy: 'Webhook', webhook } },
  });

  test.each([
    { annotations: { [ANNOTATION.adoptBy]: 'ops/widgets' } },
    { annotations: { [ANNOTATION.owner]: 'ops/widgets' } },
    { annotations: EARLIER },
  ])('is not converted by the tenant any more, and an event names its finalizer ($annotations)', async (metadata) => {
    const harness = createHarness();
    await harness.cluster.apply(planted({ ...metadata, finalizers: ['example.com/hold'] }), {
      fieldManager: 'kubectl-create',
    });
    await harness.addRevision(1, objects);
    expect(await rollOut(harness)).toBe('Succeeded');
    expect(await harness.cluster.get(refOf(crd))).toMatchObject({ spec: { conversion: { strategy: 'None' } } });
    expect(harness.events.filter(({ reason }) => reason === 'Adopted')).toEqual([
      expect.objectContaining({
        type: 'Normal',
        note: expect.stringMatching(/widgets\.example\.com.*example\.com\/hold/),
      }),
    ]);
  });

  test('is a collision while it goes with an object of the tenant', async () => {
    const harness = createHarness();
    const ownerReferences = [{ ...refOf(sampleCrd('Beacon')), uid: 'theirs' }];
    harness.cluster.put(planted({ annotations: { [ANNOTATION.adoptBy]: 'ops/widgets' }, ownerReferences }));
    await harness.addRevision(1, objects);
    expect(await rollOut(harness)).toBe('Collision');
    expect(readyOf(harness)?.message).toMatch(/beacons\.example\.com.*metadata\.ownerReferences/);
  });
});

test('a Revision made by hand gets no objects by the names in its inventory', async () => {
  const harness = sceneFor(ownNamespace);
  const victim = sample('v1', 'Secret', 'victim', { namespace: 'platform' });
  harness.cluster.put({
    ...victim,
    metadata: { ...victim.metadata, annotations: { [ANNOTATION.owner]: 'ops/widgets' } },
  });
  await harness.addRevision(1, [victim], NAMED);
  await rollOut(harness);
  await remove(harness, {}, NAMED);
  expect(harness.revision(1)).toBeUndefined();
  expect(await isThere(harness, victim)).toBe(true);
});

describe('an administrator', () => {
  test('an administrator adopts a retained CRD by a Subscription of the same name, and may remove it', async () => {
    const harness = sceneFor(ownNamespace);
    leave(harness);
    await harness.addRevision(1, objects);
    expect(await rollOut(harness)).toBe('Succeeded');
    expect((await harness.cluster.get(refOf(crd)))?.metadata.annotations?.[ANNOTATION.ownerUid]).toBe(
      'subscription-uid',
    );
    await remove(harness);
    expect(await isThere(harness, crd)).toBe(false);
    expect(await isThere(harness, precious)).toBe(false);
  });

  test('a removal by an administrator does not delete objects that were never adopted', async () => {
    const harness = sceneFor(ownNamespace, {
      before: ({ verb, dryRun, ref }) => {
        if (verb === 'apply' && !dryRun && ref.kind === 'CustomResourceDefinition') throw new Error('killed');
      },
    });
    leave(harness);
    await harness.addRevision(1, objects);
    await rollOut(harness);
    await remove(harness);
    expect(await isThere(harness, crd)).toBe(true);
    expect(await isThere(harness, precious)).toBe(true);
  });

  test("a Subscription that was handed to a tenant's account does not act with the manager's rights", async () => {
    const harness = sceneFor(ownNamespace);
    await harness.addRevision(1, objects);
    expect(await rollOut(harness)).toBe('Succeeded');
    harness.cluster.put(precious);
    await remove(harness, { customResources: 'Delete' }, NAMED);
    expect(await isThere(harness, precious)).toBe(true);
    expect(readyOf(harness)).toMatchObject({
      reason: 'Forbidden',
      message: expect.stringMatching(
        /installer the verb list on widgets\.example\.com, or set .*customResources to Retain/,
      ),
    });
    harness.setSubscription({ ...NAMED, uninstall: { customResources: 'Retain' } });
    await remove(harness, { customResources: 'Retain' }, NAMED);
    expect(harness.revision(1)).toBeUndefined();
    expect(await isThere(harness, precious)).toBe(true);
  });
});

describe('objects that the release before applied, without a uid', () => {
  /** The objects as that release left them. */
  async function installedBefore(spec: object): Promise<Harness> {
    const harness = sceneFor(() => true);
    harness.setSubscription(spec);
    await harness.addRevision(1, objects, spec);
    expect(await rollOut(harness)).toBe('Succeeded');
    for (const object of objects) {
      harness.cluster.change(refOf(object), ({ metadata: { annotations, ...metadata }, ...rest }) => {
        const { [ANNOTATION.ownerUid]: _uid, ...others } = annotations ?? {};
        return { ...rest, metadata: { ...metadata, annotations: others } };
      });
    }
    return harness;
  }

  test.each([{ spec: {} }, { spec: NAMED }])(
    'objects of the release before still belong to the Subscription, and are not sent again: $spec',
    async ({ spec }) => {
      const harness = await installedBefore(spec);
      const writes = (): number =>
        harness.cluster.requests.filter(
          ({ verb, dryRun, ref: { kind } }) => verb === 'apply' && !dryRun && kind !== 'Revision',
        ).length;
      const before = writes();
      harness.setState(1, 'Active');
      expect(await rollOut(harness)).toBe('Succeeded');
      // A kind without a generation shows any change of its metadata as one of itself, as this test made it.
      expect(writes() - before).toBeLessThanOrEqual(1);
      expect((await harness.cluster.get(refOf(crd)))?.metadata.annotations).not.toHaveProperty([ANNOTATION.ownerUid]);
    },
  );

  test.each([{ spec: {} }, { spec: NAMED }])('objects of the release before are removed: $spec', async ({ spec }) => {
    const harness = await installedBefore(spec);
    await remove(harness, {}, spec);
    expect(await isThere(harness, crd)).toBe(false);
    expect(await isThere(harness, config)).toBe(false);
  });
});

test('an account that does not exist any more is reported as missing, not as lacking rights', async () => {
  const harness = sceneFor(() => false);
  harness.setSubscription(NAMED);
  await harness.addRevision(1, [config], NAMED);
  expect(await rollOut(harness)).toBe('Forbidden');
  await harness.cluster.delete({ apiVersion: 'v1', kind: 'ServiceAccount', namespace: NAMESPACE, name: 'installer' });
  expect(await rollOut(harness)).toBe('ServiceAccountNotFound');
  harness.cluster.put(sample('v1', 'ServiceAccount', 'installer', { namespace: NAMESPACE }));
  expect(await rollOut(harness)).toBe('Forbidden');
});

test('an account that does not exist is the whole of the message, however many rights it would lack', async () => {
  const harness = sceneFor(() => false);
  await harness.cluster.delete({ apiVersion: 'v1', kind: 'ServiceAccount', namespace: NAMESPACE, name: 'installer' });
  harness.setSubscription(NAMED);
  const many = [...Array(9).keys()].map((number) => sample('v1', 'ConfigMap', `a-name-that-is-long-${number}`));
  await harness.addRevision(1, many, NAMED);
  expect(await rollOut(harness)).toBe('ServiceAccountNotFound');
  const ready = findCondition(harness.revision(1).status?.conditions, 'Ready');
  expect(ready?.message).toMatch(/^ServiceAccount ops\/installer of spec\.serviceAccountName does not exist/);
});

describe('a manager that was killed between making an object and writing its uid', () => {
  async function killed(accountMay: May): Promise<Harness> {
    let armed = true;
    const harness = sceneFor(accountMay, {
      after: ({ verb, dryRun, ref }) => {
        if (armed && verb === 'apply' && !dryRun && ref.kind === 'ConfigMap') throw new Error('killed');
      },
    });
    harness.setSubscription(NAMED);
    await harness.addRevision(1, [config], NAMED);
    await harness.reconcile(1).catch(() => undefined);
    armed = false;
    expect(harness.revision(1).status?.inventory).toMatchObject([{ kind: 'ConfigMap', uid: '' }]);
    return harness;
  }

  test('the next leader finds the object by the uid of its owner, and goes on', async () => {
    const harness = await killed(ownNamespace);
    expect(await rollOut(harness)).toBe('Succeeded');
  });

  test('the next leader removes the object as the account', async () => {
    const harness = await killed(ownNamespace);
    await remove(harness, {}, NAMED);
    expect(await isThere(harness, config)).toBe(false);
  });

  test.each([
    {
      made: '2026-01-01T00:00:01Z',
      ends: 'Succeeded',
      because: 'no earlier Subscription can have left an object that is younger',
    },
    { made: '2025-12-31T23:59:59Z', ends: 'Collision', because: 'it was there before the Revision' },
  ])('an object that a release without uids made: $ends, since $because', async ({ made, ends }) => {
    const harness = await killed(ownNamespace);
    harness.cluster.change(refOf(harness.revision(1)), ({ metadata, ...rest }) => ({
      ...rest,
      metadata: { ...metadata, creationTimestamp: '2026-01-01T00:00:00Z' },
    }));
    harness.cluster.change(refOf(config), ({ metadata: { annotations, ...metadata }, ...rest }) => {
      const { [ANNOTATION.ownerUid]: _uid, ...others } = annotations ?? {};
      return { ...rest, metadata: { ...metadata, annotations: others, creationTimestamp: made } };
    });
    expect(await rollOut(harness)).toBe(ends);
  });
});

describe('custom resources that an account should delete', () => {
  async function installed(accountMay: May, options: HarnessOptions = {}): Promise<Harness> {
    let allowed = true;
    const harness = sceneFor((request) => allowed || accountMay(request), options);
    harness.setSubscription(NAMED);
    await harness.addRevision(1, objects, NAMED);
    expect(await rollOut(harness)).toBe('Succeeded');
    allowed = false;
    harness.cluster.put(precious);
    harness.cluster.put(mine);
    return harness;
  }

  test('custom resources stay if the account does not exist any more, and an event says so', async () => {
    const harness = await installed(ownNamespace);
    await harness.cluster.delete({ apiVersion: 'v1', kind: 'ServiceAccount', namespace: NAMESPACE, name: 'installer' });
    await remove(harness, { customResources: 'Delete' }, NAMED);
    expect(harness.revision(1)).toBeUndefined();
    expect(await isThere(harness, precious)).toBe(true);
    expect(await isThere(harness, config)).toBe(false);
    const [event] = harness.events;
    expect(event?.note).toContain('ServiceAccount ops/installer, which would delete them, does not exist any more');
    expect(event?.note).toContain('(ops/mine and 1 in other namespaces)');
  });

  test('custom resources stay if the namespace of the account is being deleted: it must not be held up', async () => {
    const harness = await installed(ownNamespace);
    const ref = { apiVersion: 'v1', kind: 'Namespace', name: NAMESPACE };
    harness.cluster.change(ref, (object) => ({
      ...object,
      metadata: { ...object.metadata, deletionTimestamp: '2026-01-01T00:00:00Z', finalizers: ['kubernetes'] },
    }));
    await remove(harness, { customResources: 'Delete' }, NAMED);
    expect(harness.revision(1)).toBeUndefined();
    expect(await isThere(harness, precious)).toBe(true);
  });

  test('custom resources are deleted as soon as the account has the right', async () => {
    let granted = false;
    const harness = await installed((request) => granted || ownNamespace(request));
    await remove(harness, { customResources: 'Delete' }, NAMED);
    expect(readyOf(harness)?.reason).toBe('Forbidden');
    expect(await harness.reconcile(1)).toMatchObject({ requeueAfterSeconds: expect.any(Number) });
    granted = true;
    await harness.reconcile(1);
    expect(harness.revision(1)).toBeUndefined();
    expect(await isThere(harness, precious)).toBe(false);
  });

  test('a manager that may list and delete custom resources, but not read them, waits for their deletion', async () => {
    const harness = await installed(() => true, {
      managerMay: ({ verb, ref }) => verb !== 'get' || ref.kind !== 'Widget',
    });
    harness.cluster.change(refOf(precious), (object) => ({
      ...object,
      metadata: { ...object.metadata, finalizers: ['example.com/hold'] },
    }));
    const removal = remove(harness, { customResources: 'Delete' }, NAMED);
    await expect.poll(() => isThere(harness, mine)).toBe(false);
    harness.cluster.change(refOf(precious), (object) => ({
      ...object,
      metadata: { ...object.metadata, finalizers: [] },
    }));
    await removal;
    expect(harness.revision(1)).toBeUndefined();
    expect(await isThere(harness, crd)).toBe(false);
  });
});
