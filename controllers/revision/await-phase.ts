/**
 * Waits within a roll-out for objects that are ready a moment after they were written: CRDs to be Established,
 * Deployments of programs that start at once. To wait costs less than another reconcile, which writes an intermediate
 * status and checks every object again. Objects that take longer are left to the watches. Used by the step `apply`.
 */
import type { Unready } from '../../apply/apply.ts';
import { newerOf } from '../../apply/watched.ts';
import { identityOf } from '../../apply/identity.ts';
import type { PhaseName } from '../../apply/phases.ts';
import { waitUntilReady, type Observe } from '../../apply/wait.ts';
import { refOf, type KubeObject } from '../../api/object.ts';
import type { ManagedObjects } from './managed-objects.ts';
import { observeManaged } from './observe-managed.ts';

/** A large CRD is Established in less than two seconds unless the API server has much to do. */
const CRD_SECONDS = 3;
/** A workload that is not ready by then may take two seconds or two minutes. */
const OTHER_SECONDS = 1;

/** The most reconciles that wait at the same time, so that the others go on. */
const MOST_WAITING = 8;

export interface PhaseWaits {
  /** The wait of one apply: returns the objects of a phase that do not work in time. */
  of(signal: AbortSignal): (phase: PhaseName, objects: readonly KubeObject[]) => Promise<readonly Unready[]>;
}

/** @param secondsOf The longest wait for a phase. */
export function createPhaseWaits(
  managed: Pick<ManagedObjects, 'get' | 'onChange'>,
  secondsOf: (phase: PhaseName) => number = patienceFor,
): PhaseWaits {
  const observe = observeManaged(managed);
  let waiting = 0;
  return {
    of: (signal) => async (phase, objects) => {
      const deadlineSeconds = waiting < MOST_WAITING ? secondsOf(phase) : 0;
      waiting += 1;
      try {
        return await waitUntilReady(objects.map(refOf), {
          observe: orAnswered(observe, objects),
          deadlineSeconds,
          signal,
        });
      } finally {
        waiting -= 1;
      }
    },
  };
}

function patienceFor(phase: PhaseName): number {
  return phase === 'crds' ? CRD_SECONDS : OTHER_SECONDS;
}

/** The state in the watches, or the API server's answer to our write if that is newer. */
function orAnswered(observe: Observe, objects: readonly KubeObject[]): Observe {
  const written = objects.filter(({ metadata }) => metadata.uid !== undefined);
  const answers = new Map(written.map((object) => [identityOf(refOf(object)), object]));
  return async function* newest(refs, signal) {
    for await (const observations of observe(refs, signal)) {
      yield observations.map(({ ref, object }) => ({ ref, object: newerOf(object, answers.get(identityOf(ref))) }));
    }
  };
}
