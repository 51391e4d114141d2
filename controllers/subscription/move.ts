/** The change of the installed bundle that a plan makes, as far as the words about it depend on it. Pure. */
import { hasWorked } from '../../api/revision.ts';
import { isPublishedAgain } from '../../api/same-bundle.ts';
import type { ResolvedPlan } from './decide.ts';
import { describeMove } from './wording.ts';

/** The change of the installed bundle that is under way. */
export interface Move {
  /** Its unusual side, as the rest of a sentence. */
  readonly unusual?: string;
  /** Whether the next bundle has the name of the installed one and another content. */
  readonly isAgain?: boolean;
  /** Whether the installed bundle works no more and no less than before: another one, which was installed, has failed. */
  readonly isFailure?: boolean;
}

export function moveOf({ decision, installed, failed }: ResolvedPlan): Move {
  const isFailure = failed !== undefined && hasWorked(failed);
  if (decision.kind === 'none') return { isFailure };
  return {
    isFailure,
    unusual: describeMove(decision, installed),
    isAgain: isPublishedAgain(decision.next, installed?.spec),
  };
}
