import { gunzipSync, gzipSync } from 'node:zlib';
import { beforeEach, describe, expect, test, vi } from 'vitest';
import { formatJson } from '../api/json.ts';
import { createFakeCluster, type FakeCluster } from '../kube/testing/fake-cluster.ts';
import type { KubeObject, ObjectRef } from '../api/object.ts';
import { large, withSmallLists } from '../kube/testing/small-lists.ts';
import { JsonList } from '../api/json-list.ts';
import { MAX_OBJECTS, type Revision } from '../api/revision.ts';
import { deleteManifests, manifestSecrets, SECRET_TYPE, storeManifests } from './manifest-secrets.ts';
import { describeManifests, loadManifests, packManifests, type PackedManifests } from './manifests.ts';
import { digestOf } from '../oci/digest.ts';
import { revision as revisionOf } from './subscription/testing/facts.ts';

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

/** The Secret as another writer would have made it, in place of ours. */
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
  { edit: otherContent, because: 'it holds other content' },
  { edit: noContent, because: 'it holds nothing' },
  { edit: otherOwner, because: 'it belongs to an earlier Subscription of the name' },
  { edit: noOwner, because: 'it belongs to no Subscription' },
];

/** Several times the size of one part. */
const MANY: readonly KubeObject[] = Array.from({ length: 3000 }, (_, index) => ({
  apiVersion: 'v1',
  kind: 'ConfigMap',
  metadata: { name: `config-${index}` },
  data: { text: `Number ${index} says ${'ä word '.repeat(index % 20)}${index * 7919}`, big: 12345678901234567890n },
}));

describe('packed manifests', () => {
  test.for<{ because: string; objects: readonly KubeObject[] }>([
    { because: 'there are none', objects: [] },
    { because: 'there is one', objects: OBJECTS },
    { because: 'they are packed piece by piece', objects: MANY },
  ])('packed manifests are the JSON of all objects, by content, digest and bytes, if $because', async ({ objects }) => {
    const json = Buffer.from(formatJson(objects));
    const { pieces, digest } = await packManifests(objects);
    expect(gunzipSync(Buffer.concat(pieces)).equals(json)).toBe(true);
    expect(digest).toBe(digestOf(json));
    // Secrets that another release wrote are compared with these.
    expect(Buffer.concat(pieces).equals(gzipSync(json))).toBe(true);
  });

  test('the JSON of all objects is never in memory at once', async () => {
    const stringify = vi.spyOn(JSON, 'stringify');
    await packManifests(MANY);
    const lengths = stringify.mock.results.map(({ value }) => (value as string).length);
    stringify.mockRestore();
    expect(Math.max(...lengths)).toBeLessThan(formatJson(MANY).length / 10);
  });
});

