/**
 * Decides the next step of the way back to OLM v0, from the state of the cluster alone. Pure. OLM deletes an APIService that
 * names a ClusterServiceVersion which does not exist, and counts one without that name as another owner's. So the
 * ClusterServiceVersion is created with a requirement that nothing meets: OLM waits for it and touches no object until
 * all of them are marked and its Subscription is back. See decision 30.
 */
import { fieldsOf, listOf, textOf } from '../../api/untyped.ts';
import type { KubeObject, ObjectRef } from '../../api/object.ts';
import { isPausedByUs } from './pause.ts';

/** The state of a way back. */
export interface UndoState {
  /** Whether the hand-over has begun and OLM's ClusterServiceVersion is not deleted yet: it is only called off. */
  readonly isBegun: boolean;
  /** Whether the status of OLM's Subscription is as it was written, for longer than any resolution of OLM takes. */
  readonly isStatusOld: boolean;
  /** Slipway's Subscription, if it is still the one that took the operator over. */
  readonly subscription: KubeObject | undefined;
  /** Whether a person has deleted that Subscription, and the manager holds the uninstall because of the way back. */
  readonly isHeld: boolean;
  /** Whether no Revision of it is left: the manager would delete the objects of one whose Subscription is gone. */
  readonly isReleased: boolean;
  /** Whether the backup has the list of the objects that Slipway manages. */
  readonly hasList: boolean;
  readonly csv: KubeObject | undefined;
  /** Objects without the marks that OLM would have given them. */
  readonly unmarked: readonly ObjectRef[];
  /** Objects of the names of the operator that another Subscription or program has by now: they are left alone. */
  readonly ofOthers: readonly ObjectRef[];
  readonly olmSubscription: KubeObject | undefined;
  /** Whether OLM had a Subscription. */
  readonly hadSubscription: boolean;
}

/** The steps, in their order. */
export const UNDO_STEPS = [
  'CallOff',
  'KeepList',
  'Orphan',
  'AwaitOrphaned',
  'CreateVersion',
  'Mark',
  'CreateSubscription',
  'AwaitRead',
  'SetStatus',
  'AwaitResolved',
  'Complete',
  'AwaitSucceeded',
  'Resume',
  'ForgetBackup',
] as const;

export type UndoStep = (typeof UNDO_STEPS)[number];

/** The next step. `ForgetBackup` is the last one. */
export function nextUndoStep(state: UndoState): UndoStep {
  const { subscription, csv, olmSubscription } = state;
  if (state.isBegun) return 'CallOff';
  if (subscription !== undefined) return stepWithSlipway(subscription, state);
  if (!state.isReleased) return 'AwaitOrphaned';
  if (csv === undefined) return hasGoneOn(state) ? 'ForgetBackup' : 'CreateVersion';
  if (isIncomplete(csv)) return stepWhileIncomplete(csv, state);
  if (textOf(fieldsOf(csv['status'])['phase']) !== 'Succeeded') return 'AwaitSucceeded';
  if (!state.hadSubscription) return 'ForgetBackup';
  const next = stepToResolved(csv, state);
  if (next !== undefined) return next;
  return olmSubscription !== undefined && isPausedByUs(olmSubscription) ? 'Resume' : 'ForgetBackup';
}

/** OLM has the operator in another version. */
function hasGoneOn({ olmSubscription }: UndoState): boolean {
  return textOf(fieldsOf(olmSubscription?.['status'])['installedCSV']) !== '';
}

/** OLM takes `spec.config` of the Pods from the Subscription of the version, and would replace them without it. */
function stepWhileIncomplete(csv: KubeObject, state: UndoState): UndoStep {
  if (state.unmarked.length > 0) return 'Mark';
  if (!state.hadSubscription) return 'Complete';
  return stepToResolved(csv, state) ?? 'Complete';
}

/**
 * Undefined once OLM keeps the version in the status of its Subscription: it has resolved it, or the time is over in which
 * a resolution that began before could end. Without its catalog, OLM resolves nothing for as long as that takes.
 */
function stepToResolved(csv: KubeObject, { olmSubscription, isStatusOld }: UndoState): UndoStep | undefined {
  if (olmSubscription === undefined) return 'CreateSubscription';
  if (!isOf(olmSubscription, csv)) return stepToStatus(olmSubscription);
  return isUnresolved(olmSubscription) && !isStatusOld ? 'AwaitResolved' : undefined;
}

/**
 * OLM takes the two for strangers, refuses to resolve the Subscription, and says so in its status. Only then the version is
 * written there: a resolution that has begun before would write the status without it. Without its catalog OLM resolves
 * nothing.
 */
function stepToStatus(olmSubscription: KubeObject): UndoStep {
  return isUnresolved(olmSubscription) ? 'SetStatus' : 'AwaitRead';
}

function isOf(olmSubscription: KubeObject, { metadata }: KubeObject): boolean {
  return textOf(fieldsOf(olmSubscription['status'])['installedCSV']) === metadata.name;
}

function isUnresolved(olmSubscription: KubeObject): boolean {
  return unresolved(olmSubscription) !== undefined;
}

/** Why OLM cannot resolve a Subscription, in its own words; undefined if it can. */
export function unresolved(olmSubscription: KubeObject): string | undefined {
  const { conditions } = fieldsOf(olmSubscription['status']);
  const failed = listOf(conditions).find(
    ({ type, status }) => status === 'True' && (type === 'ResolutionFailed' || type === 'CatalogSourcesUnhealthy'),
  );
  return failed && (textOf(failed['message']) || textOf(failed['reason']) || textOf(failed['type']));
}

function stepWithSlipway({ metadata }: KubeObject, { isHeld, hasList }: UndoState): UndoStep {
  if (metadata.deletionTimestamp !== undefined && !isHeld) return 'AwaitOrphaned';
  return hasList ? 'Orphan' : 'KeepList';
}

/**
 * A kind that no cluster has. As a native API: OLM waits for those as for required CRDs, and resolves Subscriptions without
 * them, so that the Subscription can be resolved before.
 */
const UNMET = { group: 'unmet.adoption.slipway.dev', version: 'v1', kind: 'Unmet' } as const;

/** The specification with the requirement that nothing meets. */
export function incomplete(spec: unknown): Readonly<Record<string, unknown>> {
  const fields = fieldsOf(spec);
  return { ...fields, nativeAPIs: [...listOf(fields['nativeAPIs']), UNMET] };
}

/** Whether a ClusterServiceVersion still has the requirement that nothing meets. */
export function isIncomplete(csv: KubeObject): boolean {
  return listOf(fieldsOf(csv['spec'])['nativeAPIs']).some(({ group }) => group === UNMET.group);
}
