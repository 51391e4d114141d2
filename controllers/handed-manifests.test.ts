import { expect, test } from 'vitest';
import type { KubeObject } from '../api/object.ts';
import { createHandedManifests } from './handed-manifests.ts';
import { packManifests, type PackedManifests } from './manifests.ts';

const packed = (digest: string, bytes = 1): PackedManifests => ({ digest, objects: 1, pieces: [Buffer.alloc(bytes)] });

const NEXT = { isReadNext: true };

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
  expect(handed.take('sha256:other')).toBeUndefined();
  expect(await handed.take(manifests.digest)).toEqual([object]);
  expect(handed.take(manifests.digest)).toBeUndefined();
});

test('manifests are unpacked before they are taken, but for those that would take too much room meanwhile', async () => {
  const noted: string[] = [];
  const handed = createHandedManifests(10, unpacker(noted));
  for (const digest of ['a', 'b', 'c', 'd']) handed.put(packed(digest), NEXT);
  expect(noted).toEqual(['a', 'b']);
  expect((await handed.take('c'))?.map(({ metadata }) => metadata.name)).toEqual(['c']);
  expect(noted).toEqual(['a', 'b', 'c']);
  await handed.take('a');
  handed.put(packed('e'), NEXT);
  expect(noted).toEqual(['a', 'b', 'c', 'e']);
});

test('manifests that wait for an approval are unpacked when they are taken', async () => {
  const noted: string[] = [];
  const handed = createHandedManifests(10, unpacker(noted));
  handed.put(packed('a'), { isReadNext: false });
  expect(noted).toEqual([]);
  await handed.take('a');
  expect(noted).toEqual(['a']);
});

test('manifests without a Revision make room', () => {
  const noted: string[] = [];
  const handed = createHandedManifests(10, unpacker(noted));
  for (const digest of ['a', 'b']) handed.put(packed(digest), NEXT);
  handed.drop('a');
  expect(handed.take('a')).toBeUndefined();
  handed.put(packed('c'), NEXT);
  expect(noted).toEqual(['a', 'b', 'c']);
});

test('manifests that cannot be unpacked fail for the one who takes them only', async () => {
  const handed = createHandedManifests(10, () => Promise.reject(new Error('damaged')));
  handed.put(packed('a'), NEXT);
  handed.put(packed('b'), NEXT);
  await expect(handed.take('b')).rejects.toThrow('damaged');
});

test('if there is not enough room, the oldest manifests are dropped', () => {
  const handed = createHandedManifests(10, unpacker());
  handed.put(packed('a', 6), NEXT);
  handed.put(packed('b', 4), NEXT);
  handed.put(packed('c', 1), NEXT);
  expect(handed.take('a')).toBeUndefined();
  expect(handed.take('b')).toBeDefined();
  expect(handed.take('c')).toBeDefined();
});

test('manifests that are larger than the room are not kept', () => {
  const handed = createHandedManifests(10, unpacker());
  handed.put(packed('a', 11), NEXT);
  expect(handed.take('a')).toBeUndefined();
});