describe('stored manifests', () => {
  test('stored manifests are read back', async () => {
    await storeManifests(cluster, revision, packed.pieces);
    expect(await loadManifests(cluster, revision)).toEqual(OBJECTS);
  });

  test('stored manifests are written once: existing Secrets stay as they are', async () => {
    await storeManifests(cluster, revision, packed.pieces);
    const before = await cluster.get(ref);
    await storeManifests(cluster, revision, packed.pieces);
    expect(await cluster.get(ref)).toEqual(before);
  });

  test.each([...SWAPPED, { edit: otherType, because: 'it is of another type' }])(
    'manifests count as missing, with a retry, if another writer replaced the Secret: $because',
    async ({ edit }) => {
      cluster.put(edit(ours));
      await expect(loadManifests(cluster, revision)).rejects.toMatchObject({
        reason: 'ManifestsMissing',
        retry: 'backoff',
      });
    },
  );

  test.each(SWAPPED)('manifests are written in place of a replaced Secret of our type: $because', async ({ edit }) => {
    cluster.put(edit(ours));
    await storeManifests(cluster, revision, packed.pieces);
    expect(await loadManifests(cluster, revision)).toEqual(OBJECTS);
  });

  test('manifests are not written over a Secret of another type: the user has to decide', async () => {
    cluster.put(otherType(ours));
    const before = await cluster.get(ref);
    await expect(storeManifests(cluster, revision, packed.pieces)).rejects.toMatchObject({
      reason: 'Collision',
      retry: 'backoff',
    });
    expect(await cluster.get(ref)).toEqual(before);
  });

  test('the Secrets of a Revision are deleted beside those that users made to look alike, however large those are', async () => {
    await storeManifests(cluster, revision, packed.pieces);
    for (const name of ['x', 'y', 'z'])
      cluster.put({ ...ours, metadata: { ...ours.metadata, name, annotations: { long: large(10_000) } } });
    await deleteManifests(withSmallLists(cluster, 20_000), revision);
    expect(await cluster.get(ref)).toBeUndefined();
  });

  test('a Secret that another writer made in the meantime is not replaced', async () => {
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

describe('the Secrets of a Revision that is deleted', () => {
  test('the Secrets of a Revision are deleted with it, by one list and one deletion each', async () => {
    await storeManifests(cluster, revision, packed.pieces);
    const before = cluster.requests.length;
    await deleteManifests(cluster, revision);
    expect(await cluster.get(ref)).toBeUndefined();
    expect(cluster.requests.slice(before).map(({ verb }) => verb)).toEqual(['list', 'delete', 'get']);
  });

  test('the Secrets that the release before wrote are found', async () => {
    const { revision: name } = { revision: revision.metadata.name };
    expect(ours).toMatchObject({ type: SECRET_TYPE, metadata: { labels: { 'slipway.dev/revision': name } } });
  });

  test.each([
    { edit: otherType, because: 'it is of another type' },
    { edit: otherOwner, because: 'it belongs to another Subscription' },
    { edit: noOwner, because: 'it belongs to no Subscription' },
  ])('a Secret that is not ours is left alone: $because', async ({ edit }) => {
    cluster.put(edit(ours));
    await deleteManifests(cluster, revision);
    expect(await cluster.get(ref)).toBeDefined();
  });

  test('only Secrets that the Revision names are deleted: another Secret of our type stays', async () => {
    const other = { ...ours, metadata: { ...ours.metadata, name: 'gadget-1-00000000-0' } };
    cluster.put(other);
    await deleteManifests(cluster, revision);
    expect(await cluster.get({ ...ref, name: other.metadata.name })).toBeDefined();
  });
});

test('manifests with the right digest and invalid content are rejected for good', async () => {
  const absurd = await packManifests([null, { kind: 'Pod' }] as unknown as KubeObject[]);
  const forged = revisionOf({ manifests: describeManifests('gadget-1', absurd) });
  await storeManifests(cluster, forged, absurd.pieces);
  await expect(loadManifests(cluster, forged)).rejects.toMatchObject({ reason: 'RevisionInvalid', retry: 'never' });
});

test('nothing of a Secret is parsed whose digest is wrong: a few kilobytes would be millions of values', async () => {
  const push = vi.spyOn(JsonList.prototype, 'push');
  const content = gzipSync(`[[${'[],'.repeat(1024)}1]]`).toString('base64');
  await storeManifests(cluster, revision, packed.pieces);
  cluster.put({ ...ours, data: { manifests: content } });
  await expect(loadManifests(cluster, revision)).rejects.toMatchObject({ reason: 'ManifestsMissing' });
  expect(push).not.toHaveBeenCalled();
  push.mockRestore();
});

test('more objects than a Revision may have are too large a bundle, before anything is stored', async () => {
  const [object] = OBJECTS;
  const objects = Array.from({ length: MAX_OBJECTS + 1 }, () => object!);
  await expect(packManifests(objects)).rejects.toMatchObject({ reason: 'BundleTooLarge', retry: 'never' });
  expect((await packManifests(objects.slice(1))).objects).toBe(MAX_OBJECTS);
});

test('manifests that could not be unpacked again are not packed: each control character takes six', async () => {
  const data = { x: '\u0001'.repeat(6 * 1024 * 1024) };
  const objects = [
    { ...OBJECTS[0]!, data },
    { ...OBJECTS[0]!, data },
  ];
  await expect(packManifests(objects)).rejects.toMatchObject({ reason: 'BundleTooLarge', retry: 'never' });
});

test('manifests of more values than a bundle may render to are not parsed', async () => {
  const [object] = OBJECTS;
  const json = Buffer.from(formatJson([{ ...object, data: Array.from({ length: 1_100_000 }, () => ({})) }]));
  const bomb: PackedManifests = { digest: digestOf(json), objects: 1, weight: 0, pieces: [gzipSync(json)] };
  const forged = revisionOf({ manifests: describeManifests('gadget-1', bomb) });
  await storeManifests(cluster, forged, bomb.pieces);
  await expect(loadManifests(cluster, forged)).rejects.toMatchObject({ reason: 'RevisionInvalid', retry: 'never' });
});

test('manifests that unpack to more than the limit are not unpacked', async () => {
  const [object] = OBJECTS;
  const json = Buffer.from(formatJson([{ ...object, data: { x: 'x'.repeat(65 * 1024 * 1024) } }]));
  const bomb: PackedManifests = { digest: digestOf(json), objects: 1, weight: 0, pieces: [gzipSync(json)] };
  const forged = revisionOf({ manifests: describeManifests('gadget-1', bomb) });
  await storeManifests(cluster, forged, bomb.pieces);
  await expect(loadManifests(cluster, forged)).rejects.toMatchObject({ reason: 'ManifestsMissing' });
});
