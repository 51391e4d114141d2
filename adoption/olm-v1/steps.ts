/**
 * Decides the next step of a hand-over from OLM v1, from the state of the cluster alone. Pure. The order keeps OLM from
 * acting: the ClusterExtension is pinned, so that no upgrade begins, and deleted without its objects while a finalizer of
 * Slipway holds it. Once OLM has taken its own finalizers off it does nothing more for the ClusterExtension; then the
 * objects are handed over and rolled out, and the ClusterExtension is released. See decision 35.
 */
import type { KubeObject, ObjectRef } from '../../api/object.ts';
import { HOLD } from '../olm-v0/kinds.ts';

/** The state of a hand-over. */
export interface HandOverState {
  readonly hasBackup: boolean;
  /** Whether the backup says that all was done: the operator may have been upgraded or uninstalled since. */
  readonly isEnded: boolean;
  /** Whether OLM is at work on the operator, so that nothing may begin. */
  readonly isOlmBusy: boolean;
  readonly extension: KubeObject | undefined;
  /** Whether the spec of the ClusterExtension names the version that is installed, and no other. */
  readonly isHeldByVersion: boolean;
  /** Whether OLM has acted on that spec, and the version is installed. */
  readonly isSettled: boolean;
  /** Whether OLM has another version installed than the backup has. */
  readonly hasGoneOn: boolean;
  /** The objects that still have marks of OLM. */
  readonly marked: readonly ObjectRef[];
  /** Slipway's Subscription. */
  readonly subscription: KubeObject | undefined;
  /** Whether Slipway's Subscription is Ready with the version that OLM had installed. */
  readonly isReady: boolean;
  /** The Secrets of the release. */
  readonly leftovers: readonly ObjectRef[];
  /** Whether Slipway's Subscription is still pinned to the version that OLM had installed. */
  readonly isPinned: boolean;
}

/** The steps, in their order. */
export const STEPS = [
  'AwaitOlm',
  'BackUp',
  'Pause',
  'AwaitPause',
  'Resume',
  'Hold',
  'Delete',
  'AwaitOlmOut',
  'HandOver',
  'Subscribe',
  'AwaitPin',
  'AwaitReady',
  'Release',
  'CleanUp',
  'Unpin',
  'End',
  'Done',
] as const;

export type StepName = (typeof STEPS)[number];

/** The next step. */
export function nextStep(state: HandOverState): StepName {
  const { extension } = state;
  if (!state.hasBackup) return state.isOlmBusy ? 'AwaitOlm' : 'BackUp';
  if (state.isEnded) return isHeldAlone(extension) ? stepToRelease(state) : 'Done';
  if (extension !== undefined && extension.metadata.deletionTimestamp === undefined) return stepBeforeDeletion(state);
  if (!isOlmOut(extension)) return 'AwaitOlmOut';
  if (state.marked.length > 0) return 'HandOver';
  if (state.subscription === undefined) return 'Subscribe';
  // Unpinning is the last step: before, another version than that of OLM would be taken for it.
  if (!state.isPinned && extension !== undefined) return 'AwaitPin';
  if (!state.isPinned) return state.leftovers.length > 0 ? 'CleanUp' : 'End';
  if (!state.isReady) return 'AwaitReady';
  if (extension !== undefined) return 'Release';
  return state.leftovers.length > 0 ? 'CleanUp' : 'Unpin';
}

/** Whether the ClusterExtension is deleted, and OLM and the garbage collector have taken their finalizers off. */
export function isOlmOut(extension: KubeObject | undefined): boolean {
  if (extension === undefined) return true;
  const { deletionTimestamp, finalizers = [] } = extension.metadata;
  return deletionTimestamp !== undefined && finalizers.every((one) => one === HOLD);
}

/** Whether the ClusterExtension is deleted, and nothing but Slipway holds it any more. */
export function isHeldAlone(extension: KubeObject | undefined): extension is KubeObject {
  return extension !== undefined && isOlmOut(extension);
}

/** It ended by an uninstall of Slipway's Subscription, without the right to release the ClusterExtension. */
function stepToRelease({ leftovers }: HandOverState): 'CleanUp' | 'Release' {
  return leftovers.length > 0 ? 'CleanUp' : 'Release';
}

function stepBeforeDeletion({ extension, isHeldByVersion, isSettled, hasGoneOn }: HandOverState): StepName {
  if (hasGoneOn) return 'Resume';
  if (!isHeldByVersion) return 'Pause';
  if (!isSettled) return 'AwaitPause';
  return extension?.metadata.finalizers?.includes(HOLD) === true ? 'Delete' : 'Hold';
}
