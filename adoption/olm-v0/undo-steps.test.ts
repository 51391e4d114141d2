/** The next step of a way back, for each state in which a process may find it. */
import { describe, expect, test } from 'vitest';
import type { KubeObject } from '../../api/object.ts';
import { createdPaused } from './pause.ts';
import { csvOf, subscriptionOf } from './testing/survey.ts';
import { incomplete, isIncomplete, nextUndoStep, UNDO_STEPS, type UndoState, type UndoStep } from './undo-steps.ts';

const ref = { apiVersion: 'v1', kind: 'Service', namespace: 'ops', name: 'gadget' };
const own = (metadata: object = {}): KubeObject => ({
  apiVersion: 'slipway.dev/v1alpha1',
  kind: 'Subscription',
  metadata: { name: 'gadget', namespace: 'ops', ...metadata },
});
const spec = { customresourcedefinitions: { owned: [{ name: 'gadgets.example' }], required: [{ name: 'x.example' }] } };
const waiting = csvOf('gadget.v1', { spec: incomplete(spec), phase: 'Pending' });
const phase = (name: string): KubeObject => csvOf('gadget.v1', { spec, phase: name });

/** OLM has the operator again. */
const over: UndoState = {
  isBegun: false,
  isStatusOld: false,
  subscription: undefined,
  isHeld: false,
  isReleased: true,
  hasList: true,
  csv: phase('Succeeded'),
  unmarked: [],
  ofOthers: [],
  olmSubscription: read({ installedCSV: 'gadget.v1' }),
  hadSubscription: true,
};

const UNHEALTHY = { type: 'CatalogSourcesUnhealthy', status: 'True' };

/** A Subscription that OLM has read. */
function read(status: object, ...conditions: readonly object[]): KubeObject {
  const healthy = { type: 'CatalogSourcesUnhealthy', status: 'False' };
  return subscriptionOf({}, { ...status, conditions: [healthy, ...conditions] });
}

