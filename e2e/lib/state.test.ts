/** Texts of two runs that come to the same are the same, and texts of different ends are not. */
import { describe, expect, test } from 'vitest';
import type { FoundObject } from './everything.ts';
import { normalizeText, stateOf } from './state.ts';

const CASES = [
  {
    because: 'each run has its own times',
    one: 'since 2026-11-22T10:00:00Z',
    other: 'since 2026-11-23T11:12:13.014Z',
    same: true,
  },
  {
    because: 'Pods have random names',
    one: 'Pod ops/lamp-7d9c5bd5f5-abcde is not ready',
    other: 'Pod ops/lamp-7d9c5bd5f5-fghij is not ready',
    same: true,
  },
  {
    because: 'a deadline meets a rollout at one of its obstacles',
    one: 'Not healthy within 3 s: Deployment lamp: 1 replicas of the old revision are still there',
    other: 'Not healthy within 3 s: Deployment lamp: container "lamp" is not ready',
    same: true,
  },
  {
    because: 'another deadline is another end',
    one: 'Not healthy within 3 s: Deployment lamp: x',
    other: 'Not healthy within 30 s: Deployment lamp: x',
    same: false,
  },
  {
    because: 'a failure before the deadline is another end',
    one: 'Not healthy within 3 s: Deployment lamp: x',
    other: 'Deployment lamp: x',
    same: false,
  },
  {
    because: 'the Pod of another Deployment is another one',
    one: 'Pod ops/lamp-7d9c5bd5f5-abcde is not ready',
    other: 'Pod ops/torch-7d9c5bd5f5-abcde is not ready',
    same: false,
  },
];

describe('the text of a state', () => {
  test.each(CASES)('same: $same, since $because', ({ one, other, same }) => {
    expect(normalizeText(one) === normalizeText(other)).toBe(same);
  });
});

describe('a uid within an object', () => {
  const crd = { apiVersion: 'apiextensions.k8s.io/v1', kind: 'CustomResourceDefinition', name: 'lamps.example.com' };
  const revision = (uid: string): FoundObject =>
    ({
      apiVersion: 'slipway.dev/v1alpha1',
      kind: 'Revision',
      metadata: { name: 'lamp-1', namespace: 'ops', uid: 'r' },
      status: { inventory: [{ ...crd, uid }] },
    }) as unknown as FoundObject;
  const living = (uid: string): FoundObject => ({ ...crd, metadata: { name: crd.name, uid } });
  const inventoryOf = (...found: readonly FoundObject[]): unknown =>
    stateOf(found).contents.get('Revision.slipway.dev ops/lamp-1');

  test('is that of the object in both runs, though it differs', () => {
    expect(inventoryOf(revision('a'), living('a'))).toEqual(inventoryOf(revision('b'), living('b')));
  });

  test.each([
    { uid: '', because: 'the object is about to be created' },
    { uid: 'b', because: 'it is of an object that is gone' },
  ])('differs if $because', ({ uid }) => {
    expect(inventoryOf(revision(uid), living('a'))).not.toEqual(inventoryOf(revision('a'), living('a')));
  });
});

test('which obstacle a phase of a failed Revision met last is left out, and its state only if that was at the deadline', () => {
  const failed = (state: string, message: string, failure?: object): FoundObject =>
    ({
      apiVersion: 'slipway.dev/v1alpha1',
      kind: 'Revision',
      metadata: { name: 'lamp-1', namespace: 'ops', uid: 'r' },
      status: { phases: [{ name: 'workloads', state, message }], ...(failure && { failure }) },
    }) as unknown as FoundObject;
  const content = (one: FoundObject): unknown => [...stateOf([one]).contents.values()][0];
  expect(content(failed('Waiting', 'a', {}))).toEqual(content(failed('Waiting', 'b', {})));
  expect(content(failed('Waiting', 'a', {}))).not.toEqual(content(failed('Done', 'a', {})));
  const late = { message: 'Not healthy within 10 s: Deployment.apps ops/lamp: no Pod is ready' };
  expect(content(failed('Waiting', 'a', late))).toEqual(content(failed('Done', 'a', late)));
  expect(content(failed('Waiting', 'a'))).not.toEqual(content(failed('Waiting', 'b')));
});
