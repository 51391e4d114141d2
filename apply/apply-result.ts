/** The result of applying a revision's objects, by phase: data to print, to store and to decide on. */
import type { ObjectRef } from '../api/object.ts';
import type { Failure } from './api-failure.ts';
import type { Health } from './health.ts';
import { mergeInventories, type InventoryEntry } from './inventory.ts';
import type { PhaseName } from './phases.ts';
import type { TakenOver } from './taken-over.ts';

export type ApplyOutcome = 'created' | 'configured' | 'unchanged' | 'collision' | 'failed' | 'waiting';

/** The result for one object. */
export interface ObjectResult {
  readonly phase: PhaseName;
  readonly ref: ObjectRef;
  readonly outcome: ApplyOutcome;
  /** For created, configured and unchanged. */
  readonly entry?: InventoryEntry;
  /** For collision and failed. */
  readonly failure?: Failure;
  /** For an object of another maker that was written for the first time: the parts of it that stay. */
  readonly takenOver?: TakenOver;
  /** For waiting: the phase or object that it waits for. */
  readonly message?: string;
}

/** An object that is applied but does not work (yet). */
export interface Unready {
  readonly ref: ObjectRef;
  readonly health: Health;
}

export interface PhaseResult {
  readonly name: PhaseName;
  /** `Done`: applied and working. `NotReady`: applied. `Failed`: an object was refused. `Waiting`: not begun. */
  readonly state: 'Done' | 'NotReady' | 'Failed' | 'Waiting';
  readonly objects: readonly ObjectResult[];
  readonly unready: readonly Unready[];
}

export interface ApplyResult {
  /** `Complete`: everything is there and works. `Waiting`: call again when something has changed. */
  readonly state: 'Complete' | 'Waiting' | 'Failed';
  readonly phases: readonly PhaseResult[];
  /** The objects now in the cluster: the previous inventory, including leftovers to prune, and the objects applied. */
  readonly inventory: readonly InventoryEntry[];
  /** Every collision and failure, in order. */
  readonly failures: readonly Failure[];
  /** Requests to the API server, without those of `holdBack`. */
  readonly requests: number;
}

/** The result of a run; `previous` is the inventory before it. */
export function summarizePhases(
  phases: readonly PhaseResult[],
  previous: readonly InventoryEntry[],
  requests: number,
): ApplyResult {
  const objects = phases.flatMap((phase) => phase.objects);
  const failures = objects.flatMap(({ failure }) => failure ?? []);
  const entries = objects.flatMap(({ entry }) => entry ?? []);
  const done = phases.every(({ state }) => state === 'Done');
  return {
    state: failures.length > 0 ? 'Failed' : done ? 'Complete' : 'Waiting',
    phases,
    inventory: mergeInventories(previous, entries),
    failures,
    requests,
  };
}
