/** Each state of an operator of OLM, with the verdict and the text that a user reads. */
import { describe, expect, test } from 'vitest';
import { CSV_CLEANUP, HOLD } from './kinds.ts';
import { PROPERTIES } from './properties.ts';
import { csvOf, ofOlm, subscriptionOf, surveyOf } from './testing/survey.ts';
import type { OlmSurvey } from './survey.ts';
import { judgeOperator, REFUSALS, type Refusal, type Verdict } from './verdict.ts';

interface Case {
  readonly because: string;
  readonly changes: Partial<OlmSurvey>;
  readonly kind: Verdict['kind'];
  readonly reason: Refusal;
  readonly says: string;
}

const required = { customresourcedefinitions: { required: [{ name: 'gadgets.example' }] } };
const owned = { customresourcedefinitions: { owned: [{ name: 'gadgets.example' }] } };
const lamps = [{ name: 'lamps.example' }];
const both = { customresourcedefinitions: { owned: [{ name: 'gadgets.example' }], required: lamps } };
const bothOfLamp = { customresourcedefinitions: { owned: lamps, required: [{ name: 'gadgets.example' }] } };
const UPGRADING = subscriptionOf(
  { installPlanApproval: 'Manual' },
  { currentCSV: 'gadget.v2', state: 'UpgradePending' },
);
const planOf = (clusterServiceVersionNames: readonly string[], approved = false): ReturnType<typeof ofOlm> =>
  ofOlm('installPlan', 'install-1', { spec: { clusterServiceVersionNames, approved } });
const group = (name: string, spec: object = {}): ReturnType<typeof ofOlm> => ofOlm('operatorGroup', name, { spec });

const going = (finalizers: readonly string[], metadata: object = {}): OlmSurvey['csv'] => {
  const csv = csvOf('gadget.v1');
  return { ...csv, metadata: { ...csv.metadata, finalizers, ...metadata } };
};

