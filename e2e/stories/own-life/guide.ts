/** The commands of the guide about the removal of Slipway, without Helm. */
import { stepsOf, type Step } from '../../../scripts/shell-steps.ts';

const GUIDE = 'docs/how-to/remove-slipway.md';

export interface RemovalSteps {
  readonly inOrder: readonly Step[];
  /** Shows the objects that are held if the manager was removed first. */
  readonly whereHeld: readonly Step[];
  /** What helps then. */
  readonly putBack: readonly Step[];
}

export function removalSteps(): RemovalSteps {
  const steps = stepsOf(GUIDE).filter(({ script }) => !script.startsWith('helm'));
  const held = steps.findIndex(({ script }) => script.includes('finalizers'));
  if (held < 1) throw new Error(`${GUIDE} does not show how to find the finalizer that holds a Subscription`);
  return { inOrder: steps.slice(0, held), whereHeld: steps.slice(held, held + 1), putBack: steps.slice(held + 1) };
}
