/**
 * Whether an operator of OLM v0 can be handed over now. Pure: a table of states, the first that applies decides. A
 * refusal says what to do; a note announces an effect.
 */
import type { KubeObject } from '../../api/object.ts';
import { fieldsOf, listOf, textOf } from '../../api/untyped.ts';
import type { OlmSurvey } from './survey.ts';
import { packageOf } from './survey.ts';

/** The closed list of reasons for which an operator is not handed over. */
export const REFUSALS = [
  'SubscriptionNotFound',
  'NotInstalled',
  'UpgradeInProgress',
  'NotSucceeded',
  'InstallPlanPending',
  'OperatorGroupMissing',
  'OperatorGroupsConflict',
  'LimitedByAccount',
  'PartOfOlm',
  'Required',
] as const;

export type Refusal = (typeof REFUSALS)[number];

export type Verdict =
  | { readonly kind: 'ready'; readonly notes: readonly string[] }
  /** The state passes by itself. */
  | { readonly kind: 'wait'; readonly reason: Refusal; readonly message: string }
  /** A person has to change the state first. */
  | { readonly kind: 'refused'; readonly reason: Refusal; readonly message: string };

/** The verdict on an operator whose hand-over has not begun. */
export function judgeOperator(survey: OlmSurvey): Verdict {
  for (const rule of RULES) {
    const verdict = rule(survey);
    if (verdict !== undefined) return verdict;
  }
  return { kind: 'ready', notes: NOTES.flatMap((note) => note(survey) ?? []) };
}

type Rule = (survey: OlmSurvey) => Verdict | undefined;

const RULES: readonly Rule[] = [
  ({ namespace, name, subscription }) =>
    subscription === undefined
      ? refused(
          'SubscriptionNotFound',
          `Subscription.operators.coreos.com ${namespace}/${name} does not exist. List them by \`slipway adopt plan --namespace ${namespace}\``,
        )
      : undefined,
  (survey) =>
    packageOf(survey) === 'packageserver' || survey.csv?.metadata.name === 'packageserver'
      ? refused('PartOfOlm', 'packageserver is a part of OLM itself, and goes with OLM')
      : undefined,
  ({ subscription, csv }) => {
    const { installedCSV, currentCSV } = fieldsOf(subscription?.['status']);
    if (textOf(installedCSV) === '' || csv === undefined) {
      return wait('NotInstalled', 'OLM has installed no ClusterServiceVersion for it yet');
    }
    if (textOf(currentCSV) !== textOf(installedCSV) && textOf(currentCSV) !== '') {
      return isManualPending(subscription)
        ? refused(
            'InstallPlanPending',
            `the upgrade to ${textOf(currentCSV)} waits for approval in OLM. Approve it and wait for its end, or delete its InstallPlan and set status.currentCSV of the Subscription back to ${textOf(installedCSV)}`,
          )
        : wait('UpgradeInProgress', `OLM upgrades it from ${textOf(installedCSV)} to ${textOf(currentCSV)}`);
    }
    return undefined;
  },
  ({ csv, csvs }) => {
    const name = csv?.metadata.name ?? '';
    const next = csvs.find((one) => textOf(fieldsOf(one['spec'])['replaces']) === name);
    return next === undefined
      ? undefined
      : wait('UpgradeInProgress', `ClusterServiceVersion ${next.metadata.name} is replacing ${name}`);
  },
  ({ csv }) => {
    const { phase, reason, message } = fieldsOf(csv?.['status']);
    if (phase === 'Succeeded') return undefined;
    const text = `ClusterServiceVersion ${csv?.metadata.name} is ${textOf(phase) || 'not judged by OLM yet'}${textOf(reason) === '' ? '' : `: ${textOf(reason)}, ${textOf(message)}`}`;
    return phase === 'Failed'
      ? refused('NotSucceeded', `${text}. Mend it in OLM first: only an operator that works is handed over`)
      : wait('NotSucceeded', text);
  },
  ({ operatorGroups, namespace }) => {
    if (operatorGroups.length === 1) return undefined;
    const names = operatorGroups.map(({ metadata }) => metadata.name).join(', ');
    return operatorGroups.length === 0
      ? refused(
          'OperatorGroupMissing',
          `namespace ${namespace} has no OperatorGroup, so that its target namespaces are not known`,
        )
      : refused(
          'OperatorGroupsConflict',
          `namespace ${namespace} has several OperatorGroups (${names}). Delete all but one`,
        );
  },
  ({ operatorGroups: [group] }) => {
    const account = textOf(fieldsOf(group?.['spec'])['serviceAccountName']);
    return account === ''
      ? undefined
      : refused(
          'LimitedByAccount',
          `the OperatorGroup limits the operator to the rights of ServiceAccount ${account}, and Slipway would install it without that limit. Take spec.serviceAccountName out of the OperatorGroup if that is acceptable`,
        );
  },
  (survey) => {
    const dependent = dependentOf(survey);
    return dependent === undefined
      ? undefined
      : refused(
          'Required',
          `ClusterServiceVersion ${dependent} of the same namespace requires it, and OLM would install it again. Hand the operator of ${dependent} over first`,
        );
  },
];

/** Another ClusterServiceVersion of the namespace that requires a CRD of this one. */
function dependentOf({ csv, csvs }: OlmSurvey): string | undefined {
  const owned = new Set(crdsIn(csv, 'owned'));
  const others = csvs.filter((one) => one !== csv && one.metadata.deletionTimestamp === undefined);
  return others.find((one) => crdsIn(one, 'required').some((name) => owned.has(name)))?.metadata.name;
}

function crdsIn(csv: KubeObject | undefined, which: 'owned' | 'required'): readonly string[] {
  const definitions = fieldsOf(fieldsOf(csv?.['spec'])['customresourcedefinitions']);
  return listOf(definitions[which]).map(({ name }) => textOf(name));
}

function isManualPending(subscription: KubeObject | undefined): boolean {
  return (
    textOf(fieldsOf(subscription?.['spec'])['installPlanApproval']) === 'Manual' &&
    textOf(fieldsOf(subscription?.['status'])['state']) === 'UpgradePending'
  );
}

const NOTES: readonly ((survey: OlmSurvey) => string | undefined)[] = [
  ({ operatorGroups: [group] }) =>
    fieldsOf(group?.['spec'])['selector'] === undefined
      ? undefined
      : 'the OperatorGroup selects namespaces by labels; the namespaces of now are taken over, and later ones are not added',
  ({ copies }) =>
    copies.length === 0
      ? undefined
      : `OLM deletes the copies of the ClusterServiceVersion in ${copies.length} namespace${copies.length === 1 ? '' : 's'}`,
];

function refused(reason: Refusal, message: string): Verdict {
  return { kind: 'refused', reason, message };
}

function wait(reason: Refusal, message: string): Verdict {
  return { kind: 'wait', reason, message };
}
