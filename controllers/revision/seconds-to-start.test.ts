import { describe, expect, it } from 'vitest';
import type { Unready } from '../../apply/apply.ts';
import type { KubeObject } from '../../api/object.ts';
import { secondsToStart } from './explain-unready.ts';

const ref = { apiVersion: 'apps/v1', kind: 'Deployment', namespace: 'ops', name: 'widgets' };
const unready: readonly Unready[] = [
  { ref, health: { state: 'Progressing', message: '0 of 1 replicas are available' } },
];

function deployment(creationTimestamp: string | undefined, lastUpdateTime?: string): KubeObject {
  const conditions = lastUpdateTime === undefined ? [] : [{ type: 'Progressing', lastUpdateTime }];
  return { ...ref, metadata: { name: ref.name, creationTimestamp }, status: { conditions } } as unknown as KubeObject;
}

describe('a Deployment that is not available is left to start', () => {
  it.each([
    { because: 'it was made a second ago', live: deployment('2026-01-01T00:00:09Z'), seconds: 9 },
    { because: 'it was made long ago', live: deployment('2026-01-01T00:00:00Z'), seconds: 0 },
    {
      because: 'its rollout moved a second ago',
      live: deployment('2026-01-01T00:00:00Z', '2026-01-01T00:00:09Z'),
      seconds: 9,
    },
    { because: 'the clock of the API server is ahead', live: deployment('2026-01-01T00:08:00Z'), seconds: 0 },
    { because: 'its state is not known', live: undefined, seconds: 0 },
    { because: 'its age is not known', live: deployment(undefined), seconds: 0 },
  ])('an unavailable Deployment is left to start for $seconds s: $because', ({ live, seconds }) => {
    const now = new Date('2026-01-01T00:00:10Z');
    expect(secondsToStart(unready, { observed: () => live, deadlineSeconds: 600, now })).toBe(seconds);
  });

  it('an unavailable Deployment is left to start for at most half of its deadline', () => {
    const observed = (): KubeObject => deployment('2026-01-01T00:00:10Z');
    expect(secondsToStart(unready, { observed, deadlineSeconds: 2, now: new Date('2026-01-01T00:00:10Z') })).toBe(1);
  });
});
