/**
 * Revisions that a person wrote by hand, beside one that the manager made: the manager does nothing for them, nor
 * because of them.
 */
import { beforeEach, describe, expect, test } from 'vitest';
import { findCondition } from '../../api/conditions.ts';
import { API_VERSION, FINALIZER } from '../../api/names.ts';
import { refOf, type KubeObject, type OwnerReference } from '../../api/object.ts';
import type { InventoryEntry, RevisionSpec } from '../../api/revision.ts';
import { sample, sampleDeployment } from '../../apply/testing/sample-objects.ts';
import { createHarness, NAMESPACE, type Harness } from './testing/harness.ts';

const account = sample('v1', 'ServiceAccount', 'widget-manager', { namespace: NAMESPACE });
const deployment = sampleDeployment('widget-manager');
const password: KubeObject = { ...sample('v1', 'Secret', 'db-password', { namespace: NAMESPACE }), type: 'Opaque' };
const precious = sample('v1', 'ConfigMap', 'precious', { namespace: NAMESPACE });
const OWNER: OwnerReference = {
  apiVersion: API_VERSION,
  kind: 'Subscription',
  name: 'widgets',
  uid: 'subscription-uid',
  controller: true,
};
const NUMBER = 9;

let harness: Harness;

beforeEach(async () => {
  harness = createHarness();
  await harness.addRevision(1, [account, deployment]);
  await harness.settle(1);
  harness.cluster.put(password);
  harness.cluster.put(precious);
});

interface Forgery {
  readonly owners?: readonly OwnerReference[];
  readonly spec?: (spec: RevisionSpec) => Partial<RevisionSpec>;
}

const FORGERIES: readonly (Forgery & { readonly because: string })[] = [
  { owners: [], because: 'it has no owner' },
  { owners: [{ ...OWNER, controller: false }], because: 'its owner does not control it' },
  {
    spec: ({ manifests }) => ({ manifests: { ...manifests, secrets: ['db-password'] } }),
    because: 'it names a Secret of another owner',
  },
  {
    spec: ({ manifests }) => ({ manifests: { ...manifests, secrets: [...manifests.secrets, 'db-password'] } }),
    because: 'it names a Secret of another owner besides its own',
  },
  { spec: () => ({ properties: [{ type: 'olm.gvk', value: 'not json' }] }), because: 'a property cannot be read' },
  { spec: () => ({ number: 2147483647 }), because: 'its name does not follow from its number' },
  { spec: () => ({ package: 'other' }), because: 'it is of another package' },
];

/** Writes it, with an inventory of objects that are not its own. */
async function forge({ owners = [OWNER], spec = () => ({}) }: Forgery): Promise<void> {
  await harness.addRevision(NUMBER, [sample('v1', 'ConfigMap', 'brought', { namespace: NAMESPACE })]);
  const inventory: readonly InventoryEntry[] = [precious, account].map((object) => ({
    apiVersion: object.apiVersion,
    kind: object.kind,
    namespace: NAMESPACE,
    name: object.metadata.name,
    uid: find(object.kind, object.metadata.name)?.metadata.uid ?? '',
    hash: 'x',
  }));
  const written = harness.revision(NUMBER);
  harness.cluster.change(refOf(written), (object) => ({
    ...object,
    metadata: { ...object.metadata, ownerReferences: owners },
    spec: { ...written.spec, ...spec(written.spec) },
    status: { inventory },
  }));
}

function find(kind: string, name: string): KubeObject | undefined {
  return harness.cluster.objects().find((object) => object.kind === kind && object.metadata.name === name);
}

function writes(): readonly string[] {
  return harness.cluster.requests
    .filter(({ verb }) => verb !== 'get' && verb !== 'list')
    .map(({ verb, ref }) => `${verb} ${ref.kind} ${ref.name}`);
}

