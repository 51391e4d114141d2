/**
 * Decides the next step of the way back to OLM v1, from the state of the cluster alone. Pure. The order keeps OLM from
 * harming: its Helm takes over objects that exist and have its marks, and writes nothing as long as one lacks them. So the
 * ClusterExtension is created first, pinned to the installed version, while Slipway still has the operator; OLM answers
 * whether it has that version. Then Slipway leaves the objects, and they get the marks of OLM. See decision 35.
 */
import type { KubeObject, ObjectRef } from '../../api/object.ts';
import type { Answer } from './offer.ts';

/** The state of a way back. */
export interface UndoState {
  /** Whether the hand-over has begun and the ClusterExtension is not deleted yet: it is only called off. */
  readonly isBegun: boolean;
  /** Slipway's Subscription. */
  readonly subscription: KubeObject | undefined;
  /** Whether Slipway has none of its Revisions any more: each one that is left would remove the objects. True while it exists. */
  readonly isReleased: boolean;
  /** Whether the Secret of the backup has the list: of the installed version, and with the ClusterExtension if it exists. */
  readonly isKept: boolean;
  /** Whether the Subscription names the installed version only, and leaves its objects when it is deleted. */
  readonly isPinned: boolean;
  /** Whether the manager has acted on that: no upgrade can begin, and no leftovers of the last one exist. */
  readonly isStill: boolean;
  readonly extension: KubeObject | undefined;
  /** Whether the ClusterExtension is one of a way back. */
  readonly isOffer: boolean;
  /** Whether it names the installed version. */
  readonly isOfVersion: boolean;
  readonly answer: Answer;
  /** The objects that have the marks of Slipway's Subscription; empty while it exists. */
  readonly unmarked: readonly ObjectRef[];
  /** Whether OLM was asked to take them over. */
  readonly isAsked: boolean;
  /** Whether OLM has done so, in any version, and is at rest. */
  readonly isTakenOver: boolean;
  /** Whether OLM reports any version as installed by the ClusterExtension. */
  readonly hasInstalled: boolean;
  /** Whether the ClusterExtension has the pin of the way back, and is to have other versions at the end. */
  readonly isStillPinned: boolean;
}

/** The steps, in their order. */
export const UNDO_STEPS = [
  'CallOff',
  'KeepList',
  'Offer',
  'AwaitAnswer',
  'Withdraw',
  'AwaitWithdrawn',
  'Pin',
  'AwaitPinned',
  'Orphan',
  'AwaitOrphaned',
  'Repeat',
  'Mark',
  'Ask',
  'AwaitTakenOver',
  'Restore',
  'ForgetBackup',
] as const;

export type UndoStep = (typeof UNDO_STEPS)[number];

/** The next step. `CallOff` and `ForgetBackup` are the last ones. */
export function nextUndoStep(state: UndoState): UndoStep {
  const { isBegun, subscription, isReleased, isKept, extension } = state;
  if (isBegun) return 'CallOff';
  if (isBeingDeleted(subscription) || !isReleased) return 'AwaitOrphaned';
  if (isBeingDeleted(extension)) return 'AwaitWithdrawn';
  // The list holds an uninstall: OLM would install the operator again if its objects were gone.
  if (extension === undefined) return subscription === undefined || isKept ? 'Offer' : 'KeepList';
  return subscription === undefined ? stepOfOlm(state) : stepWithSlipway(state);
}

function isBeingDeleted(object: KubeObject | undefined): boolean {
  return object?.metadata.deletionTimestamp !== undefined;
}

function stepWithSlipway({ isOfVersion, answer, isKept, isPinned, isStill }: UndoState): UndoStep {
  // Slipway may have upgraded since the offer.
  if (!isOfVersion || answer.kind === 'refused') return 'Withdraw';
  if (answer.kind === 'waiting') return 'AwaitAnswer';
  if (!isKept) return 'KeepList';
  if (!isPinned) return 'Pin';
  return isStill ? 'Orphan' : 'AwaitPinned';
}

function stepOfOlm(state: UndoState): UndoStep {
  const { isOffer, isOfVersion, unmarked, isAsked, hasInstalled, isTakenOver, isStillPinned } = state;
  // Another program may take the annotation off, or write the versions of its own file.
  if (!isOffer) return hasInstalled && unmarked.length === 0 && !isStillPinned ? 'ForgetBackup' : 'Repeat';
  if (!isOfVersion && !isAsked && !hasInstalled) return 'Repeat';
  if (unmarked.length > 0) return 'Mark';
  if (isTakenOver) return 'Restore';
  return isAsked ? 'AwaitTakenOver' : 'Ask';
}
