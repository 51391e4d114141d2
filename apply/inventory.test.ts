import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { refOf, type KubeObject } from '../api/object.ts';
import { identityOf } from './identity.ts';
import { diffInventory, entryOf, isIntact, mergeInventories, type InventoryEntry } from './inventory.ts';
import { prepared, sample } from './sample-objects.ts';

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

/** What the API server answers to the object. */
const answered = (object: KubeObject, uid = 'u', generation = 1): KubeObject => ({
  ...object,
  metadata: { ...object.metadata, uid, generation, resourceVersion: '7' },
});

describe('the difference of an inventory and what is desired', () => {
  test('every desired object is applied or unchanged, and never both', () => {
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

  test('what is pruned is exactly what was there and is not desired', () => {
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

  test('nothing is to be done for what has just been applied', () => {
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

  test('an object that is only intended is still to be applied', () => {
    const desired = prepared([sample('v1', 'ConfigMap', 'a')]);
    expect(
      diffInventory(
        desired.map((object) => entryOf(object)),
        desired,
      ).applied,
    ).toEqual(desired);
  });

  test('a new version of the same group and kind is the same object: changed, not pruned', () => {
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

describe('two inventories as one', () => {
  test('hold every object once; the later entry counts, but a known uid is never given up', () => {
    const [a] = prepared([sample('v1', 'ConfigMap', 'a')]) as [KubeObject];
    const [b] = prepared([sample('v1', 'ConfigMap', 'b')]) as [KubeObject];
    const merged = mergeInventories(
      [entryOf(a, answered(a, 'old')), entryOf(b, answered(b, 'kept'))],
      [entryOf(a, answered(a, 'new')), entryOf(b)],
    );
    expect(merged).toEqual([entryOf(a, answered(a, 'new')), entryOf(b, answered(b, 'kept'))]);
  });
});

describe('an object that was applied is intact', () => {
  const [object] = prepared([sample('v1', 'ConfigMap', 'a')]) as [KubeObject];
  const entry = entryOf(object, answered(object));
  const { generation: _generation, ...plain } = answered(object).metadata;
  test.each([
    { live: answered(object), intact: true, because: 'it is as it was answered' },
    { live: answered(object, 'u', 2), intact: false, because: 'its spec was changed since' },
    { live: answered(object, 'v'), intact: false, because: 'it is another object of that name' },
    { live: undefined, intact: false, because: 'it is gone' },
    {
      live: { ...object, metadata: { ...answered(object).metadata, deletionTimestamp: '2000-01-01T00:00:00Z' } },
      intact: false,
      because: 'it is being deleted',
    },
    { live: { ...object, metadata: plain }, intact: false, because: 'a state without generation is not comparable' },
  ])('$intact, because $because', ({ live, intact }) => {
    expect(isIntact(entry, live)).toBe(intact);
  });
});