describe('a Revision that a person made', () => {
  test.each(FORGERIES)(
    'a Revision that a person made is not applied, and its status says why and what to do, once: $because',
    async (forgery) => {
      await forge(forgery);
      const before = writes().length;
      await harness.settle(NUMBER);
      expect(writes().slice(before)).toEqual([`patch Revision widgets-${NUMBER}`]);
      const { conditions } = harness.revision(NUMBER).status ?? {};
      for (const [type, status] of [
        ['Ready', 'False'],
        ['Stalled', 'True'],
      ] as const)
        expect(findCondition(conditions, type)).toMatchObject({ status, reason: 'RevisionInvalid' });
      expect(findCondition(conditions, 'Ready')?.message).toContain('Delete it');
      expect(harness.events).toEqual([expect.objectContaining({ type: 'Warning', reason: 'RevisionInvalid' })]);
    },
  );

  test('the message about a Revision that a person made is plain text, whatever the Revision contains', async () => {
    await forge({ spec: () => ({ properties: [{ type: 'olm.gvk\u001B]0;title\u0007', value: '{' }] }) });
    const { status } = await harness.settle(NUMBER);
    expect(findCondition(status?.conditions, 'Ready')?.message).not.toMatch(/[\u0000-\u001F]/);
  });

  test.each(FORGERIES)('a Revision that a person made is deleted, and nothing with it: $because', async (forgery) => {
    await forge(forgery);
    const before = writes().length;
    await harness.cluster.delete(refOf(harness.revision(NUMBER)));
    await harness.reconcile(NUMBER);
    expect(harness.revision(NUMBER)).toBeUndefined();
    expect(writes().slice(before)).toEqual([`delete Revision widgets-${NUMBER}`, `patch Revision widgets-${NUMBER}`]);
    for (const { kind, metadata } of [password, precious, account]) expect(find(kind, metadata.name)).toBeDefined();
  });

  test('a Revision that a person made is deleted at once without our finalizer', async () => {
    await forge({ owners: [] });
    harness.cluster.change(refOf(harness.revision(NUMBER)), (object) => ({
      ...object,
      metadata: { ...object.metadata, finalizers: [] },
    }));
    await harness.cluster.delete(refOf(harness.revision(NUMBER)));
    expect(await harness.reconcile(NUMBER)).toBeUndefined();
  });

  test.each(FORGERIES)(
    'the genuine Revision takes nothing over from one that a person made: $because',
    async (forgery) => {
      await forge(forgery);
      await harness.addRevision(2, [account, sampleDeployment('widget-manager', { image: 'registry.example/op:2' })]);
      harness.setState(1, 'Archived');
      const { status } = await harness.settle(2);
      expect(status?.inventory?.map(({ name }) => name)).not.toContain('precious');
      harness.pass(3600);
      await harness.settle(2);
      expect(find('ConfigMap', 'precious')).toBeDefined();
    },
  );

  test.each(FORGERIES)(
    'a Revision that a person made does not hold up the uninstall of the operator: $because',
    async (forgery) => {
      await forge(forgery);
      harness.setState(1, 'Archived');
      const owner = { apiVersion: API_VERSION, kind: 'Subscription', namespace: NAMESPACE, name: 'widgets' };
      harness.cluster.change(owner, (object) => ({
        ...object,
        metadata: { ...object.metadata, deletionTimestamp: '2026-01-01T00:00:00Z', finalizers: [FINALIZER] },
      }));
      await harness.cluster.delete(refOf(harness.revision(1)));
      await harness.reconcile(1);
      expect(harness.revision(1)).toBeUndefined();
      expect(find('Deployment', 'widget-manager')).toBeUndefined();
      expect(find('ConfigMap', 'precious')).toBeDefined();
    },
  );
});

describe('when the Subscription was deleted and made again under its name', () => {
  const ref = { apiVersion: API_VERSION, kind: 'Subscription', namespace: NAMESPACE, name: 'widgets' };

  beforeEach(() => {
    harness.cluster.change(ref, (object) => ({ ...object, metadata: { ...object.metadata, uid: 'another' } }));
  });

  test('a Revision of the earlier Subscription is not applied any more', async () => {
    const before = writes().length;
    await harness.reconcile(1);
    expect(writes().slice(before)).toEqual([]);
  });

  test('a Revision of the earlier Subscription is removed with its objects', async () => {
    await harness.cluster.delete(refOf(harness.revision(1)));
    await harness.reconcile(1);
    expect(harness.revision(1)).toBeUndefined();
    expect(find('Deployment', 'widget-manager')).toBeUndefined();
  });

  test('a Revision of the new Subscription takes over nothing of the earlier one', async () => {
    await harness.addRevision(2, [account]);
    const { status } = await harness.settle(2);
    expect(status?.inventory?.map(({ kind }) => kind)).toEqual(['ServiceAccount']);
  });
});
