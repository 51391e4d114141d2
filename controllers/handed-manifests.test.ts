import { expect, test } from 'vitest';
import type { KubeObject } from '../api/object.ts';
import type { Revision } from '../api/revision.ts';
import { prepareObjects } from '../apply/prepare.ts';
import { createHandedManifests } from './handed-manifests.ts';
import { packManifests, type PackedManifests } from './manifests.ts';
import { prepareFor } from './prepare-for.ts';

const packed = (digest: string, bytes = 1, weight = 100): PackedManifests => ({
  digest,
  objects: 1,
  weight,
  pieces: [Buffer.alloc(bytes)],
});

/** A Revision whose manifests have that digest. */
const revisionOf = (digest: string, name = 'widgets-1'): Revision =>
  ({
    apiVersion: 'slipway.dev/v1alpha1',
    kind: 'Revision',
    metadata: { namespace: 'ops', name },
    spec: { subscription: 'widgets', package: 'widgets', manifests: { digest } },
  }) as unknown as Revision;

const NEXT = { readNextBy: revisionOf('a') };

/** Notes what is unpacked; the one object has the digest as its name. */
function unpacker(noted: string[] = []) {
  return async ({ digest }: PackedManifests): Promise<readonly KubeObject[]> => {
    noted.push(digest);
    return [{ apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: digest } }];
  };
}

test('the objects of stored manifests are taken once, by their digest', async () => {
  const object = { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'x' } };
  const manifests = await packManifests([object]);
  const handed = createHandedManifests();
  handed.put(manifests, NEXT);
  expect(handed.take(revisionOf('sha256:other'))).toBeUndefined();
  const revision = revisionOf(manifests.digest);
  expect(await handed.take(revision)).toMatchObject({ rendered: [object] });
  expect(handed.take(revision)).toBeUndefined();
});

test('objects are prepared ahead for the Revision that reads them next, and for no other one', async () => {
  const handed = createHandedManifests(10, unpacker());
  handed.put(packed('a'), { readNextBy: revisionOf('a') });
  const { rendered = [], prepared } = (await handed.take(revisionOf('a'))) ?? {};
  expect(prepared).toEqual(prepareObjects(rendered, prepareFor(revisionOf('a'))));
  handed.put(packed('a'), { readNextBy: revisionOf('a', 'widgets-2') });
  expect(await handed.take(revisionOf('a'))).toEqual({ rendered });
});

test('manifests are unpacked before they are taken, but for those that would take too much room meanwhile', async () => {
  const noted: string[] = [];
  const handed = createHandedManifests(10, unpacker(noted));
  for (const digest of ['a', 'b', 'c', 'd']) handed.put(packed(digest), NEXT);
  expect(noted).toEqual(['a', 'b']);
  expect((await handed.take(revisionOf('c')))?.rendered.map(({ metadata }) => metadata.name)).toEqual(['c']);
  expect(noted).toEqual(['a', 'b', 'c']);
  await handed.take(revisionOf('a'));
  handed.put(packed('e'), NEXT);
  expect(noted).toEqual(['a', 'b', 'c', 'e']);
});

test('manifests of many values are unpacked when they are taken: by then there is a slot for their memory', async () => {
  const noted: string[] = [];
  const handed = createHandedManifests(10, unpacker(noted));
  handed.put(packed('a', 1, 5 << 20), NEXT);
  expect([noted, handed.weightFor(revisionOf('a')), handed.weightFor(revisionOf('b'))]).toEqual([
    [],
    5 << 20,
    undefined,
  ]);
  await handed.take(revisionOf('a'));
  expect([noted, handed.weightFor(revisionOf('a'))]).toEqual([['a'], undefined]);
});

test('manifests that wait for an approval are unpacked when they are taken', async () => {
  const noted: string[] = [];
  const handed = createHandedManifests(10, unpacker(noted));
  handed.put(packed('a'), {});
  expect(noted).toEqual([]);
  await handed.take(revisionOf('a'));
  expect(noted).toEqual(['a']);
});

test('manifests without a Revision make room', () => {
  const noted: string[] = [];
  const handed = createHandedManifests(10, unpacker(noted));
  for (const digest of ['a', 'b']) handed.put(packed(digest), NEXT);
  handed.drop('a');
  expect(handed.take(revisionOf('a'))).toBeUndefined();
  handed.put(packed('c'), NEXT);
  expect(noted).toEqual(['a', 'b', 'c']);
});

test('manifests that cannot be unpacked fail for the one who takes them only', async () => {
  const handed = createHandedManifests(10, () => Promise.reject(new Error('damaged')));
  handed.put(packed('a'), NEXT);
  handed.put(packed('b'), NEXT);
  await expect(handed.take(revisionOf('b'))).rejects.toThrow('damaged');
});

test('if there is not enough room, the oldest manifests are dropped', () => {
  const handed = createHandedManifests(10, unpacker());
  handed.put(packed('a', 6), NEXT);
  handed.put(packed('b', 4), NEXT);
  handed.put(packed('c', 1), NEXT);
  expect(handed.take(revisionOf('a'))).toBeUndefined();
  expect(handed.take(revisionOf('b'))).toBeDefined();
  expect(handed.take(revisionOf('c'))).toBeDefined();
});

test('manifests that are larger than the room are not kept', () => {
  const handed = createHandedManifests(10, unpacker());
  handed.put(packed('a', 11), NEXT);
  expect(handed.take(revisionOf('a'))).toBeUndefined();
});
