/**
 * Bounds the memory of all manifests that are loaded at the same time: many Revisions may be reconciled at once, and each
 * reconcile holds all objects of a bundle until it has used them. Each caller has a slot until then.
 */
import type { Cluster } from '../api/cluster.ts';
import type { KubeObject } from '../api/object.ts';
import type { Revision } from '../api/revision.ts';
import { createWeightedSlots, type WeightedSlot } from '../apply/weighted-slots.ts';
import { readManifests, weightToRead, type ReadManifests } from './manifests.ts';

/** As heavy as one bundle may be. */
const MOST_LOADED = 32 << 20;

/**
 * Lighter ones never wait, so that no heavy bundle holds up the operators of others: the heaviest of the 60 packages that tests
 * install is lighter. Reconciles bound how many there are at the same time.
 */
const LIGHT = 2 << 20;

/** Slots of all loads of this process. A holder waits for no second slot, and for no lock: such a wait might never end. */
export const LOADS = createWeightedSlots({ most: MOST_LOADED, light: LIGHT });

export interface LoadRoom {
  /** Has the weight of the objects afterwards. The caller frees it once it has used them. */
  readonly slot: WeightedSlot;
  readonly signal: AbortSignal;
}

/**
 * The objects of Revisions, once there is room for all of them. The slot gives back first the weight that it had. Throws as
 * loadManifests does, and the reason of the signal.
 */
export async function loadWithin(
  cluster: Pick<Cluster, 'get'>,
  revisions: readonly Revision[],
  { slot, signal }: LoadRoom,
): Promise<readonly (readonly KubeObject[])[]> {
  await slot.take(sum(revisions.map(weightToRead)), signal);
  const read = await readEach(cluster, revisions);
  const weight = sum(read.map((one) => one.weight));
  if (slot.resize(weight)) return parseEach(read);
  // To wait for more room, what was read is dropped with its room.
  read.length = 0;
  await slot.take(weight, signal);
  return parseEach(await readEach(cluster, revisions));
}

/** The result of a use of a Revision's objects, which keeps none of them. Throws as {@link loadWithin} and the use do. */
export async function useManifests<Result>(
  { cluster, signal }: { readonly cluster: Pick<Cluster, 'get'>; readonly signal: AbortSignal },
  revision: Revision,
  use: (objects: readonly KubeObject[]) => Result,
): Promise<Result> {
  const slot = LOADS();
  try {
    const [objects = []] = await loadWithin(cluster, [revision], { slot, signal });
    return use(objects);
  } finally {
    slot.free();
  }
}

function readEach(cluster: Pick<Cluster, 'get'>, revisions: readonly Revision[]): Promise<ReadManifests[]> {
  return Promise.all(revisions.map((revision) => readManifests(cluster, revision)));
}

function parseEach(read: readonly ReadManifests[]): Promise<readonly (readonly KubeObject[])[]> {
  return Promise.all(read.map(({ parse }) => parse()));
}

function sum(numbers: readonly number[]): number {
  return numbers.reduce((total, one) => total + one, 0);
}
