/** How many manifests are loaded at the same time, by their weight. */
import { beforeEach, describe, expect, test } from 'vitest';
import type { Revision } from '../api/revision.ts';
import { createWeightedSlots, type WeightedSlot } from '../apply/weighted-slots.ts';
import { createFakeCluster, type FakeCluster } from '../kube/testing/fake-cluster.ts';
import { loadWithin, LOADS } from './loads.ts';
import { storeManifests } from './manifest-secrets.ts';
import { describeManifests, packManifests, weightToRead } from './manifests.ts';
import { revision as revisionOf } from './subscription/testing/facts.ts';

const NEVER = new AbortController().signal;
/** A Secret is foreseen to take 700 KiB until its content is known. */
const BOUND = 3 << 20;

let cluster: FakeCluster;

beforeEach(() => {
  cluster = createFakeCluster();
  cluster.put({ apiVersion: 'v1', kind: 'Namespace', metadata: { name: 'ops' } });
});

/** A Revision whose one object has so many characters; they are stored in one Secret. */
async function stored(characters: number): Promise<Revision> {
  const data = { a: 'a'.repeat(characters) };
  const packed = await packManifests([{ apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'x' }, data }]);
  const revision = revisionOf({ manifests: describeManifests('gadget-1', packed) });
  await storeManifests(cluster, revision, packed.pieces);
  return revision;
}

interface Watched {
  readonly slots: () => WeightedSlot;
  /** The most weight that all slots had at a time. */
  readonly peak: () => number;
}

function watched(bound: number): Watched {
  const slots = createWeightedSlots({ most: bound });
  let [held, peak] = [0, 0];
  const watch = (slot: WeightedSlot): WeightedSlot => {
    let own = 0;
    const note = (weight: number): void => {
      held += weight - own;
      own = weight;
      peak = Math.max(peak, held);
    };
    return {
      async take(weight, signal) {
        note(0);
        await slot.take(weight, signal);
        note(weight);
      },
      resize: (weight) => slot.resize(weight) && (note(weight), true),
      free: () => (slot.free(), note(0)),
    };
  };
  return { slots: () => watch(slots()), peak: () => peak };
}

/** Loads, keeps the objects for a while, and returns how many there were. */
async function loadAndUse(slots: () => WeightedSlot, revisions: readonly Revision[]): Promise<number> {
  const slot = slots();
  try {
    const loaded = await loadWithin(cluster, revisions, { slot, signal: NEVER });
    await new Promise((resolve) => setTimeout(resolve, 5));
    return loaded.flat().length;
  } finally {
    slot.free();
  }
}

describe('loads of manifests', () => {
  test.each([
    { characters: 10, count: 20, most: BOUND, because: 'small ones have room together' },
    { characters: 1_400_000, count: 8, most: BOUND, because: 'two of them have room at a time' },
    { characters: 4_000_000, count: 4, most: 4_001_000, because: 'one that is too heavy is loaded alone' },
  ])('$count of $characters characters take at most $most bytes: $because', async ({ characters, count, most }) => {
    const revision = await stored(characters);
    const { slots, peak } = watched(BOUND);
    const loads = Array.from({ length: count }, () => loadAndUse(slots, [revision]));
    expect(await Promise.all(loads)).toEqual(loads.map(() => 1));
    expect(peak()).toBeLessThanOrEqual(most);
    expect(peak()).toBeGreaterThan(characters);
  });

  test('both sides of a change have room together, or wait together', async () => {
    const revision = await stored(1_400_000);
    const { slots, peak } = watched(BOUND);
    const loads = Array.from({ length: 4 }, () => loadAndUse(slots, [revision, revision]));
    expect(await Promise.all(loads)).toEqual([2, 2, 2, 2]);
    expect(peak()).toBeLessThanOrEqual(BOUND);
  });

  test('manifests that need more room than is left are read again once there is room', async () => {
    const revision = await stored(1_400_000);
    const [slots, signal] = [createWeightedSlots({ most: 2_000_000 }), NEVER];
    const [other, slot, probe] = [slots(), slots(), slots()];
    await other.take(1_000_000, signal);
    const loading = loadWithin(cluster, [revision], { slot, signal });
    const reads = (): number =>
      cluster.requests.filter(({ verb, ref }) => verb === 'get' && ref.kind === 'Secret').length;
    // While it waits, it has no room.
    await expect.poll(() => probe.resize(1_000_000)).toBe(true);
    probe.free();
    other.free();
    expect((await loading).flat()).toHaveLength(1);
    expect(reads()).toBe(2);
  });

  test('no small Revision waits for another one: there is room for more than the manager reconciles at the same time', async () => {
    const weight = weightToRead(await stored(10));
    const slots = Array.from({ length: 40 }, () => LOADS());
    expect(slots.map((slot) => slot.resize(weight))).toEqual(slots.map(() => true));
    for (const slot of slots) slot.free();
  });

  test('a load that waits is given up with the reason of the signal', async () => {
    const revision = await stored(10);
    const slots = createWeightedSlots({ most: 1 });
    await slots().take(1, NEVER);
    const aborting = new AbortController();
    const loading = loadWithin(cluster, [revision], { slot: slots(), signal: aborting.signal });
    const reason = new Error('no longer the leader');
    aborting.abort(reason);
    await expect(loading).rejects.toBe(reason);
    expect(cluster.requests.filter(({ verb }) => verb === 'get')).toEqual([]);
  });
});
