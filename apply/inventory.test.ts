import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { refOf, type KubeObject } from '../api/object.ts';
import { identityOf } from './identity.ts';
import { diffInventory, entryOf, isIntact, mergeInventories, type InventoryEntry } from './inventory.ts';
import { prepared, sample } from './testing/sample-objects.ts';

const objects = fc
  .uniqueArray(
    fc.record({
      kind: fc.constantFrom('ConfigMap', 'Secret'),
      name: fc.constantFrom('a', 'b', 'c', 'd'),
      data: fc.constantFrom('1', '2'),
    }),
    { selector: ({ kind, name }) => `${kind}/${name}` },
  )
  .map((all) => prepared(all.map(({ kind, name, data }) => sample('v1', kind, name, { data: { x: data } }))));

const identities = (refs: readonly (KubeObject | InventoryEntry)[]): string[] =>
  refs.map((ref) => identityOf('metadata' in ref ? refOf(ref) : ref)).sort();

/** The API server's answer for the object. */
const answered = (object: KubeObject, uid = 'u', generation = 1): KubeObject => ({
  ...object,
  metadata: { ...object.metadata, uid, generation, resourceVersion: '7' },
});

describe('the function diffInventory', () => {
  test('every desired object is either applied or unchanged', () => {
    fc.assert(
      fc.property(objects, objects, (before, desired) => {
        const diff = diffInventory(
          before.map((object) => entryOf(object, answered(object))),
          desired,
        );
        expect(identities([...diff.applied, ...diff.unchanged])).toEqual(identities(desired));
      }),
    );
  });

  test('exactly the objects that were there and are no longer desired are pruned', () => {
    fc.assert(
      fc.property(objects, objects, (before, desired) => {
        const { pruned } = diffInventory(
          before.map((object) => entryOf(object, answered(object))),
          desired,
        );
        const wanted = new Set(identities(desired));
        expect(identities(pruned)).toEqual(identities(before).filter((identity) => !wanted.has(identity)));
      }),
    );
  });

  test('there is nothing to do right after an apply', () => {
    fc.assert(
      fc.property(objects, (desired) => {
        const { applied, pruned } = diffInventory(
          desired.map((object) => entryOf(object, answered(object))),
          desired,
        );
        expect([applied, pruned]).toEqual([[], []]);
      }),
    );
  });

  test('an object that is only intended still has to be applied', () => {
    const desired = prepared([sample('v1', 'ConfigMap', 'a')]);
    expect(
      diffInventory(
        desired.map((object) => entryOf(object)),
        desired,
      ).applied,
    ).toEqual(desired);
  });

  test('another version of the same group and kind is the same object: changed, not pruned', () => {
    const [old] = prepared([sample('policy/v1beta1', 'PodDisruptionBudget', 'a')]);
    const desired = prepared([sample('policy/v1', 'PodDisruptionBudget', 'a')]);
    const diff = diffInventory([entryOf(old as KubeObject, answered(old as KubeObject))], desired);
    expect(diff).toEqual({ applied: desired, unchanged: [], pruned: [] });
  });

  test('the same kind of another group is another object', () => {
    const [old] = prepared([sample('a.example/v1', 'Widget', 'x')]);
    const desired = prepared([sample('b.example/v1', 'Widget', 'x')]);
    expect(diffInventory([entryOf(old as KubeObject, answered(old as KubeObject))], desired).pruned).toHaveLength(1);
  });
});

describe('the function mergeInventories', () => {
  test('a merged inventory has every object once; the later entry wins, but a known uid is never lost', () => {
    const [a] = prepared([sample('v1', 'ConfigMap', 'a')]) as [KubeObject];
    const [b] = prepared([sample('v1', 'ConfigMap', 'b')]) as [KubeObject];
    const merged = mergeInventories(
      [entryOf(a, answered(a, 'old')), entryOf(b, answered(b, 'kept'))],
      [entryOf(a, answered(a, 'new')), entryOf(b)],
    );
    expect(merged).toEqual([entryOf(a, answered(a, 'new')), entryOf(b, answered(b, 'kept'))]);
  });
});

describe('the function isIntact', () => {
  const [object] = prepared([sample('v1', 'ConfigMap', 'a')]) as [KubeObject];
  const entry = entryOf(object, answered(object));
  const { generation: _generation, ...plain } = answered(object).metadata;
  test.each([
    { live: answered(object), intact: true, because: 'it is as the API server answered' },
    { live: answered(object, 'u', 2), intact: false, because: 'its spec was changed later' },
    { live: answered(object, 'v'), intact: false, because: 'another object has its name' },
    { live: undefined, intact: false, because: 'it no longer exists' },
    {
      live: { ...object, metadata: { ...answered(object).metadata, deletionTimestamp: '2000-01-01T00:00:00Z' } },
      intact: false,
      because: 'it is being deleted',
    },
    { live: { ...object, metadata: plain }, intact: false, because: 'a state without generation cannot be compared' },
  ])('an applied object is intact: $intact, because $because', ({ live, intact }) => {
    expect(isIntact(entry, live)).toBe(intact);
  });
});
