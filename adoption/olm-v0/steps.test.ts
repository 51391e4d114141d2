/** The next step of a hand-over, for each state in which a process may find it. */
import { describe, expect, test } from 'vitest';
import type { KubeObject } from '../../api/object.ts';
import { CSV_CLEANUP, HOLD, OLM } from './kinds.ts';
import { nextStep, STEPS, type HandOverState, type StepName } from './steps.ts';

type Metadata = Partial<KubeObject['metadata']>;

const csv = (metadata: Metadata): KubeObject => ({ ...OLM.csv, metadata: { name: 'gadget.v1', ...metadata } });
const object = (kind: string, metadata: Metadata = {}): KubeObject => ({
  apiVersion: 'v1',
  kind,
  metadata: { name: 'gadget', ...metadata },
});
const olmSubscription = (installPlanApproval: string, metadata: Metadata = {}): KubeObject => ({
  ...object('Subscription', metadata),
  spec: { installPlanApproval },
});
const plan = object('InstallPlan');
const ref = { apiVersion: 'v1', kind: 'Service', namespace: 'ops', name: 'gadget' };
const targets = { 'olm.targetNamespaces': '', 'olm.operatorGroup': 'all' };
const deleted = { deletionTimestamp: '2026-11-23T00:00:00Z' };
const owner = { ...OLM.csv, name: 'gadget.v1', uid: '1' };

/** Everything is handed over. */
const over: HandOverState = {
  hasBackup: true,
  isEnded: false,
  isOlmBusy: false,
  olmSubscription: undefined,
  csv: undefined,
  marked: [],
  subscription: object('Subscription'),
  isReady: true,
  condition: { wanted: false, live: undefined },
  leftovers: [],
  pendingPlans: [],
  sharedPlans: [],
  isPinned: true,
};