const CASES: readonly Case[] = [
  {
    because: 'there is none',
    changes: { subscription: undefined, csv: undefined },
    kind: 'refused',
    reason: 'SubscriptionNotFound',
    says: 'slipway adopt plan --namespace ops',
  },
  {
    because: 'it has a Subscription of another name',
    changes: { subscription: undefined, holder: 'gadget' },
    kind: 'refused',
    reason: 'SubscriptionNotFound',
    says: 'is of Subscription.operators.coreos.com ops/gadget',
  },
  {
    because: 'OLM would upgrade it by the other one',
    changes: { rivals: ['gadget-too'] },
    kind: 'refused',
    reason: 'SubscriptionsConflict',
    says: 'gadget, gadget-too have all installed gadget.v1',
  },
  {
    because: 'without Subscription and annotation its package is not known',
    changes: { subscription: undefined },
    kind: 'refused',
    reason: 'PackageUnknown',
    says: 'Create a Subscription of OLM for it first',
  },
  {
    because: 'it is OLM itself',
    changes: { csv: csvOf('packageserver') },
    kind: 'refused',
    reason: 'PartOfOlm',
    says: 'goes with OLM',
  },
  {
    because: 'OLM has just begun',
    changes: { subscription: subscriptionOf({}, { installedCSV: '' }) },
    kind: 'wait',
    reason: 'NotInstalled',
    says: 'installed no ClusterServiceVersion',
  },
  {
    because: 'its version is gone',
    changes: { csv: undefined },
    kind: 'wait',
    reason: 'NotInstalled',
    says: 'installed no ClusterServiceVersion',
  },
  {
    because: 'OLM upgrades it',
    changes: { subscription: subscriptionOf({}, { currentCSV: 'gadget.v2' }) },
    kind: 'wait',
    reason: 'UpgradeInProgress',
    says: 'from gadget.v1 to gadget.v2',
  },
  {
    because: 'a person has approved the upgrade',
    changes: { subscription: UPGRADING, installPlans: [planOf(['gadget.v2'], true)] },
    kind: 'wait',
    reason: 'UpgradeInProgress',
    says: 'from gadget.v1 to gadget.v2',
  },
  {
    because: 'the upgrade that waits for approval is one of another operator too',
    changes: { subscription: UPGRADING, installPlans: [planOf(['gadget.v2', 'lamp.v2'])] },
    kind: 'refused',
    reason: 'InstallPlanPending',
    says: 'in one InstallPlan with lamp.v2',
  },
  {
    because: 'its successor is being installed',
    changes: { csvs: [csvOf('gadget.v1'), csvOf('gadget.v2', { spec: { replaces: 'gadget.v1' } })] },
    kind: 'wait',
    reason: 'UpgradeInProgress',
    says: 'gadget.v2 is replacing gadget.v1',
  },
  {
    because: 'a person uninstalls it in OLM',
    changes: { csv: going([CSV_CLEANUP], { deletionTimestamp: '2026-11-23T00:00:00Z' }) },
    kind: 'refused',
    reason: 'BeingDeleted',
    says: 'OLM deletes the operator with it',
  },
  {
    because: 'its deletion would wait for another program, while the operator has no manager',
    changes: { csv: going([CSV_CLEANUP, HOLD, 'example.com/guard']) },
    kind: 'refused',
    reason: 'FinalizersOfOthers',
    says: 'finalizer example.com/guard',
  },
  {
    because: 'it is being installed',
    changes: { csv: csvOf('gadget.v1', { phase: 'Installing' }) },
    kind: 'wait',
    reason: 'NotSucceeded',
    says: 'is Installing',
  },
  {
    because: 'it does not work',
    changes: { csv: csvOf('gadget.v1', { phase: 'Failed' }) },
    kind: 'refused',
    reason: 'NotSucceeded',
    says: 'Mend it in OLM first',
  },
  {
    because: 'OLM would write its CRDs once more, without their conversion',
    changes: { installPlans: [ofOlm('installPlan', 'install-1', { spec: { clusterServiceVersionNames: ['gadget.v1'], approved: true }, status: { phase: 'Installing', message: 'retrying' } })] }, // prettier-ignore
    kind: 'wait',
    reason: 'InstallPlanPending',
    says: 'InstallPlan install-1 is not complete, so that OLM may write objects of the operator again: retrying',
  },
  {
    because: 'its target namespaces are unknown',
    changes: { operatorGroups: [] },
    kind: 'refused',
    reason: 'OperatorGroupMissing',
    says: 'has no OperatorGroup',
  },
  {
    because: 'OLM itself does nothing then',
    changes: { operatorGroups: [group('one'), group('two')] },
    kind: 'refused',
    reason: 'OperatorGroupsConflict',
    says: '(one, two)',
  },
  {
    because: 'it would gain rights',
    changes: { operatorGroups: [group('all', { serviceAccountName: 'limited' })] },
    kind: 'refused',
    reason: 'LimitedByAccount',
    says: 'the rights of ServiceAccount limited',
  },
  {
    because: 'OLM would install it again for the other',
    changes: {
      csv: csvOf('gadget.v1', { spec: owned }),
      csvs: [csvOf('gadget.v1', { spec: owned }), csvOf('lamp.v1', { spec: required })],
    },
    kind: 'after',
    reason: 'Required',
    says: 'lamp.v1 of the same namespace requires it',
  },
  {
    because: 'the one that goes first would be installed again for the other',
    changes: {
      csv: csvOf('gadget.v1', { spec: both }),
      csvs: [csvOf('gadget.v1', { spec: both }), csvOf('lamp.v1', { spec: bothOfLamp })],
    },
    kind: 'refused',
    reason: 'RequireEachOther',
    says: 'it and lamp.v1 require each other',
  },
];

