/**
 * A second Subscription for a package that another one has: the message names that one first, and its advice destroys
 * nothing.
 */
import { describe, expect, test } from 'vitest';
import { findCondition } from '../../api/conditions.ts';
import { ANNOTATION } from '../../api/names.ts';
import { refOf, type KubeObject } from '../../api/object.ts';
import { Subscription } from '../../api/subscription.ts';
import { sample, sampleCrd, sampleDeployment } from '../../apply/testing/sample-objects.ts';
import { secretNames } from '../manifest-secrets.ts';
import { createHarness, NAMESPACE, type Harness } from './testing/harness.ts';
import { slowPods } from './testing/slow-pods.ts';

const crd = sampleCrd('Widget');
const other = sampleCrd('Gadget');
const config = sample('v1', 'ConfigMap', 'widget-config', { namespace: NAMESPACE, data: { level: 'info' } });

/** How far the other version is that lacks the objects; `stuck` if another leftover cannot be deleted. */
type Dropped = 'baking' | 'baked' | 'stuck';

interface Holder {
  readonly namespace?: string;
  readonly package?: string;
  readonly spec?: object;
  readonly isLeaving?: boolean;
  /** Whether its Revision has applied the objects, or only waits. */
  readonly holds?: boolean;
  /** Whether its installed version lacks the objects, which an earlier one had: during the bake time, or after it. */
  readonly dropped?: Dropped;
}

/** Another Subscription `first`, with a Revision that has applied the objects. */
function addHolder(
  harness: Harness,
  objects: readonly KubeObject[],
  {
    namespace = NAMESPACE,
    package: name = 'widget-operator',
    spec = {},
    isLeaving = false,
    holds = true,
    dropped,
  }: Holder,
): void {
  const uid = 'first-uid';
  const deletion = { deletionTimestamp: '2026-01-01T00:00:00Z', finalizers: ['slipway.dev/cleanup'] };
  harness.cluster.put({
    apiVersion: 'slipway.dev/v1alpha1',
    kind: 'Subscription',
    metadata: { name: 'first', namespace, uid, ...(isLeaving && deletion) },
    spec: Subscription.shape.spec.parse({ package: name, ...spec }),
  });
  const annotations = { [ANNOTATION.owner]: `${namespace}/first`, [ANNOTATION.ownerUid]: uid };
  const applied = objects.map((object) =>
    harness.cluster.put({ ...object, metadata: { ...object.metadata, annotations } }),
  );
  const inventory = applied.map((object) => ({
    ...refOf(object),
    uid: object.metadata.uid ?? '',
    hash: 'h',
    ...(dropped !== undefined && { leftover: true }),
  }));
  const template = harness.revision(1);
  harness.cluster.put({
    ...template,
    metadata: {
      name: 'first-1',
      namespace,
      ownerReferences: [
        { apiVersion: template.apiVersion, kind: 'Subscription', name: 'first', uid, controller: true },
      ],
    },
    spec: {
      ...template.spec,
      subscription: 'first',
      package: name,
      manifests: {
        ...template.spec.manifests,
        secrets: [...secretNames('first-1', template.spec.manifests.digest, template.spec.manifests.secrets.length)],
      },
    },
    ...(holds && { status: { inventory, ...(dropped !== undefined && { conditions: readyBut(dropped) }) } }),
  });
}

const LEFT: Readonly<Record<Dropped, string | undefined>> = {
  baking: 'Progressing',
  baked: undefined,
  stuck: 'DeleteBlocked',
};

const readyBut = (dropped: Dropped): readonly object[] => [
  { type: 'Ready', status: 'True', reason: 'Succeeded', message: '', observedGeneration: 1 },
  ...(LEFT[dropped] === undefined ? [] : [{ type: 'Reconciling', status: 'True', reason: LEFT[dropped], message: '' }]),
];

async function second(
  objects: readonly KubeObject[],
  held: readonly KubeObject[],
  holder: Holder,
  spec = {},
): Promise<Harness> {
  const harness = createHarness({ accountMay: () => true });
  harness.cluster.put(sample('v1', 'ServiceAccount', 'installer', { namespace: NAMESPACE }));
  harness.setSubscription(spec);
  await harness.addRevision(1, objects, spec);
  addHolder(harness, held, holder);
  for (let round = 0; round < 4; round += 1) await harness.reconcile(1).catch(() => undefined);
  return harness;
}

function readyOf(harness: Harness): { readonly reason: string; readonly message: string } {
  const ready = findCondition(harness.revision(1).status?.conditions, 'Ready');
  if (ready === undefined) throw new Error('the Revision says nothing');
  return ready;
}

const ALREADY = 'already has package "widget-operator"';

