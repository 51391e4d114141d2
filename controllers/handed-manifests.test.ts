import { expect, test } from 'vitest';
import { createHandedManifests } from './handed-manifests.ts';
import type { PackedManifests } from './manifests.ts';

const packed = (digest: string, bytes = 1): PackedManifests => ({ digest, objects: 1, pieces: [Buffer.alloc(bytes)] });

test('stored manifests are taken once, by their digest', () => {
  const handed = createHandedManifests();
  handed.put(packed('a', 3));
  expect(handed.take('b')).toBeUndefined();
  expect(handed.take('a')).toEqual([Buffer.alloc(3)]);
  expect(handed.take('a')).toBeUndefined();
});

test('if there is not enough room, the oldest manifests are dropped', () => {
  const handed = createHandedManifests(10);
  handed.put(packed('a', 6));
  handed.put(packed('b', 4));
  handed.put(packed('c', 1));
  expect(handed.take('a')).toBeUndefined();
  expect(handed.take('b')).toBeDefined();
  expect(handed.take('c')).toBeDefined();
});

test('manifests that are larger than the room are not kept', () => {
  const handed = createHandedManifests(10);
  handed.put(packed('a', 11));
  expect(handed.take('a')).toBeUndefined();
});
