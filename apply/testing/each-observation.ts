import type { Observation, Observe } from '../wait.ts';

/** Observes in the same way, and calls a function with each observation before the wait has it. */
export function eachObservation(observe: Observe, note: (observed: readonly Observation[]) => void): Observe {
  return async function* noted(refs, signal) {
    for await (const observed of observe(refs, signal)) {
      note(observed);
      yield observed;
    }
  };
}
