/** When a Subscription is reconciled again although no watch reports a change. Pure. */
import type { Reason } from '../../api/reasons.ts';
import type { Result } from '../../kube/controller/controller.ts';
import type { Refusal } from '../../resolver/decision.ts';
import type { ResolvedPlan } from './decide.ts';
import { isHeldBack } from './wake.ts';

/** Some changes are not watched: another operator's kinds, the end of a window. */
const LOOK_AGAIN_SECONDS = 60;
/** An upgrade that the cluster holds back is less urgent, since the installed version goes on working. */
const LOOK_LATER_SECONDS = 300;
const SOON_SECONDS = 0.01;

/** The pause until the next reconcile; undefined if watches report all that it waits for. */
export function lookAgain({ action, decision }: ResolvedPlan, now: Date): Result {
  if (decision.kind === 'none' && decision.reason === 'ResolutionFailed')
    return { requeueAfterSeconds: isGivenUp(decision) ? LOOK_LATER_SECONDS : LOOK_AGAIN_SECONDS };
  // The hold is handled and reported as soon as the Revision exists.
  if (action.do === 'create' && action.hold !== undefined) return { requeueAfterSeconds: SOON_SECONDS };
  if (action.do !== 'await') return isHeldBack(decision) ? { requeueAfterSeconds: LOOK_LATER_SECONDS } : undefined;
  const { reason, until } = action.hold;
  if (until !== undefined) return { requeueAfterSeconds: Math.max(1, (until.getTime() - now.getTime()) / 1000) };
  return NOT_WATCHED.has(reason) ? { requeueAfterSeconds: LOOK_AGAIN_SECONDS } : undefined;
}

/** With an account no watch reports the OperatorCondition. */
const NOT_WATCHED: ReadonlySet<string> = new Set<Reason>(['DependencyNotReady', 'OperatorNotUpgradeable']);

/** A search that hit its effort limit will hit it again. */
function isGivenUp({ because }: Refusal): boolean {
  return because.some(({ kind }) => kind === 'effort');
}
