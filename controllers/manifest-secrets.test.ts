import { beforeEach, describe, expect, test } from 'vitest';
import { createFakeCluster, type FakeCluster } from '../apply/fake-cluster.ts';
import type { KubeObject, ObjectRef } from '../api/object.ts';
import type { Revision } from '../api/revision.ts';
import { deleteManifests, manifestSecrets, SECRET_TYPE, storeManifests } from './manifest-secrets.ts';
import { describeManifests, loadManifests, packManifests, type PackedManifests } from './manifests.ts';
import { revision as revisionOf } from './subscription/testdata/facts.ts';

const OBJECTS: readonly KubeObject[] = [{ apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'x' } }];
const OWNER = { apiVersion: 'slipway.dev/v1alpha1', kind: 'Subscription', name: 'gadget', uid: 'u', controller: true };

let cluster: FakeCluster;
let packed: PackedManifests;
let revision: Revision;
let ours: KubeObject;
let ref: ObjectRef;

beforeEach(async () => {
  cluster = createFakeCluster();
  cluster.put({ apiVersion: 'v1', kind: 'Namespace', metadata: { name: 'ops' } });
  packed = await packManifests(OBJECTS);
  revision = revisionOf({ manifests: describeManifests('gadget-1', packed) });
  [ours] = manifestSecrets(revision, packed.pieces) as [KubeObject];
  ref = { apiVersion: 'v1', kind: 'Secret', namespace: 'ops', name: ours.metadata.name };
});

/** The Secret as another writer would have made it, in the place of ours. */
type Edit = (secret: KubeObject) => KubeObject;

const otherContent: Edit = (secret) => ({ ...secret, data: { manifests: 'eA==' } });
const noContent: Edit = (secret) => ({ ...secret, data: {} });
const otherOwner: Edit = (secret) => ({
  ...secret,
  metadata: { ...secret.metadata, ownerReferences: [{ ...OWNER, uid: 'earlier' }] },
});
const noOwner: Edit = (secret) => ({ ...secret, metadata: { ...secret.metadata, ownerReferences: [] } });
const otherType: Edit = (secret) => ({ ...secret, type: 'Opaque' });

const SWAPPED: readonly { readonly edit: Edit; readonly because: string }[] = [
  { edit: otherContent, because: 'it holds something else' },
  { edit: noContent, because: 'it holds nothing' },
  { edit: otherOwner, because: 'it belongs to an earlier Subscription of the name' },
  { edit: noOwner, because: 'it belongs to no Subscription' },
];

describe('stored manifests', () => {
  test('are read back', async () => {
    await storeManifests(cluster, revision, packed.pieces);
    expect(await loadManifests(cluster, revision)).toEqual(OBJECTS);
  });

  test('are written once: those that are there stay as they are', async () => {
    await storeManifests(cluster, revision, packed.pieces);
    const before = await cluster.get(ref);
    await storeManifests(cluster, revision, packed.pieces);
    expect(await cluster.get(ref)).toEqual(before);
  });

  test.each([...SWAPPED, { edit: otherType, because: 'it is of another type' }])(
    'are missing, and asked for again, if somebody swapped the Secret: $because',
    async ({ edit }) => {
      cluster.put(edit(ours));
      await expect(loadManifests(cluster, revision)).rejects.toMatchObject({
        reason: 'ManifestsMissing',
        retry: 'backoff',
      });
    },
  );

  test.each(SWAPPED)('are written in the place of a swapped Secret of our type: $because', async ({ edit }) => {
    cluster.put(edit(ours));
    await storeManifests(cluster, revision, packed.pieces);
    expect(await loadManifests(cluster, revision)).toEqual(OBJECTS);
  });

  test('are not written over a Secret of another type: it is the user who has to decide', async () => {
    cluster.put(otherType(ours));
    const before = await cluster.get(ref);
    await expect(storeManifests(cluster, revision, packed.pieces)).rejects.toMatchObject({
      reason: 'Collision',
      retry: 'backoff',
    });
    expect(await cluster.get(ref)).toEqual(before);
  });

  test('a Secret that was made by another writer meanwhile is not replaced', async () => {
    cluster.put(otherContent(ours));
    const racing = {
      ...cluster,
      get: async (asked: ObjectRef) => {
        const seen = await cluster.get(asked);
        await cluster.delete(asked);
        cluster.put(ours);
        return seen;
      },
    };
    await expect(storeManifests(racing, revision, packed.pieces)).rejects.toMatchObject({ code: 409 });
    expect(await loadManifests(cluster, revision)).toEqual(OBJECTS);
  });
});

describe('the Secrets of a Revision that goes', () => {
  test('go with it, for one list and one deletion each', async () => {
    await storeManifests(cluster, revision, packed.pieces);
    const before = cluster.requests.length;
    await deleteManifests(cluster, revision);
    expect(await cluster.get(ref)).toBeUndefined();
    expect(cluster.requests.slice(before).map(({ verb }) => verb)).toEqual(['list', 'delete', 'get']);
  });

  test('are found as the release before wrote them', async () => {
    const { revision: name } = { revision: revision.metadata.name };
    expect(ours).toMatchObject({ type: SECRET_TYPE, metadata: { labels: { 'slipway.dev/revision': name } } });
  });

  test.each([
    { edit: otherType, because: 'it is of another type' },
    { edit: otherOwner, because: 'it belongs to another Subscription' },
    { edit: noOwner, because: 'it belongs to no Subscription' },
  ])('are left alone if they are not ours: $because', async ({ edit }) => {
    cluster.put(edit(ours));
    await deleteManifests(cluster, revision);
    expect(await cluster.get(ref)).toBeDefined();
  });

  test('are those that it names: another Secret of our type stays', async () => {
    const other = { ...ours, metadata: { ...ours.metadata, name: 'gadget-1-00000000-0' } };
    cluster.put(other);
    await deleteManifests(cluster, revision);
    expect(await cluster.get({ ...ref, name: other.metadata.name })).toBeDefined();
  });
});

test('manifests whose digest is right and whose content is absurd are refused for good', async () => {
  const absurd = await packManifests([null, { kind: 'Pod' }] as unknown as KubeObject[]);
  const forged = revisionOf({ manifests: describeManifests('gadget-1', absurd) });
  await storeManifests(cluster, forged, absurd.pieces);
  await expect(loadManifests(cluster, forged)).rejects.toMatchObject({ reason: 'RevisionInvalid', retry: 'never' });
});

test('manifests that unpack to more than is allowed are not unpacked', async () => {
  const bomb = await packManifests([
    { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'x' }, data: { x: 'x'.repeat(65 * 1024 * 1024) } },
  ]);
  const forged = revisionOf({ manifests: describeManifests('gadget-1', bomb) });
  await storeManifests(cluster, forged, bomb.pieces);
  await expect(loadManifests(cluster, forged)).rejects.toMatchObject({ reason: 'ManifestsMissing' });
});
