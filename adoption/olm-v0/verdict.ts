/**
 * Whether an operator of OLM v0 can be handed over now. Pure: a table of states, the first that applies decides. A
 * refusal says what to do; a note announces an effect.
 */
import { fieldsOf, textOf } from '../../api/untyped.ts';
import { noteOfDeclaration } from '../from-git.ts';
import { CSV_CLEANUP, HOLD } from './kinds.ts';
import type { OlmSurvey } from './survey.ts';
import { pendingPlans, planInProgress, sharersOf } from './install-plans.ts';
import { PROPERTIES } from './properties.ts';
import { dependentsIn, requiredIn } from './requirements.ts';
import { packageOf } from './survey.ts';

/** The closed list of reasons for which an operator is not handed over. */
export const REFUSALS = [
  'SubscriptionNotFound',
  'SubscriptionsConflict',
  'BeingDeleted',
  'NotInstalled',
  'UpgradeInProgress',
  'NotSucceeded',
  'FinalizersOfOthers',
  'InstallPlanPending',
  'OperatorGroupMissing',
  'OperatorGroupsConflict',
  'LimitedByAccount',
  'PartOfOlm',
  'PackageUnknown',
  'Required',
  'RequireEachOther',
] as const;

export type Refusal = (typeof REFUSALS)[number];

export type Verdict =
  | { readonly kind: 'ready'; readonly notes: readonly string[] }
  /** Other operators of the namespace, which require it, have to be handed over before. */
  | { readonly kind: 'after'; readonly reason: Refusal; readonly message: string; readonly after: readonly string[] }
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
  ({ namespace, name, subscription, csv }) =>
    subscription === undefined && csv === undefined
      ? refused(
          'SubscriptionNotFound',
          `Subscription.operators.coreos.com ${namespace}/${name} does not exist. List them by \`slipway adopt plan --namespace ${namespace}\``,
        )
      : undefined,
  ({ namespace, name, holder }) =>
    holder === undefined
      ? undefined
      : refused(
          'SubscriptionNotFound',
          `ClusterServiceVersion ${name} is of Subscription.operators.coreos.com ${namespace}/${holder}. Name that one`,
        ),
  ({ name, rivals = [], csv }) =>
    rivals.length === 0
      ? undefined
      : refused(
          'SubscriptionsConflict',
          `Subscriptions.operators.coreos.com ${[name, ...rivals].join(', ')} have all installed ${csv?.metadata.name ?? 'its version'}. Delete all but one`,
        ),
  (survey) =>
    packageOf(survey) === 'packageserver' || survey.csv?.metadata.name === 'packageserver'
      ? refused('PartOfOlm', 'packageserver is a part of OLM itself, and goes with OLM')
      : undefined,
  (survey) =>
    survey.csv !== undefined && packageOf(survey) === ''
      ? refused(
          'PackageUnknown',
          `ClusterServiceVersion ${survey.csv.metadata.name} has no Subscription, and no annotation ${PROPERTIES} names its package. Create a Subscription of OLM for it first`,
        )
      : undefined,
  (survey) => {
    const { subscription, csv } = survey;
    if (subscription === undefined) return undefined;
    const { installedCSV, currentCSV } = fieldsOf(subscription['status']);
    if (textOf(installedCSV) === '' || csv === undefined) {
      return wait('NotInstalled', 'OLM has installed no ClusterServiceVersion for it yet');
    }
    const current = textOf(currentCSV);
    if (current === textOf(installedCSV) || current === '') return undefined;
    if (pendingPlans(survey).length === 0)
      return wait('UpgradeInProgress', `OLM upgrades it from ${textOf(installedCSV)} to ${current}`);
    const others = sharersOf(survey);
    if (others.length > 0)
      return refused(
        'InstallPlanPending',
        `the upgrade to ${current} waits for approval in OLM, in one InstallPlan with ${others.join(', ')}. Approve it and wait for its end, or take ${others.join(', ')} out of OLM first`,
      );
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
    const { deletionTimestamp, finalizers = [] } = csv?.metadata ?? {};
    // One that Slipway holds goes on, also if its backup was deleted.
    if (finalizers.includes(HOLD) && deletionTimestamp !== undefined) return undefined;
    if (deletionTimestamp !== undefined)
      return refused(
        'BeingDeleted',
        'its ClusterServiceVersion is being deleted, and OLM deletes the operator with it',
      );
    const other = finalizers.find((one) => one !== CSV_CLEANUP && one !== HOLD);
    return other === undefined
      ? undefined
      : refused(
          'FinalizersOfOthers',
          `finalizer ${other} of its ClusterServiceVersion is not of OLM. Remove it with the program that has added it`,
        );
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
  ({ csv }) => {
    const { phase, reason, message } = fieldsOf(csv?.['status']);
    if (phase === 'Succeeded') return undefined;
    const text = `ClusterServiceVersion ${csv?.metadata.name} is ${textOf(phase) || 'not judged by OLM yet'}${textOf(reason) === '' ? '' : `: ${textOf(reason)}, ${textOf(message)}`}`;
    return phase === 'Failed'
      ? refused('NotSucceeded', `${text}. Mend it in OLM first: only an operator that works is handed over`)
      : wait('NotSucceeded', text);
  },
  (survey) => {
    const plan = planInProgress(survey);
    if (plan === undefined) return undefined;
    const { message } = fieldsOf(plan['status']);
    return wait(
      'InstallPlanPending',
      `InstallPlan ${plan.metadata.name} is not complete, so that OLM may write objects of the operator again${textOf(message) === '' ? '' : `: ${textOf(message)}`}`,
    );
  },
  ({ csv, csvs, namespace }) => {
    if (csv === undefined) return undefined;
    const dependents = dependentsIn(csv, csvs);
    if (dependents.length === 0) return undefined;
    const names = dependents.map(({ metadata }) => metadata.name);
    const circle = requiredIn(csv, dependents).map(({ metadata }) => metadata.name);
    if (circle.length > 0)
      return refused(
        'RequireEachOther',
        `it and ${circle.join(', ')} require each other, so that OLM would install the one again that is handed over first. Uninstall one of the two in OLM first`,
      );
    return {
      kind: 'after',
      reason: 'Required',
      message: `${names.join(', ')} of the same namespace require${names.length === 1 ? 's' : ''} it, and OLM would install it again. \`slipway adopt run --all --namespace ${namespace}\` hands them over first`,
      after: names,
    };
  },
];

