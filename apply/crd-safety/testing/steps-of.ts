/** Measures the effort of judging, in steps: they do not depend on the machine. */
import { takeSteps, withinSteps } from '../server/steps.ts';

const MOST = 10_000_000;

/** The number of steps that a run takes, those of runs within it included. */
export function stepsOf(run: () => void): number {
  let left = 0;
  withinSteps(() => {
    run();
    for (; ; left += 1) takeSteps(1);
  }, MOST);
  return MOST - left;
}
