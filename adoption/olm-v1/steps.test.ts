/** The next step of a hand-over from OLM v1, for each state in which a process may find it. */
import { describe, expect, test } from 'vitest';
import type { KubeObject } from '../../api/object.ts';
import { HOLD } from '../olm-v0/kinds.ts';
import { nextStep, STEPS, type HandOverState, type StepName } from './steps.ts';
import { extensionOf } from './testing/extension.ts';

const subscription: KubeObject = { apiVersion: 'slipway.dev/v1alpha1', kind: 'Subscription', metadata: { name: 'x' } };
const ref = { apiVersion: 'v1', kind: 'Service', namespace: 'ops', name: 'gadget' };
const CLEANUP = 'olm.operatorframework.io/cleanup-unpack-cache';
const deletionTimestamp = '2026-11-23T00:00:00Z';
const deleted = (...finalizers: readonly string[]): KubeObject =>
  extensionOf({ metadata: { deletionTimestamp, finalizers } });

/** Everything is handed over but for the end. */
const over: HandOverState = {
  hasBackup: true,
  isEnded: false,
  isOlmBusy: false,
  extension: undefined,
  isHeldByVersion: true,
  isSettled: true,
  hasGoneOn: false,
  marked: [],
  subscription,
  isReady: true,
  leftovers: [],
  isPinned: true,
};

const CASES: readonly { readonly because: string; readonly state: Partial<HandOverState>; readonly step: StepName }[] =
  [
    { because: 'OLM upgrades it', state: { hasBackup: false, isOlmBusy: true }, step: 'AwaitOlm' },
    { because: 'nothing is touched without a backup', state: { hasBackup: false }, step: 'BackUp' },
    {
      because: 'OLM upgrades by itself',
      state: { extension: extensionOf(), isHeldByVersion: false },
      step: 'Pause',
    },
    {
      because: 'a person set the version back after the hold',
      state: { extension: extensionOf({ metadata: { finalizers: [HOLD] } }), isHeldByVersion: false },
      step: 'Pause',
    },
    {
      because: 'OLM may be at work on an upgrade that it began before',
      state: { extension: extensionOf(), isSettled: false },
      step: 'AwaitPause',
    },
    {
      because: 'OLM had begun an upgrade before the pause, and cannot go back',
      state: { extension: extensionOf(), isSettled: false, hasGoneOn: true },
      step: 'Resume',
    },
    { because: 'it would be gone once OLM is out', state: { extension: extensionOf() }, step: 'Hold' },
    {
      because: 'it is held',
      state: { extension: extensionOf({ metadata: { finalizers: [CLEANUP, HOLD] } }) },
      step: 'Delete',
    },
    {
      because: 'OLM may be in the middle of writing its objects',
      state: { extension: deleted(CLEANUP, HOLD), marked: [ref] },
      step: 'AwaitOlmOut',
    },
    {
      because: 'the garbage collector takes the owner references off',
      state: { extension: deleted('orphan', HOLD), marked: [ref] },
      step: 'AwaitOlmOut',
    },
    { because: 'OLM does nothing any more', state: { extension: deleted(HOLD), marked: [ref] }, step: 'HandOver' },
    {
      because: 'the next one goes on after a release that came too early',
      state: { marked: [ref], subscription: undefined },
      step: 'HandOver',
    },
    {
      because: 'nothing manages the objects',
      state: { extension: deleted(HOLD), subscription: undefined },
      step: 'Subscribe',
    },
    {
      because: 'Slipway is at work',
      state: { extension: deleted(HOLD), isReady: false },
      step: 'AwaitReady',
    },
    { because: 'Slipway has all of it', state: { extension: deleted(HOLD) }, step: 'Release' },
    { because: 'the release of Helm is of no use', state: { leftovers: [ref] }, step: 'CleanUp' },
    { because: 'nothing of OLM is left', state: {}, step: 'Unpin' },
    {
      because: 'a person changed the version before Slipway had all of it',
      state: { extension: deleted(HOLD), isPinned: false, isReady: false },
      step: 'AwaitPin',
    },
    {
      because: 'a person changed the version, and the release of Helm is still there',
      state: { leftovers: [ref], isPinned: false },
      step: 'CleanUp',
    },
    {
      because: 'the process was killed after it had unpinned',
      state: { isPinned: false, isReady: false },
      step: 'End',
    },
    {
      because: 'the Subscription was uninstalled before the end, and the manager had no right to release it',
      state: { isEnded: true, subscription: undefined, extension: deleted(HOLD) },
      step: 'Release',
    },
    {
      because: 'the same, and the release of Helm is left',
      state: { isEnded: true, subscription: undefined, extension: deleted(HOLD), leftovers: [ref] },
      step: 'CleanUp',
    },
    {
      because: 'the operator was uninstalled since',
      state: { isEnded: true, subscription: undefined },
      step: 'Done',
    },
  ];

describe('the next step', () => {
  test.each(CASES)('is $step if $because', ({ state, step }) => {
    expect(nextStep({ ...over, ...state })).toBe(step);
  });

  test('is each of the steps once', () => {
    expect(new Set(CASES.map(({ step }) => step))).toEqual(new Set(STEPS));
  });
});