const NOTES: readonly ((survey: OlmSurvey) => string | undefined)[] = [
  ({ subscription }) => subscription && noteOfDeclaration(subscription),
  ({ subscription }) =>
    subscription === undefined
      ? 'OLM has no Subscription of it; Slipway upgrades it from the default channel of its package'
      : undefined,
  ({ operatorGroups: [group] }) =>
    fieldsOf(group?.['spec'])['selector'] === undefined
      ? undefined
      : 'the OperatorGroup selects namespaces by labels; the namespaces of now are taken over, and later ones are not added',
  ({ copies }) =>
    copies.length === 0
      ? undefined
      : `OLM deletes the copies of the ClusterServiceVersion in ${copies.length} namespace${copies.length === 1 ? '' : 's'}`,
  (survey) =>
    pendingPlans(survey).length === 0
      ? undefined
      : `the upgrade to ${textOf(fieldsOf(survey.subscription?.['status'])['currentCSV'])} that waits for approval in OLM is dropped, and Slipway offers it for approval`,
  ({ csv, csvs }) => {
    const required = csv === undefined ? [] : requiredIn(csv, csvs).map(({ metadata }) => metadata.name);
    return required.length === 0 ? undefined : `it requires ${required.join(', ')}, to be handed over after it`;
  },
];

function refused(reason: Refusal, message: string): Verdict {
  return { kind: 'refused', reason, message };
}

function wait(reason: Refusal, message: string): Verdict {
  return { kind: 'wait', reason, message };
}