const CASES: readonly { readonly because: string; readonly state: Partial<UndoState>; readonly step: UndoStep }[] = [
  { because: 'OLM has it still', state: { isBegun: true }, step: 'CallOff' },
  {
    because: 'OLM has installed another version since',
    state: { csv: undefined, olmSubscription: read({ installedCSV: 'gadget.v2' }) },
    step: 'ForgetBackup',
  },
  {
    because: 'OLM upgraded nothing until now',
    state: { olmSubscription: createdPaused(read({ installedCSV: 'gadget.v1' })) },
    step: 'Resume',
  },
  {
    because: 'a catalog of the namespace is broken, and no resolution from before can be left',
    state: {
      csv: waiting,
      olmSubscription: read({ installedCSV: 'gadget.v1' }, { type: 'ResolutionFailed', status: 'True' }),
      isStatusOld: true,
    },
    step: 'Complete',
  },
  {
    because: 'a catalog does not answer, and a resolution from before may still end',
    state: {
      csv: waiting,
      olmSubscription: subscriptionOf({}, { installedCSV: 'gadget.v1', conditions: [UNHEALTHY] }),
    },
    step: 'AwaitResolved',
  },
  {
    because: 'OLM had no Subscription of it',
    state: { hadSubscription: false, olmSubscription: undefined },
    step: 'ForgetBackup',
  },
  {
    because: 'with the Subscription the list of its objects would go',
    state: { subscription: own(), hasList: false, csv: undefined, olmSubscription: undefined },
    step: 'KeepList',
  },
  {
    because: 'the list is kept',
    state: { subscription: own(), csv: undefined, olmSubscription: undefined },
    step: 'Orphan',
  },
  {
    because: 'two managers must not have it at a time',
    state: { subscription: own({ deletionTimestamp: '2026-11-23T00:00:00Z' }), csv: undefined },
    step: 'AwaitOrphaned',
  },
  {
    because: 'a person has deleted it, and the manager holds the uninstall until its objects are to stay',
    state: { subscription: own({ deletionTimestamp: '2026-11-23T00:00:00Z' }), isHeld: true, csv: undefined },
    step: 'Orphan',
  },
  {
    because: 'a person has deleted it, and the list is of another Revision',
    state: {
      subscription: own({ deletionTimestamp: '2026-11-23T00:00:00Z' }),
      isHeld: true,
      hasList: false,
      csv: undefined,
    },
    step: 'KeepList',
  },
  {
    because: 'its finalizer was taken off, and a manager that starts again would delete the objects with the Revision',
    state: { isReleased: false, csv: undefined, olmSubscription: undefined },
    step: 'AwaitOrphaned',
  },
  { because: 'no manager has it', state: { csv: undefined, olmSubscription: undefined }, step: 'CreateVersion' },
  { because: 'OLM waits and touches nothing', state: { csv: waiting, unmarked: [ref] }, step: 'Mark' },
  {
    because: 'OLM had none, and every object is marked',
    state: { csv: waiting, hadSubscription: false, olmSubscription: undefined },
    step: 'Complete',
  },
  {
    because: 'OLM would replace Pods that have a configuration of it',
    state: { csv: waiting, olmSubscription: undefined },
    step: 'CreateSubscription',
  },
  {
    because: 'OLM has not refused it yet, and would overwrite the status',
    state: { csv: waiting, olmSubscription: read({ installedCSV: '' }) },
    step: 'AwaitRead',
  },
  {
    because: 'OLM finds the configuration of the Pods by it',
    state: { csv: waiting, olmSubscription: read({ installedCSV: '' }, { type: 'ResolutionFailed', status: 'True' }) },
    step: 'SetStatus',
  },
  {
    because: 'OLM may still write a status from before, and would not know whose version it is',
    state: {
      csv: waiting,
      olmSubscription: read({ installedCSV: 'gadget.v1' }, { type: 'ResolutionFailed', status: 'True' }),
    },
    step: 'AwaitResolved',
  },
  { because: 'OLM knows whose version it is', state: { csv: waiting }, step: 'Complete' },
  { because: 'OLM is at work', state: { csv: phase('Installing'), unmarked: [ref] }, step: 'AwaitSucceeded' },
  { because: 'OLM has not seen it yet', state: { csv: phase('') }, step: 'AwaitSucceeded' },
  { because: 'nothing upgrades it', state: { olmSubscription: undefined }, step: 'CreateSubscription' },
  {
    because: 'OLM would overwrite a status that it has not seen',
    state: { olmSubscription: subscriptionOf({}, { installedCSV: '' }) },
    step: 'AwaitRead',
  },
  {
    because: 'OLM has read it, and a resolution would overwrite the status',
    state: { olmSubscription: read({ installedCSV: '' }) },
    step: 'AwaitRead',
  },
  {
    because: 'without its catalog OLM resolves nothing',
    state: { olmSubscription: subscriptionOf({}, { installedCSV: '', conditions: [UNHEALTHY] }) },
    step: 'SetStatus',
  },
  {
    because: 'OLM refuses to install it beside the ClusterServiceVersion',
    state: { olmSubscription: read({ installedCSV: '' }, { type: 'ResolutionFailed', status: 'True' }) },
    step: 'SetStatus',
  },
  {
    because: 'OLM has not resolved it again',
    state: { olmSubscription: read({ installedCSV: 'gadget.v1' }, { type: 'ResolutionFailed', status: 'True' }) },
    step: 'AwaitResolved',
  },
  { because: 'OLM has it', state: {}, step: 'ForgetBackup' },
];

describe('the next step of a way back', () => {
  test.each(CASES)('is $step: $because', ({ state, step }) => {
    expect(nextUndoStep({ ...over, ...state })).toBe(step);
  });

  test('is each step in some state', () => {
    expect([...new Set(CASES.map(({ step }) => step))].sort()).toEqual([...UNDO_STEPS].sort());
  });
});

describe('the requirement that nothing meets', () => {
  test('is added to those of the ClusterServiceVersion, and changes nothing else', () => {
    const own = { group: 'x.example', version: 'v1', kind: 'Own' };
    const { nativeAPIs, ...rest } = incomplete({ ...spec, version: '1.0.0', nativeAPIs: [own] });
    expect(rest).toEqual({ ...spec, version: '1.0.0' });
    expect(nativeAPIs).toEqual([own, expect.objectContaining({ group: 'unmet.adoption.slipway.dev' })]);
  });

  test.each([
    { because: 'it has no requirements', object: csvOf('gadget.v1'), answer: false },
    { because: 'it has its own', object: phase('Succeeded'), answer: false },
    { because: 'it waits', object: waiting, answer: true },
  ])('is recognized: $because', ({ object, answer }) => {
    expect(isIncomplete(object)).toBe(answer);
  });
});
