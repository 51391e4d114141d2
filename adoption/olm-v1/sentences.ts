/** The steps of a hand-over in sentences. Pure. */
import { awaitingReady, finalizersLeft, joined, PIN_CHANGED } from '../awaiting.ts';
import { reportOfOlm } from './report-of-olm.ts';
import type { HandOverState, StepName } from './steps.ts';

/** A sentence for each step. */
const SENTENCES: Readonly<Record<StepName, string>> = {
  AwaitOlm: 'Wait for OLM to end its work on the operator',
  BackUp: 'Keep a backup of the ClusterExtension in a Secret',
  Pause: 'Set the version of the ClusterExtension to the installed one, so that OLM upgrades nothing meanwhile',
  AwaitPause: 'Wait until OLM has acted on that version',
  Resume: 'Give the ClusterExtension its versions back, because OLM had begun an upgrade',
  Hold: 'Add a finalizer to the ClusterExtension',
  Delete: 'Delete the ClusterExtension, without its objects',
  AwaitOlmOut: 'Wait until OLM and the garbage collector have taken their finalizers off',
  HandOver: "Take OLM's marks off the objects and hand them over",
  Subscribe: "Create Slipway's Subscription, pinned to the installed version",
  AwaitPin: PIN_CHANGED,
  AwaitReady: "Wait until Slipway's Subscription is Ready",
  Release: 'Remove the finalizer, and the ClusterExtension with it',
  CleanUp: 'Delete the Secrets of the release of Helm',
  Unpin: "Give Slipway's Subscription the versions that the ClusterExtension allowed, so that upgrades go on",
  End: 'Note in the backup that the operator is handed over',
  Done: 'The operator is handed over',
};

/** Steps that wait for OLM. */
const FOR_OLM: ReadonlySet<StepName> = new Set(['AwaitOlm', 'AwaitPause', 'AwaitOlmOut']);

/** The step, and the report of the program that is waited for. */
export function describeStep(
  step: StepName,
  { subscription, extension }: Pick<HandOverState, 'subscription' | 'extension'>,
): string {
  if (step === 'AwaitReady') return awaitingReady(SENTENCES[step], subscription);
  if (!FOR_OLM.has(step)) return SENTENCES[step];
  const left = step === 'AwaitOlmOut' ? finalizersLeft(extension) : undefined;
  return joined(SENTENCES[step], left, reportOfOlm(extension));
}