const CASES: readonly { readonly because: string; readonly state: Partial<HandOverState>; readonly step: StepName }[] =
  [
    { because: 'OLM upgrades it', state: { hasBackup: false, isOlmBusy: true }, step: 'AwaitOlm' },
    { because: 'nothing is touched before there is a way back', state: { hasBackup: false }, step: 'BackUp' },
    {
      because: 'OLM upgrades by itself',
      state: { olmSubscription: olmSubscription('Automatic'), csv: csv({ finalizers: [CSV_CLEANUP] }) },
      step: 'Pause',
    },
    {
      because: 'a person set it back after the hold',
      state: { olmSubscription: olmSubscription('Automatic'), csv: csv({ finalizers: [CSV_CLEANUP, HOLD] }) },
      step: 'Pause',
    },
    {
      because: 'OLM would replace Pods with a configuration once their Subscription is gone',
      state: { olmSubscription: olmSubscription('Manual'), csv: csv({ finalizers: [CSV_CLEANUP] }) },
      step: 'Hold',
    },
    {
      because: 'its Subscription goes, and could not be set to anything',
      state: { olmSubscription: olmSubscription('Automatic', deleted), csv: csv({ finalizers: [CSV_CLEANUP] }) },
      step: 'Hold',
    },
    {
      because: 'the Subscription stays until the deletion',
      state: { olmSubscription: olmSubscription('Manual'), csv: csv({ finalizers: [HOLD] }), pendingPlans: [plan] },
      step: 'Delete',
    },
    {
      because: 'OLM does nothing for the version, and would install the next one',
      state: { olmSubscription: olmSubscription('Manual'), csv: csv({ ...deleted, finalizers: [HOLD, 'orphan'] }) },
      step: 'DeleteSubscription',
    },
    {
      because: 'OLM would install the next version once a person approves it',
      state: { pendingPlans: [plan], csv: csv({ ...deleted, finalizers: [HOLD] }), subscription: undefined },
      step: 'DeleteSubscription',
    },
    { because: 'OLM makes its Operator object for them', state: { sharedPlans: [ref] }, step: 'CleanUp' },
    {
      because: 'a finalizer cannot be added once it is deleted',
      state: { csv: csv({ finalizers: [CSV_CLEANUP] }), marked: [ref] },
      step: 'Hold',
    },
    { because: 'it is held', state: { csv: csv({ finalizers: [CSV_CLEANUP, HOLD] }), marked: [ref] }, step: 'Delete' },
    {
      because: 'OLM put its finalizer back before the deletion, and the swap is tried again',
      state: { csv: csv({ finalizers: [HOLD, CSV_CLEANUP] }) },
      step: 'Delete',
    },
    {
      because: 'the collector still takes owner references off',
      state: { csv: csv({ ...deleted, finalizers: [HOLD, 'orphan'] }), marked: [ref] },
      step: 'AwaitCollector',
    },
    {
      because: 'OLM does nothing for one that is deleted and held',
      state: { csv: csv({ ...deleted, finalizers: [HOLD], annotations: targets }), marked: [ref] },
      step: 'HandOver',
    },
    {
      because: 'nothing has marks of OLM',
      state: {
        csv: csv({ ...deleted, finalizers: [HOLD], annotations: targets }),
        subscription: undefined,
        isReady: false,
      },
      step: 'Subscribe',
    },
    {
      because:
        'a person or Git has changed the version, and a Subscription with another one is never ready for the end',
      state: { csv: csv({ ...deleted, finalizers: [HOLD] }), isPinned: false, isReady: false },
      step: 'AwaitPin',
    },
    {
      because: 'OLM stays held until the operator works under Slipway',
      state: { csv: csv({ ...deleted, finalizers: [HOLD], annotations: targets }), isReady: false },
      step: 'AwaitReady',
    },
    {
      because: 'OLM would delete what the annotations lead to',
      state: { csv: csv({ ...deleted, finalizers: [HOLD], annotations: targets }) },
      step: 'Forget',
    },
    {
      because: 'OLM wrote one annotation again',
      state: { csv: csv({ ...deleted, finalizers: [HOLD], annotations: { 'olm.operatorGroup': 'all' } }) },
      step: 'Forget',
    },
    { because: 'OLM knows nothing of it', state: { csv: csv({ ...deleted, finalizers: [HOLD] }) }, step: 'Release' },
    {
      because: 'OLM marked an object again from a cache of before',
      state: { csv: csv({ ...deleted, finalizers: [HOLD] }), marked: [ref] },
      step: 'HandOver',
    },
    { because: 'a mark was left although the deletion is over', state: { marked: [ref] }, step: 'HandOver' },
    {
      because: 'no Subscription goes on; HandOver refuses it if OLM has nothing of the operator either',
      state: { subscription: undefined, isReady: false },
      step: 'Subscribe',
    },
    {
      because: 'the collector deletes it with its owner',
      state: { condition: { wanted: true, live: object('OperatorCondition', { ownerReferences: [owner] }) } },
      step: 'AwaitCondition',
    },
    {
      because: 'it is being deleted',
      state: { condition: { wanted: true, live: object('OperatorCondition', deleted) } },
      step: 'AwaitCondition',
    },
    {
      because: 'the operator reads it',
      state: { condition: { wanted: true, live: undefined }, leftovers: [ref] },
      step: 'RestoreCondition',
    },
    {
      because: 'it was created again',
      state: { condition: { wanted: true, live: object('OperatorCondition') }, leftovers: [ref] },
      step: 'CleanUp',
    },
    {
      because: 'Slipway was faster and created it again without the report of the operator',
      state: {
        condition: {
          wanted: true,
          live: object('OperatorCondition', { annotations: { 'slipway.dev/owner': 'ops/gadget' } }),
        },
        leftovers: [ref],
      },
      step: 'RestoreCondition',
    },
    {
      because: 'Slipway manages it, and the report of the operator is restored',
      state: {
        condition: {
          wanted: true,
          live: object('OperatorCondition', {
            annotations: { 'slipway.dev/owner': 'ops/gadget', 'slipway.dev/adopt-by': 'ops/gadget' },
          }),
        },
        leftovers: [ref],
      },
      step: 'CleanUp',
    },
    { because: 'upgrades may go on', state: {}, step: 'Unpin' },
    { because: 'the backup does not say so yet', state: { isPinned: false }, step: 'End' },
    { because: 'nothing is left to do', state: { isPinned: false, isEnded: true }, step: 'Done' },
    {
      because: 'the operator was uninstalled since',
      state: { isEnded: true, subscription: undefined, isReady: false, isPinned: false },
      step: 'Done',
    },
    {
      because: 'the Subscription was uninstalled before the end, and the manager had no right to release the version',
      state: {
        isEnded: true,
        subscription: undefined,
        csv: csv({ ...deleted, finalizers: [HOLD], annotations: targets }),
      },
      step: 'Forget',
    },
    {
      because: 'the same, and OLM finds no object by it any more',
      state: { isEnded: true, subscription: undefined, csv: csv({ ...deleted, finalizers: [HOLD] }) },
      step: 'Release',
    },
    {
      because: 'OLM has installed it again since',
      state: { isEnded: true, csv: csv({ finalizers: [CSV_CLEANUP] }) },
      step: 'Done',
    },
    { because: 'a person pinned the version since that OLM had', state: { isEnded: true }, step: 'Done' },
    {
      because: 'a newer version is on its way since it was unpinned',
      state: { isPinned: false, isReady: false },
      step: 'End',
    },
    {
      because: "a person unpinned it earlier, and OLM's webhook configurations are left",
      state: { isPinned: false, leftovers: [ref] },
      step: 'CleanUp',
    },
    {
      because: 'the operator needs it to become ready',
      state: { isReady: false, condition: { wanted: true, live: undefined } },
      step: 'RestoreCondition',
    },
  ];

describe('the next step', () => {
  test.each(CASES)('is $step, because $because', ({ state, step }) => {
    expect(nextStep({ ...over, ...state })).toBe(step);
  });

  test('each step is reached by a case', () => {
    expect(new Set(CASES.map(({ step }) => step))).toEqual(new Set(STEPS));
  });
});
