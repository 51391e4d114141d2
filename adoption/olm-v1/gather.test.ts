/** Which objects are taken for those of a ClusterExtension, and which requests that costs. */
import { describe, expect, test } from 'vitest';
import { refOf, type KubeObject } from '../../api/object.ts';
import { NEVER } from '../../api/testing/never.ts';
import { createFakeCluster, type FakeCluster } from '../../kube/testing/fake-cluster.ts';
import { large, withSmallLists } from '../../kube/testing/small-lists.ts';
import { HOLD } from '../olm-v0/kinds.ts';
import { writeBackup } from './backup.ts';
import { gather, surveyExtension } from './gather.ts';
import { OWNER_LABEL } from './kinds.ts';
import { extensionOf, type Changes } from './testing/extension.ts';
import { BACKUP, NAME, putBasics, putHandedOver } from './testing/handed-over.ts';
import { forgetWayBack, keepWayBack, type WayBack } from './way-back.ts';

function clusterWith(changes: Changes = {}): { cluster: FakeCluster; put: (ref: object) => KubeObject } {
  const cluster = createFakeCluster();
  putBasics(cluster);
  for (const name of ['watched', 'tenant']) cluster.put({ apiVersion: 'v1', kind: 'Namespace', metadata: { name } });
  const { metadata, apiVersion, kind } = cluster.put(settled(changes));
  const owner = { apiVersion, kind, name: metadata.name, uid: metadata.uid ?? '' };
  const marks = { labels: { [OWNER_LABEL.name]: metadata.name }, ownerReferences: [owner] };
  return { cluster, put: (ref) => cluster.put({ ...marked(ref), metadata: { ...marked(ref).metadata, ...marks } }) };
}

/** OLM has acted on its spec. */
function settled({ metadata, progressing, ...changes }: Changes): KubeObject {
  const observed = { observedGeneration: 1, ...progressing };
  return extensionOf({ ...changes, metadata: { generation: 1, ...metadata }, progressing: observed });
}

function marked(ref: object): KubeObject {
  const { apiVersion, kind, ...metadata } = ref as { apiVersion: string; kind: string; name: string };
  return { apiVersion, kind, metadata };
}

const CONFIG_MAP = { apiVersion: 'v1', kind: 'ConfigMap', name: 'forged' };

describe('an object with the label and the owner reference of OLM', () => {
  test.each([
    { because: 'it is in the namespace of the operator', ref: { ...CONFIG_MAP, namespace: 'ops' }, counts: true },
    { because: 'it is in the watched namespace', ref: { ...CONFIG_MAP, namespace: 'watched' }, counts: true },
    { because: 'a tenant has made it elsewhere', ref: { ...CONFIG_MAP, namespace: 'tenant' }, counts: false },
    {
      because: 'no tenant can make objects of the cluster',
      ref: { apiVersion: 'rbac.authorization.k8s.io/v1', kind: 'ClusterRole', name: 'gadget' },
      counts: true,
    },
  ])('counts as one of the operator: $counts, because $because', async ({ ref, counts }) => {
    const { cluster, put } = clusterWith({ spec: { config: { inline: { watchNamespace: 'watched' } } } });
    const object = put(ref);
    const { objects } = await surveyExtension(cluster, 'gadget', NEVER);
    expect(objects.map(refOf)).toEqual(counts ? [refOf(object)] : []);
  });
});

test('objects of tenants with the label are not whole in memory, and hold no hand-over', async () => {
  const { cluster, put } = clusterWith();
  const own = put({ ...CONFIG_MAP, namespace: 'ops' });
  for (const name of ['x', 'y', 'z'])
    put({ ...CONFIG_MAP, name, namespace: 'tenant', annotations: { long: large(10_000) } });
  const { objects } = await surveyExtension(withSmallLists(cluster, 20_000), 'gadget', NEVER);
  expect(objects.map(refOf)).toEqual([refOf(own)]);
});

describe('the objects of a ClusterExtension are listed only if they matter now', () => {
  const deleted = { deletionTimestamp: '2026-11-23T00:00:00Z', uid: 'old' };
  test.each<{ because: string; changes: Changes; hasBackup?: boolean; namespace?: string; lists: boolean }>([
    { because: 'it may be handed over', changes: {}, lists: true },
    { because: 'it may be handed over to this namespace', changes: {}, namespace: 'ops', lists: true },
    { because: 'it installs in another namespace', changes: {}, namespace: 'tenant', lists: false },
    { because: 'OLM is at work on it', changes: { progressing: { reason: 'Retrying' } }, lists: false },
    { because: 'it has several channels', changes: { catalog: { channels: ['a', 'b'] } }, lists: false },
    { because: 'it is not deleted yet', changes: { metadata: { uid: 'old' } }, hasBackup: true, lists: false },
    {
      because: 'OLM has not taken its finalizers off',
      changes: { metadata: { ...deleted, finalizers: [HOLD, 'orphan'] } },
      hasBackup: true,
      lists: false,
    },
    {
      because: 'the marks are taken off next',
      changes: { metadata: { ...deleted, finalizers: [HOLD] } },
      hasBackup: true,
      lists: true,
    },
  ])('$lists, because $because', async ({ changes, hasBackup = false, namespace, lists }) => {
    const { cluster } = clusterWith(changes);
    if (hasBackup) cluster.put(writeBackup(BACKUP, NAME.kept));
    await gather(cluster, NAME, { signal: NEVER, ...(namespace !== undefined && { namespace }) });
    const listed = cluster.requests.filter(({ verb, ref }) => verb === 'list' && ref.kind === 'Deployment');
    expect(listed).toHaveLength(lists ? 1 : 0);
  });
});

describe('a hand-over that has ended is on the way back', () => {
  const wayBack: WayBack = { subscription: 'own', revision: 'gadget-1', bundle: '', version: '', managed: [], extension: '', spec: {}, before: {} }; // prettier-ignore
  const offer = extensionOf({ metadata: { annotations: { 'slipway.dev/adoption-offer': 'Offered' } } });
  test.each([
    { because: 'none has begun', patches: [], expected: false },
    { because: 'its list is kept, and the ClusterExtension is not created yet', patches: [keepWayBack(wayBack)], expected: true }, // prettier-ignore
    { because: 'it was given up', patches: [keepWayBack(wayBack), forgetWayBack()], expected: false },
    { because: 'OLM is offered the operator', patches: [], extension: offer, expected: true },
    {
      because: 'another program has taken the annotation off',
      patches: [keepWayBack(wayBack)],
      extension: extensionOf(),
      expected: true,
    },
  ])('$expected, because $because', async ({ patches, extension, expected }) => {
    const cluster = createFakeCluster();
    putHandedOver(cluster);
    const ref = refOf(writeBackup(BACKUP, NAME.kept));
    for (const patch of patches) await cluster.patch(ref, patch);
    if (extension !== undefined) cluster.put(extension);
    expect(await gather(cluster, NAME, { signal: NEVER })).toMatchObject({ isOnWayBack: expected });
  });
});