describe('a second Subscription for a package', () => {
  test.each<{ because: string; holder: Holder; spec?: object; begins: RegExp }>([
    {
      because: 'both are in one namespace',
      holder: {},
      begins: /^Subscription ops\/first already has package "widget-operator"/,
    },
    {
      because: 'the other is in another namespace',
      holder: { namespace: 'platform' },
      begins: /^Subscription platform\/first already has/,
    },
    {
      because: 'they act as different accounts',
      holder: { namespace: 'platform', spec: { serviceAccountName: 'a' } },
      spec: { serviceAccountName: 'installer' },
      begins: /^Subscription platform\/first already has/,
    },
    {
      because: 'they take it from different catalogs',
      holder: { spec: { catalog: 'one' } },
      spec: { catalog: 'two' },
      begins: /^Subscription ops\/first already has/,
    },
    {
      because: 'the other is being deleted',
      holder: { isLeaving: true },
      begins: /^Subscription ops\/first, which is being removed, still has package "widget-operator"/,
    },
  ])(
    'the message of a second Subscription begins with the holder of the package: $because',
    async ({ holder, spec = {}, begins }) => {
      const harness = await second([crd, config], [crd, config], holder, spec);
      const ready = readyOf(harness);
      expect(ready.reason).toBe('Collision');
      expect(ready.message).toMatch(begins);
      expect(ready.message).toContain('CustomResourceDefinition');
    },
  );

  test.each<{ because: string; holder: Holder }>([
    { because: 'the other has another package', holder: { package: 'gadget-operator' } },
    {
      because: 'the other Subscription has never applied the object, although its annotation names it',
      holder: { holds: false, namespace: 'platform' },
    },
  ])('the message of a collision names the object alone: $because', async ({ holder }) => {
    const ready = readyOf(await second([crd, config], [crd], holder));
    expect(ready.reason).toBe('Collision');
    expect(ready.message).not.toContain(ALREADY);
    expect(ready.message).toMatch(/^CustomResourceDefinition\S* \S+ exists already and belongs to Subscription/);
  });

  test('the message names both if a second Subscription collides with further objects', async () => {
    const harness = createHarness();
    await harness.addRevision(1, [crd, other, config]);
    addHolder(harness, [crd], {});
    harness.cluster.put({ ...other, metadata: { ...other.metadata, annotations: { [ANNOTATION.owner]: 'a/b' } } });
    for (let round = 0; round < 4; round += 1) await harness.reconcile(1).catch(() => undefined);
    const { message } = readyOf(harness);
    expect(message).toMatch(/^Subscription ops\/first already has/);
    expect(message).toContain('belongs to Subscription a/b');
  });

  test.each([
    { isLeaving: true, reason: 'Collision', because: 'the other one goes by itself' },
    { isLeaving: false, reason: 'ProgressDeadlineExceeded', because: 'a person has to decide' },
  ])(
    'a second Subscription has the reason $reason after the progress deadline, as $because',
    async ({ isLeaving, reason }) => {
      const harness = await second([crd, config], [crd], { isLeaving });
      harness.pass(3600);
      await harness.reconcile(1).catch(() => undefined);
      expect(readyOf(harness).reason).toBe(reason);
    },
  );

  test('a Subscription whose first Revision waits holds nothing yet: the first to apply gets the package', async () => {
    const harness = createHarness();
    await harness.addRevision(1, [crd, config]);
    addHolder(harness, [], { holds: false });
    await harness.settle(1);
    expect(readyOf(harness).reason).toBe('Succeeded');
  });

  test('the second Subscription can be deleted as the message advises, and nothing of the first is gone', async () => {
    const harness = await second([crd, config], [crd, config], {});
    expect(readyOf(harness).message).toContain('Delete this Subscription');
    const refs = [crd, config].map(refOf);
    const before = await Promise.all(refs.map((ref) => harness.cluster.get(ref)));
    harness.cluster.change({ ...refOf(harness.revision(1)), kind: 'Subscription', name: 'widgets' }, (object) => ({
      ...object,
      metadata: { ...object.metadata, deletionTimestamp: '2026-01-01T00:00:00Z', finalizers: ['slipway.dev/cleanup'] },
    }));
    await harness.cluster.delete(refOf(harness.revision(1)));
    for (let round = 0; round < 4 && harness.revision(1) !== undefined; round += 1)
      await harness.reconcile(1).catch(() => undefined);
    expect(harness.revision(1)).toBeUndefined();
    expect(await Promise.all(refs.map((ref) => harness.cluster.get(ref)))).toEqual(before);
  });
});

const GADGETS = { package: 'gadget-operator', namespace: 'platform' } as const;

