/** When a Subscription has come to an end, and at which. */
import { expect, describe, test } from 'vitest';
import type { Judged } from '../lib/objects.ts';
import { outcomeOf, standingOf, type Standing } from './verdict.ts';

const GENERATION = 2;

interface Said {
  readonly type: string;
  readonly status?: string;
  readonly reason?: string;
  readonly observedGeneration?: number;
}

/** `Judged` has less of it. */
function installed(bundle: string): { readonly version: string; readonly revision: string } {
  const all = { bundle, version: '1', revision: 'r' };
  return all;
}

function subscription(bundle: string | undefined, conditions: readonly Said[]): Judged {
  return {
    metadata: { name: 'operator', uid: '1', generation: GENERATION },
    spec: {},
    status: {
      ...(bundle !== undefined && { installed: installed(bundle) }),
      conditions: conditions.map(({ type, status = 'True', reason = type, observedGeneration = GENERATION }) => ({
        type,
        status: status as 'True' | 'False',
        reason,
        message: `says ${reason}`,
        observedGeneration,
        lastTransitionTime: '2026-01-01T00:00:00Z',
      })),
    },
  };
}

describe('a Subscription', () => {
  test.each([
    { because: 'it runs the bundle', bundle: 'b', says: [{ type: 'Ready' }], state: 'Ready' },
    { because: 'it runs another bundle', bundle: 'a', says: [{ type: 'Ready' }], state: 'Waiting none' },
    {
      because: 'it runs another bundle, and says why it does not go on',
      bundle: 'a',
      says: [{ type: 'Ready' }, { type: 'UpgradeAvailable', reason: 'DependencyNotReady' }],
      state: 'Waiting DependencyNotReady',
    },
    {
      because: 'objects of earlier versions are still to go',
      bundle: 'b',
      says: [{ type: 'Ready' }, { type: 'Reconciling', reason: 'Progressing' }],
      state: 'Waiting Progressing',
    },
    {
      because: 'it was Ready before its spec was changed',
      bundle: 'b',
      says: [{ type: 'Ready', observedGeneration: GENERATION - 1 }],
      state: 'Waiting none',
    },
    {
      because: 'it is refused',
      bundle: undefined,
      says: [
        { type: 'Ready', status: 'False' },
        { type: 'Stalled', reason: 'BundleUnsupported' },
      ],
      state: 'Stalled BundleUnsupported',
    },
    {
      because: 'the one before its spec was changed was refused',
      bundle: undefined,
      says: [{ type: 'Stalled', reason: 'BundleUnsupported', observedGeneration: GENERATION - 1 }],
      state: 'Waiting none',
    },
    { because: 'it says nothing yet', bundle: undefined, says: [], state: 'Waiting none' },
  ])('is $state: $because', ({ bundle, says, state }) => {
    const standing = standingOf(subscription(bundle, says), 'b');
    expect('reason' in standing ? `${standing.state} ${standing.reason}` : standing.state).toBe(state);
  });
});

describe('a standing', () => {
  const waiting = (reason: string): Standing => ({ state: 'Waiting', reason, message: 'm' });
  test.each([
    { because: 'it is reached', standing: { state: 'Ready' } as Standing, unchanged: 0, outcome: 'Ready' },
    {
      because: 'nothing more happens',
      standing: { state: 'Stalled', reason: 'Collision', message: 'm' } as Standing,
      unchanged: 0,
      outcome: 'Refused Collision',
    },
    { because: 'it may still change', standing: waiting('DependencyNotReady'), unchanged: 10, outcome: undefined },
    {
      because: 'it has not changed',
      standing: waiting('DependencyNotReady'),
      unchanged: 70,
      outcome: 'Refused DependencyNotReady',
    },
    { because: 'work takes its time', standing: waiting('Installing'), unchanged: 70, outcome: undefined },
    {
      because: 'work without an end is no refusal',
      standing: waiting('Installing'),
      unchanged: 200,
      outcome: 'Unfinished Installing',
    },
    { because: 'silence is no refusal', standing: waiting('none'), unchanged: 200, outcome: 'Unfinished none' },
  ])('comes to $outcome after $unchanged s: $because', ({ standing, unchanged, outcome }) => {
    const found = outcomeOf(standing, unchanged);
    expect(found === undefined || found.outcome === 'Ready' ? found?.outcome : `${found.outcome} ${found.reason}`).toBe(
      outcome,
    );
  });
});
