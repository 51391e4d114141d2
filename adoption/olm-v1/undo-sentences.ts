/** The steps of a way back to OLM v1 in sentences. Pure. */
import type { UndoState, UndoStep } from './undo-steps.ts';
import { conditionOf } from './verdict.ts';

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

/** The step, and the state that OLM reports while it is waited for. */
export function describeUndoStep(step: UndoStep, state: Pick<UndoState, 'answer' | 'extension'>): string {
  const sentence = SENTENCES[step];
  if (step === 'AwaitAnswer' && state.answer.kind === 'waiting') return `${sentence}: ${state.answer.message}`;
  const message = step === 'AwaitTakenOver' ? conditionOf(state.extension, 'Progressing')?.message : undefined;
  return message === undefined ? sentence : `${sentence}; OLM reports: ${message}`;
}