describe('a CRD that moves from one package to another', () => {
  test.each<{ because: string; holder: Holder; spec?: object }>([
    { because: 'both act as the manager', holder: GADGETS },
    { because: 'another leftover of it cannot be deleted', holder: { ...GADGETS, dropped: 'stuck' } },
    {
      because: 'both act as one account',
      holder: { package: 'gadget-operator', spec: { serviceAccountName: 'installer' } },
      spec: { serviceAccountName: 'installer' },
    },
  ])('is taken up with its objects, once the other version has baked: $because', async ({ holder, spec }) => {
    const harness = await second([crd, config], [crd], { dropped: 'baked', ...holder }, spec);
    expect(readyOf(harness).reason).toBe('Succeeded');
    const live = await harness.cluster.get(refOf(crd));
    expect(live?.metadata.annotations).toMatchObject({ [ANNOTATION.owner]: `${NAMESPACE}/widgets` });
    expect(harness.revision(1).status?.inventory).toContainEqual(
      expect.objectContaining({ name: crd.metadata.name, uid: live?.metadata.uid }),
    );
  });

  test('is waited for during the bake time of the other version, which may go back', async () => {
    const { reason, message } = readyOf(await second([crd, config], [crd], { ...GADGETS, dropped: 'baking' }));
    expect(reason).toBe('Collision');
    expect(message).toContain('bake time');
  });

  test('is waited for beyond the progress deadline, as the version is not at fault', async () => {
    const harness = await second([crd, config], [crd], { ...GADGETS, dropped: 'baking' });
    harness.pass(3600);
    await harness.reconcile(1).catch(() => undefined);
    expect(readyOf(harness).reason).toBe('Collision');
    expect(findCondition(harness.revision(1).status?.conditions, 'Stalled')).toBeUndefined();
  });

  test('has the whole progress deadline left once it was taken up', async () => {
    const pods = slowPods();
    const harness = createHarness({ react: pods.react });
    await harness.addRevision(1, [crd, sampleDeployment('widget-manager')]);
    addHolder(harness, [crd], { ...GADGETS, dropped: 'baking' });
    const attempts = async (): Promise<void> => {
      for (let round = 0; round < 4; round += 1) await harness.reconcile(1).catch(() => undefined);
    };
    await attempts();
    harness.pass(3600);
    await attempts();
    expect(readyOf(harness).reason).toBe('Collision');
    pods.holdBack();
    harness.cluster.change({ ...refOf(harness.revision(1)), name: 'first-1', namespace: GADGETS.namespace }, (one) => ({
      ...one,
      status: { ...(one['status'] as object), conditions: readyBut('baked') },
    }));
    await attempts();
    expect(readyOf(harness).reason).toBe('Progressing');
    harness.pass(601);
    await attempts();
    expect(readyOf(harness).reason).toBe('ProgressDeadlineExceeded');
  });

  test('is handed over by a command once the other Subscription is gone', async () => {
    const harness = createHarness();
    await harness.addRevision(1, [crd, config]);
    const annotations = { [ANNOTATION.owner]: 'platform/gone', [ANNOTATION.ownerUid]: 'gone-uid' };
    harness.cluster.put({ ...crd, metadata: { ...crd.metadata, annotations } });
    for (let round = 0; round < 4; round += 1) await harness.reconcile(1).catch(() => undefined);
    expect(readyOf(harness).message).toContain('That Subscription does not exist any more');
    expect(readyOf(harness).message).toContain(`${ANNOTATION.adoptBy}=${NAMESPACE}/widgets`);
  });

  test.each<{ because: string; held?: KubeObject; holder: Holder; spec?: object }>([
    { because: 'the other version still has it', holder: GADGETS },
    {
      because: 'the other acts as an account',
      holder: { ...GADGETS, dropped: 'baked', spec: { serviceAccountName: 'a' } },
    },
    {
      because: 'only the other acts as the manager',
      holder: { package: 'gadget-operator', dropped: 'baked' },
      spec: { serviceAccountName: 'installer' },
    },
    {
      because: 'they act as accounts of two namespaces',
      holder: { ...GADGETS, dropped: 'baked', spec: { serviceAccountName: 'installer' } },
      spec: { serviceAccountName: 'installer' },
    },
    { because: 'it is no CRD, and will be pruned', held: config, holder: { ...GADGETS, dropped: 'baked' } },
  ])(
    'stays, and the message names the annotation that hands it over: $because',
    async ({ held = crd, holder, spec }) => {
      const harness = await second([crd, config], [held], holder, spec);
      expect(readyOf(harness).reason).toBe('Collision');
      const live = await harness.cluster.get(refOf(held));
      expect(live?.metadata.annotations).toMatchObject({ [ANNOTATION.ownerUid]: 'first-uid' });
      if (held === crd) expect(readyOf(harness).message).toContain(`${ANNOTATION.adoptBy}=${NAMESPACE}/widgets`);
    },
  );

  test('stays if its annotations only claim to be of the other Subscription', async () => {
    const harness = createHarness();
    await harness.addRevision(1, [crd, config]);
    addHolder(harness, [crd], { ...GADGETS, dropped: 'baked' });
    await harness.cluster.delete(refOf(crd));
    const annotations = { [ANNOTATION.owner]: 'platform/first', [ANNOTATION.ownerUid]: 'first-uid' };
    harness.cluster.put({ ...crd, metadata: { ...crd.metadata, annotations } });
    for (let round = 0; round < 4; round += 1) await harness.reconcile(1).catch(() => undefined);
    expect(readyOf(harness).reason).toBe('Collision');
  });
});

test('no advice about a collision suggests to remove objects of others', async () => {
  const harness = await second([crd, config], [crd], { package: 'gadget-operator' });
  const messages = [readyOf(harness).message, readyOf(await second([crd], [crd], {})).message];
  for (const message of messages) {
    expect(message).not.toMatch(/\b(?:[Rr]emove|[Dd]elete|[Uu]ninstall) (?!this Subscription)/);
  }
});
