/**
 * Decides the next step of a hand-over from OLM v0, from the state of the cluster alone. Pure. The order keeps OLM from
 * acting: its Subscription upgrades nothing any more, and the ClusterServiceVersion is deleted without OLM's finalizer and held by one of Slipway's, and OLM does
 * nothing for a deleted one that is held. While it is held, the objects are handed over and rolled out; then it is
 * released without the annotations by which OLM finds the objects. See decision 30.
 */
import { ANNOTATION } from '../../api/names.ts';
import type { KubeObject, ObjectRef } from '../../api/object.ts';
import { CSV_CLEANUP, HOLD, TARGET_ANNOTATIONS } from './kinds.ts';
import { isPaused } from './pause.ts';

/** The state of a hand-over. */
export interface HandOverState {
  readonly hasBackup: boolean;
  /** Whether the backup says that all was done: the operator may have been upgraded or uninstalled since. */
  readonly isEnded: boolean;
  /** Whether OLM is at work on the operator, so that nothing may begin. */
  readonly isOlmBusy: boolean;
  readonly olmSubscription: KubeObject | undefined;
  /** InstallPlans of the next version that wait for approval: OLM would install it once a person approves. */
  readonly pendingPlans: readonly KubeObject[];
  readonly csv: KubeObject | undefined;
  /** The objects that still have marks of OLM. */
  readonly marked: readonly ObjectRef[];
  /** Slipway's Subscription. */
  readonly subscription: KubeObject | undefined;
  /** Whether Slipway's Subscription is Ready with the version that OLM had installed. */
  readonly isReady: boolean;
  readonly condition: {
    /** Whether the backup has an OperatorCondition. */
    readonly wanted: boolean;
    readonly live: KubeObject | undefined;
  };
  /** Objects that only OLM's way of naming needs, and objects of OLM about the operator. */
  readonly leftovers: readonly ObjectRef[];
  /** InstallPlans of other operators too, with the label of this one. */
  readonly sharedPlans: readonly ObjectRef[];
  /** Whether Slipway's Subscription is still pinned to the version that OLM had installed. */
  readonly isPinned: boolean;
}

/** The steps, in their order. */
export const STEPS = [
  'AwaitOlm',
  'BackUp',
  'Pause',
  'Hold',
  'Delete',
  'DeleteSubscription',
  'AwaitCollector',
  'HandOver',
  'Subscribe',
  'AwaitPin',
  'AwaitReady',
  'Forget',
  'Release',
  'AwaitCondition',
  'RestoreCondition',
  'CleanUp',
  'Unpin',
  'End',
  'Done',
] as const;

export type StepName = (typeof STEPS)[number];

/** The next step. */
export function nextStep(state: HandOverState): StepName {
  const { csv, condition, olmSubscription } = state;
  if (!state.hasBackup) return state.isOlmBusy ? 'AwaitOlm' : 'BackUp';
  // It ended by an uninstall of Slipway's Subscription, without the right to release the ClusterServiceVersion.
  if (state.isEnded) return isHeldAlone(csv) ? stepToRelease(csv) : 'Done';
  if (csv !== undefined && csv.metadata.deletionTimestamp === undefined) return stepBeforeDeletion(csv, state);
  if (olmSubscription !== undefined || state.pendingPlans.length > 0) return 'DeleteSubscription';
  if (csv !== undefined) return stepWithCsv(csv, state);
  if (state.marked.length > 0) return 'HandOver';
  // An operator may need its OperatorCondition to become ready.
  if (condition.wanted && condition.live === undefined) return 'RestoreCondition';
  if (condition.wanted && isGoing(condition.live)) return 'AwaitCondition';
  if (condition.wanted && isEmpty(condition.live)) return 'RestoreCondition';
  if (state.subscription === undefined) return 'Subscribe';
  const isClean = state.leftovers.length === 0 && state.sharedPlans.length === 0;
  // Unpinning is the last step: a newer version may be on its way since.
  if (!state.isPinned) return isClean ? 'End' : 'CleanUp';
  if (!state.isReady) return 'AwaitReady';
  return isClean ? 'Unpin' : 'CleanUp';
}

/**
 * OLM's Subscription stays until the ClusterServiceVersion is deleted and held: OLM takes `spec.config` of the Pods from it,
 * and would replace them without it. Until then an upgrade needs an approval that nothing gives.
 */
function stepBeforeDeletion({ metadata }: KubeObject, { olmSubscription }: HandOverState): StepName {
  if (olmSubscription !== undefined && !isPaused(olmSubscription)) return 'Pause';
  return metadata.finalizers?.includes(HOLD) === true ? 'Delete' : 'Hold';
}

function stepWithCsv(csv: KubeObject, state: HandOverState): StepName {
  if (isWithCollector(csv.metadata.finalizers ?? [])) return 'AwaitCollector';
  if (state.marked.length > 0) return 'HandOver';
  if (state.subscription === undefined) return 'Subscribe';
  // Another version would be taken for that of OLM.
  if (!state.isPinned) return 'AwaitPin';
  if (!state.isReady) return 'AwaitReady';
  return stepToRelease(csv);
}

/** The step that releases a ClusterServiceVersion that is held: without the annotations by which OLM finds the objects. */
export function stepToRelease({ metadata: { annotations = {} } }: KubeObject): 'Forget' | 'Release' {
  return TARGET_ANNOTATIONS.some((name) => name in annotations) ? 'Forget' : 'Release';
}

/** Whether the ClusterServiceVersion is deleted, and nothing but Slipway holds it any more. */
export function isHeldAlone(csv: KubeObject | undefined): csv is KubeObject {
  const { deletionTimestamp, finalizers = [] } = csv?.metadata ?? {};
  return deletionTimestamp !== undefined && finalizers.includes(HOLD) && !isWithCollector(finalizers);
}

function isWithCollector(finalizers: readonly string[]): boolean {
  return finalizers.some((one) => one !== HOLD && one !== CSV_CLEANUP);
}

/** The collector deletes an OperatorCondition whose owner is gone. */
function isGoing(condition: KubeObject | undefined): boolean {
  const { deletionTimestamp, ownerReferences = [] } = condition?.metadata ?? {};
  return deletionTimestamp !== undefined || ownerReferences.some(({ kind }) => kind === 'ClusterServiceVersion');
}

/** Whether Slipway was faster: it repairs what it manages, and knows nothing of the report of the operator. */
function isEmpty(condition: KubeObject | undefined): boolean {
  const { annotations = {} } = condition?.metadata ?? {};
  return ANNOTATION.owner in annotations && !(ANNOTATION.adoptBy in annotations);
}