describe('an operator of OLM', () => {
  test.each(CASES)('$kind with $reason, because $because', ({ changes, kind, reason, says }) => {
    const survey = surveyOf(changes);
    const csvs = changes.csvs ?? (survey.csv === undefined ? [] : [survey.csv]);
    const verdict = judgeOperator({ ...survey, csvs });
    expect(verdict).toMatchObject({ kind, reason });
    expect('message' in verdict && verdict.message).toContain(says);
  });

  test('each reason has a case', () => {
    expect(new Set(CASES.map(({ reason }) => reason))).toEqual(new Set(REFUSALS));
  });

  test('is ready', () => {
    expect(judgeOperator(surveyOf())).toEqual({ kind: 'ready', notes: [] });
  });

  test.each([
    { because: 'its InstallPlan is complete', csv: 'gadget.v1', phase: 'Complete' },
    { because: 'its InstallPlan has failed, and is not tried again', csv: 'gadget.v1', phase: 'Failed' },
    { because: 'another operator is being installed', csv: 'lamp.v1', phase: 'Installing' },
  ])('is ready, because $because', ({ csv, phase }) => {
    const plan = ofOlm('installPlan', 'install-1', { spec: { clusterServiceVersionNames: [csv], approved: true }, status: { phase } }); // prettier-ignore
    expect(judgeOperator(surveyOf({ installPlans: [plan] }))).toEqual({ kind: 'ready', notes: [] });
  });

  test('is ready while another one of the namespace requires a CRD of a third', () => {
    const csvs = [csvOf('gadget.v1'), csvOf('lamp.v1', { spec: owned }), csvOf('user.v1', { spec: required })];
    expect(judgeOperator(surveyOf({ csvs, csv: csvs[0] }))).toEqual({ kind: 'ready', notes: [] });
  });

  test('is ready although it is deleted and held, so that a hand-over without its backup goes on', () => {
    const csv = going([HOLD, 'orphan'], { deletionTimestamp: '2026-11-23T00:00:00Z' });
    expect(judgeOperator(surveyOf({ csv })).kind).toBe('ready');
  });

  test('is ready without a Subscription of OLM', () => {
    const properties = [{ type: 'olm.package', value: { packageName: 'gadget-operator', version: '1.0.0' } }];
    const csv = csvOf('gadget.v1');
    const annotations = { [PROPERTIES]: JSON.stringify({ properties }) };
    const named = { ...csv, metadata: { ...csv.metadata, annotations } };
    expect(judgeOperator(surveyOf({ subscription: undefined, csv: named, csvs: [named] }))).toEqual({
      kind: 'ready',
      notes: ['OLM has no Subscription of it; Slipway upgrades it from the default channel of its package'],
    });
  });

  test('is ready while an upgrade waits for approval, which is dropped', () => {
    const verdict = judgeOperator(surveyOf({ subscription: UPGRADING, installPlans: [planOf(['gadget.v2'])] }));
    expect(verdict).toEqual({
      kind: 'ready',
      notes: ['the upgrade to gadget.v2 that waits for approval in OLM is dropped, and Slipway offers it for approval'],
    });
  });

  test('is ready before those that it requires, and names them', () => {
    const csvs = [csvOf('gadget.v1', { spec: required }), csvOf('lamp.v1', { spec: owned })];
    const verdict = judgeOperator(surveyOf({ csvs, csv: csvs[0] }));
    expect(verdict).toEqual({ kind: 'ready', notes: ['it requires lamp.v1, to be handed over after it'] });
  });

  test('is ready, and the effects are announced', () => {
    const operatorGroups = [group('all', { selector: { matchLabels: { a: 'b' } } })];
    const verdict = judgeOperator(surveyOf({ operatorGroups, copies: [ofOlm('csv', 'gadget.v1')] }));
    expect(verdict).toEqual({
      kind: 'ready',
      notes: [
        'the OperatorGroup selects namespaces by labels; the namespaces of now are taken over, and later ones are not added',
        'OLM deletes the copies of the ClusterServiceVersion in 1 namespace',
      ],
    });
  });
});
