/** The steps of a hand-over in sentences, for the command line and for conditions. Pure. */
import { awaitingReady, finalizersLeft, joined, ofOlm, PIN_CHANGED } from '../awaiting.ts';
import type { Gathered } from './gather.ts';
import type { StepName } from './steps.ts';
import { judgeOperator } from './verdict.ts';

/** A sentence for each step. */
const SENTENCES: Readonly<Record<StepName, string>> = {
  AwaitOlm: 'Wait for OLM to end its work on the operator',
  BackUp: "Keep a backup of OLM's objects in a Secret",
  Pause: "Set OLM's Subscription to manual approval, so that OLM upgrades nothing meanwhile",
  Hold: 'Add a finalizer to the ClusterServiceVersion',
  Delete: "Take OLM's finalizer off the ClusterServiceVersion and delete it, without its objects",
  DeleteSubscription: "Delete OLM's Subscription",
  AwaitCollector: 'Wait for the garbage collector to take the owner references off',
  HandOver: "Take OLM's marks off the objects and hand them over",
  Subscribe: "Create Slipway's Subscription, pinned to the installed version",
  AwaitPin: PIN_CHANGED,
  AwaitReady: "Wait until Slipway's Subscription is Ready",
  Forget: 'Take the annotations off the ClusterServiceVersion by which OLM finds its objects',
  Release: 'Remove the finalizer, and the ClusterServiceVersion with it',
  AwaitCondition: 'Wait until the OperatorCondition is deleted with the ClusterServiceVersion',
  RestoreCondition: 'Create the OperatorCondition again',
  CleanUp: 'Delete what only OLM used: rights and webhook configurations under its names, InstallPlans',
  Unpin: "Take the version out of Slipway's Subscription, so that upgrades go on",
  End: 'Note in the backup that the operator is handed over',
  Done: 'The operator is handed over',
};

/** The step, and the obstacle while it is waited for. */
export function describeStep(step: StepName, { state, survey }: Pick<Gathered, 'state' | 'survey'>): string {
  if (step === 'AwaitReady') return awaitingReady(SENTENCES[step], state.subscription);
  if (step === 'AwaitCollector') return joined(SENTENCES[step], finalizersLeft(state.csv));
  if (step !== 'AwaitOlm') return SENTENCES[step];
  const verdict = judgeOperator(survey);
  return joined(SENTENCES[step], verdict.kind === 'ready' ? undefined : ofOlm(verdict.message));
}
