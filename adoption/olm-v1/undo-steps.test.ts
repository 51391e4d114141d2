/** The next step of a way back to OLM v1, for each state in which a process may find it. */
import { expect, test } from 'vitest';
import { refOf } from '../../api/object.ts';
import { extensionOf } from './testing/extension.ts';
import { OBJECTS, ownOf } from './testing/handed-over.ts';
import { nextUndoStep, UNDO_STEPS, type UndoState, type UndoStep } from './undo-steps.ts';

/** OLM has the operator again. */
const over: UndoState = {
  isBegun: false,
  subscription: undefined,
  isReleased: true,
  isKept: false,
  isPinned: false,
  isStill: false,
  extension: extensionOf(),
  isOffer: false,
  isOfVersion: false,
  answer: { kind: 'waiting', message: '' },
  unmarked: [],
  isAsked: false,
  isTakenOver: true,
  isStillPinned: false,
  hasInstalled: true,
};
/** OLM was offered the operator that Slipway has, and agrees. */
const agreed: UndoState = {
  ...over,
  subscription: ownOf(),
  isOffer: true,
  isOfVersion: true,
  answer: { kind: 'agreed' },
  isTakenOver: false,
  hasInstalled: false,
};
/** Slipway has left the objects. */
const left: UndoState = { ...agreed, subscription: undefined };
/** The annotation of the offer was removed, or the ClusterExtension was applied again without it. */
const bare = { isOffer: false, isOfVersion: false };
const deletionTimestamp = '2026-11-23T00:00:00Z';
const gone = ownOf({ metadata: { deletionTimestamp } });
const withdrawn = extensionOf({ metadata: { deletionTimestamp } });
const unmarked = [refOf(OBJECTS[0]!)];

const CASES: readonly { readonly because: string; readonly state: UndoState; readonly step: UndoStep }[] = [
  { because: 'OLM has it still', state: { ...over, isBegun: true }, step: 'CallOff' },
  {
    because: 'an uninstall would delete objects that OLM is about to be offered',
    state: { ...agreed, extension: undefined, isOffer: false, isOfVersion: false },
    step: 'KeepList',
  },
  {
    because: 'OLM has not been asked',
    state: { ...agreed, extension: undefined, isOffer: false, isOfVersion: false, isKept: true },
    step: 'Offer',
  },
  {
    because: 'it was deleted after Slipway had gone',
    state: { ...left, extension: undefined, isOffer: false },
    step: 'Offer',
  },
  {
    because: 'OLM has not answered',
    state: { ...agreed, answer: { kind: 'waiting', message: '' } },
    step: 'AwaitAnswer',
  },
  {
    because: 'OLM has no such version',
    state: { ...agreed, answer: { kind: 'refused', message: '' } },
    step: 'Withdraw',
  },
  {
    because: 'OLM has lost the version',
    state: { ...agreed, isKept: true, isPinned: true, isStill: true, answer: { kind: 'refused', message: '' } },
    step: 'Withdraw',
  },
  { because: 'Slipway has upgraded since', state: { ...agreed, isOfVersion: false }, step: 'Withdraw' },
  { because: 'the offer is deleted', state: { ...agreed, extension: withdrawn }, step: 'AwaitWithdrawn' },
  { because: 'with the Subscription the list of its objects would go', state: agreed, step: 'KeepList' },
  { because: 'the list is of another Revision', state: { ...agreed, isPinned: true, isStill: true }, step: 'KeepList' },
  { because: 'the list is kept', state: { ...agreed, isKept: true }, step: 'Pin' },
  {
    because: 'the manager has not read the pin',
    state: { ...agreed, isKept: true, isPinned: true },
    step: 'AwaitPinned',
  },
  {
    because: 'no upgrade can begin',
    state: { ...agreed, isKept: true, isPinned: true, isStill: true },
    step: 'Orphan',
  },
  { because: 'the manager leaves the objects', state: { ...agreed, subscription: gone }, step: 'AwaitOrphaned' },
  {
    because: 'the Subscription lost its finalizer, and its Revisions wait for a manager',
    state: { ...left, unmarked, isReleased: false },
    step: 'AwaitOrphaned',
  },
  {
    because: 'its Revisions wait for a manager, and OLM has the objects',
    state: { ...over, isReleased: false },
    step: 'AwaitOrphaned',
  },
  { because: 'the manager has left the objects', state: { ...left, unmarked }, step: 'Mark' },
  { because: 'OLM has taken the others over', state: { ...left, unmarked, isTakenOver: true }, step: 'Mark' },
  { because: 'no object is marked, and the offer is no more', state: { ...left, ...bare, unmarked }, step: 'Repeat' },
  {
    because: 'OLM has nothing yet, and the offer is no more',
    state: { ...left, ...bare, isAsked: true },
    step: 'Repeat',
  },
  { because: 'OLM has it, and the pin would stay', state: { ...over, isStillPinned: true }, step: 'Repeat' },
  { because: 'OLM has it but for one object', state: { ...over, unmarked }, step: 'Repeat' },
  { because: 'OLM would install another version', state: { ...left, isOfVersion: false, unmarked }, step: 'Repeat' },
  {
    because: 'OLM has been asked, and a person has written another version',
    state: { ...left, isOfVersion: false, isAsked: true },
    step: 'AwaitTakenOver',
  },
  {
    because: 'OLM has gone on to another version',
    state: { ...left, isOfVersion: false, isAsked: true, hasInstalled: true, isTakenOver: true },
    step: 'Restore',
  },
  { because: 'OLM upgrades it already', state: { ...over, isTakenOver: false }, step: 'ForgetBackup' },
  { because: 'OLM would wait after its refusals', state: left, step: 'Ask' },
  { because: 'OLM was asked', state: { ...left, isAsked: true }, step: 'AwaitTakenOver' },
  { because: 'OLM has them', state: { ...left, isAsked: true, isTakenOver: true }, step: 'Restore' },
  { because: 'it has its versions again', state: over, step: 'ForgetBackup' },
];

test.each(CASES)('$step if $because', ({ state, step }) => {
  expect(nextUndoStep(state)).toBe(step);
});

test('each step is reached', () => {
  expect(new Set(CASES.map(({ step }) => step))).toEqual(new Set(UNDO_STEPS));
});
