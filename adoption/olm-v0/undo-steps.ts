/**
 * Decides the next step of the way back to OLM v0, from the state of the cluster alone. Pure. OLM deletes an APIService that
 * names a ClusterServiceVersion which does not exist, and counts one without that name as another owner's. So the
 * ClusterServiceVersion is created with a requirement that nothing meets: OLM waits for it and touches no object until
 * all of them are marked. See decision 30.
 */
import { fieldsOf, listOf, textOf } from '../../api/untyped.ts';
import type { KubeObject, ObjectRef } from '../../api/object.ts';

/** The state of a way back. */
export interface UndoState {
  /** Slipway's Subscription, if it is still the one that took the operator over. */
  readonly subscription: KubeObject | undefined;
  /** Whether the backup has the list of the objects that Slipway manages. */
  readonly hasList: boolean;
  readonly csv: KubeObject | undefined;
  /** Objects without the marks that OLM would have given them. */
  readonly unmarked: readonly ObjectRef[];
  readonly olmSubscription: KubeObject | undefined;
  /** Whether OLM had a Subscription. */
  readonly hadSubscription: boolean;
}

/** The steps, in their order. */
export const UNDO_STEPS = [
  'KeepList',
  'Orphan',
  'AwaitOrphaned',
  'CreateVersion',
  'Mark',
  'Complete',
  'AwaitSucceeded',
  'CreateSubscription',
  'AwaitRead',
  'SetStatus',
  'AwaitResolved',
  'ForgetBackup',
] as const;

export type UndoStep = (typeof UNDO_STEPS)[number];

/** The next step. `ForgetBackup` is the last one. */
export function nextUndoStep(state: UndoState): UndoStep {
  const { subscription, csv, olmSubscription } = state;
  if (subscription !== undefined) return stepWithSlipway(subscription, state.hasList);
  if (csv === undefined) return 'CreateVersion';
  if (isIncomplete(csv)) return state.unmarked.length > 0 ? 'Mark' : 'Complete';
  if (textOf(fieldsOf(csv['status'])['phase']) !== 'Succeeded') return 'AwaitSucceeded';
  if (!state.hadSubscription) return 'ForgetBackup';
  if (olmSubscription === undefined) return 'CreateSubscription';
  return stepWithBoth(olmSubscription, csv.metadata.name);
}

/**
 * OLM takes the two for strangers, refuses to resolve the Subscription, and says so in its status. Only then the version is
 * written there: a resolution that has begun before would write the status without it. It counts once OLM has resolved
 * the Subscription with it.
 */
function stepWithBoth(olmSubscription: KubeObject, csv: string): UndoStep {
  const { installedCSV, conditions } = fieldsOf(olmSubscription['status']);
  const isTrue = (wanted: string): boolean =>
    listOf(conditions).some(({ type, status }) => type === wanted && status === 'True');
  const isRefused = isTrue('ResolutionFailed');
  if (textOf(installedCSV) === csv) return isRefused ? 'AwaitResolved' : 'ForgetBackup';
  // Without its catalog OLM resolves nothing.
  return isRefused || isTrue('CatalogSourcesUnhealthy') ? 'SetStatus' : 'AwaitRead';
}

function stepWithSlipway({ metadata }: KubeObject, hasList: boolean): UndoStep {
  if (metadata.deletionTimestamp !== undefined) return 'AwaitOrphaned';
  return hasList ? 'Orphan' : 'KeepList';
}

/** A CRD that no cluster has. */
const UNMET = {
  name: 'unmet.adoption.slipway.dev',
  kind: 'Unmet',
  version: 'v1',
  description: 'Slipway removes this requirement once all objects are marked',
} as const;

/** The specification with the requirement that nothing meets. */
export function incomplete(spec: unknown): Readonly<Record<string, unknown>> {
  const fields = fieldsOf(spec);
  const definitions = fieldsOf(fields['customresourcedefinitions']);
  const required = [...listOf(definitions['required']), UNMET];
  return { ...fields, customresourcedefinitions: { ...definitions, required } };
}

/** Whether a ClusterServiceVersion still has the requirement that nothing meets. */
export function isIncomplete(csv: KubeObject): boolean {
  const { required } = fieldsOf(fieldsOf(csv['spec'])['customresourcedefinitions']);
  return listOf(required).some(({ name }) => name === UNMET.name);
}
