/** The memory of a roll-out's objects, which has a slot from the load until the attempt is over. */
import { expect, test } from 'vitest';
import { refOf } from '../../api/object.ts';
import { sample, sampleDeployment } from '../../apply/testing/sample-objects.ts';
import { createWeightedSlots, type WeightedSlot } from '../../apply/weighted-slots.ts';
import { createHarness, NAMESPACE, type Harness } from './testing/harness.ts';

const NEVER = new AbortController().signal;
const object = sample('v1', 'ConfigMap', 'widget', { namespace: NAMESPACE });

interface Scene {
  readonly harness: Harness;
  readonly slots: () => WeightedSlot;
  readonly isApplied: () => Promise<boolean>;
}

/** A Revision that is to be rolled out, and room for one load at a time. */
async function scene(): Promise<Scene> {
  const slots = createWeightedSlots({ most: 1 });
  const harness = createHarness({ loads: slots });
  await harness.addRevision(1, [object]);
  return { harness, slots, isApplied: async () => (await harness.cluster.get(refOf(object))) !== undefined };
}

/** Whether no slot has any room. */
async function isFree(slots: () => WeightedSlot): Promise<boolean> {
  const [first, second] = [slots(), slots()];
  await first.take(1, AbortSignal.timeout(1000));
  const isBounded = !second.resize(1);
  first.free();
  return isBounded;
}

test('a roll-out waits for room before it loads its objects, and gives it back when the attempt is over', async () => {
  const { slots, isApplied, harness } = await scene();
  const other = slots();
  await other.take(1, NEVER);
  const reconciled = harness.reconcile(1);
  await new Promise((resolve) => setImmediate(resolve));
  expect(await isApplied()).toBe(false);
  other.free();
  await reconciled;
  expect(await isApplied()).toBe(true);
  expect(await isFree(slots)).toBe(true);
});

test('a roll-out whose manifests are lost gives its room back', async () => {
  const { slots, harness } = await scene();
  for (const secret of harness.cluster.objects().filter(({ kind }) => kind === 'Secret'))
    await harness.cluster.delete(refOf(secret));
  await expect(harness.reconcile(1)).rejects.toMatchObject({ reason: 'ManifestsMissing' });
  expect(await isFree(slots)).toBe(true);
});

test('a roll-out that waits for room ends with its signal', async () => {
  const { slots, harness } = await scene();
  await slots().take(1, NEVER);
  const aborting = new AbortController();
  const reconciled = harness.reconcile(1, aborting.signal);
  const reason = new Error('stopped');
  setImmediate(() => aborting.abort(reason));
  await expect(reconciled).rejects.toBe(reason);
});

test('objects that stay in memory between two attempts take room in each', async () => {
  const slots = createWeightedSlots({ most: 1 });
  const taken: number[] = [];
  const loads = (): WeightedSlot => {
    const slot = slots();
    return { ...slot, take: (weight, signal) => (taken.push(weight), slot.take(weight, signal)) };
  };
  // Its Deployment never becomes available.
  const harness = createHarness({ loads, react: (live) => live });
  const { metadata, ...deployment } = sampleDeployment('widget');
  await harness.addRevision(1, [{ ...deployment, metadata: { ...metadata, namespace: NAMESPACE } }]);
  await harness.reconcile(1);
  const { loaded } = harness.memories.of(harness.revision(1));
  taken.length = 0;
  await harness.reconcile(1);
  expect([loaded?.weight, taken]).toEqual([expect.any(Number), [loaded?.weight]]);
  expect(await isFree(slots)).toBe(true);
});
