/** The steps of a way back to OLM v1 in sentences. Pure. */
import { finalizersLeft, joined, reportOfSlipway } from '../awaiting.ts';
import { reportOfOlm } from './report-of-olm.ts';
import type { UndoState, UndoStep } from './undo-steps.ts';

/** A sentence for each step. */
const SENTENCES: Readonly<Record<UndoStep, string>> = {
  CallOff: 'Call off the hand-over: give the ClusterExtension its versions back, and delete the backup',
  Offer: 'Create the ClusterExtension, pinned to the installed version',
  AwaitAnswer: 'Wait until OLM has found that version',
  Withdraw: 'Delete the ClusterExtension: Slipway keeps the operator',
  AwaitWithdrawn: 'Wait until OLM has taken its finalizers off the ClusterExtension',
  KeepList: 'Keep a list of the objects that Slipway manages in the Secret of the backup',
  Pin: "Pin Slipway's Subscription to the installed version, and have it leave its objects",
  AwaitPinned: 'Wait until the manager has acted on that, and has pruned the leftovers of the last upgrade',
  Orphan: "Delete Slipway's Subscription, and leave its objects",
  AwaitOrphaned: "Wait until the manager has released Slipway's Subscription",
  Repeat: 'Offer OLM the operator again: the ClusterExtension was changed',
  Mark: 'Give the objects the marks of OLM',
  Ask: 'Ask OLM to take the objects over',
  AwaitTakenOver: 'Wait until OLM has taken the objects over',
  Restore: "Give the ClusterExtension the versions that Slipway's Subscription allowed",
  ForgetBackup: 'Delete the backup',
};

/** The step, and the report of the program that is waited for. */
export function describeUndoStep(
  step: UndoStep,
  { answer, extension, subscription }: Pick<UndoState, 'answer' | 'extension' | 'subscription'>,
): string {
  const sentence = SENTENCES[step];
  switch (step) {
    case 'AwaitAnswer':
      return answer.kind === 'waiting' ? `${sentence}: ${answer.message}` : sentence;
    case 'AwaitTakenOver':
      return joined(sentence, reportOfOlm(extension));
    case 'AwaitWithdrawn':
      return joined(sentence, finalizersLeft(extension), reportOfOlm(extension));
    case 'AwaitPinned':
    case 'AwaitOrphaned':
      return joined(sentence, reportOfSlipway(subscription));
    default:
      return sentence;
  }
}
