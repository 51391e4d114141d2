/**
 * Waits within a roll-out for what is ready a moment after it was written: CRDs to be Established, Deployments of
 * programs that start at once. Going on costs less than coming back: a status that nobody reads, and every object
 * looked at again. What takes longer is left to the watches; roll-out.ts asks.
 */
import { newerOf, type ApplyRequest } from '../../apply/apply.ts';
import { identityOf } from '../../apply/identity.ts';
import type { PhaseName } from '../../apply/phases.ts';
import { waitUntilReady, type Observe } from '../../apply/wait.ts';
import { refOf, type KubeObject } from '../../api/object.ts';
import type { ManagedObjects } from './managed-objects.ts';
import { observeManaged } from './observe-managed.ts';

/** A large CRD is Established in less than two seconds unless the API server has much to do. */
const CRD_SECONDS = 3;
/** Whether a workload that is not there by then comes in two seconds or in two minutes, nobody knows. */
const OTHER_SECONDS = 1;

/** Of the reconciles that there are at a time, others are to go on meanwhile. */
const MOST_WAITING = 8;

export interface PhaseWaits {
  /** `waitFor` of one apply. */
  of(signal: AbortSignal): NonNullable<ApplyRequest['waitFor']>;
}

/** @param secondsOf How long a phase is waited for. */
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

/** What the watches know, but never less than what the API server has answered. */
function orAnswered(observe: Observe, objects: readonly KubeObject[]): Observe {
  const written = objects.filter(({ metadata }) => metadata.uid !== undefined);
  const answers = new Map(written.map((object) => [identityOf(refOf(object)), object]));
  return async function* newest(refs, signal) {
    for await (const observations of observe(refs, signal)) {
      yield observations.map(({ ref, object }) => ({ ref, object: newerOf(object, answers.get(identityOf(ref))) }));
    }
  };
}
