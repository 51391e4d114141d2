import { describe, expect, test } from 'vitest';
import type { KubeObject } from '../api/object.ts';
import { assessHealth } from './health.ts';
import { canBeHeldBack, heldFor, holdBack, unheld } from './held-back.ts';
import { sampleDeployment } from './testing/sample-objects.ts';

const withSpec = (fields: object): KubeObject => {
  const plain = sampleDeployment('widget');
  return { ...plain, spec: { ...(plain['spec'] as object), ...fields } };
};

test.each<{ spec: object; can: boolean; because: string }>([
  { spec: {}, can: true, because: 'the default adds a Pod during a rollout' },
  {
    spec: { strategy: { type: 'RollingUpdate', rollingUpdate: { maxSurge: '10%' } } },
    can: true,
    because: 'a fraction of one rounds up to one',
  },
  { spec: { strategy: { type: 'Recreate' } }, can: false, because: 'old Pods are deleted first' },
  { spec: { strategy: { rollingUpdate: { maxSurge: 0 } } }, can: false, because: 'no Pod is added during a rollout' },
  {
    spec: { strategy: { rollingUpdate: { maxSurge: '0%' } } },
    can: false,
    because: 'zero percent of any number is zero',
  },
  {
    spec: { strategy: { rollingUpdate: { maxUnavailable: 1 } } },
    can: false,
    because: 'an old Pod may be deleted first',
  },
  { spec: { replicas: 3 }, can: true, because: 'a quarter of three rounds down to zero' },
  { spec: { replicas: 4 }, can: false, because: 'a quarter of four is one' },
  { spec: { replicas: 0 }, can: false, because: 'there are no replicas' },
])('whether a Deployment can be held back: $can, as $because', ({ spec, can }) => {
  expect(canBeHeldBack(withSpec(spec))).toBe(can);
});

test('holding a Deployment back changes only its time limits', () => {
  const strategy = { rollingUpdate: { maxSurge: 2, maxUnavailable: 0 } };
  const held = holdBack(withSpec({ minReadySeconds: 10, progressDeadlineSeconds: 2 ** 31 - 1, strategy }), 'old');
  expect(heldFor(held)).toBe('old');
  expect(held['spec']).toMatchObject({ minReadySeconds: 1e9, progressDeadlineSeconds: 2 ** 31 - 1, strategy });
});

test('a merge patch releases a Deployment that is held back, although it removes no field by itself', () => {
  const { annotations, spec } = unheld(sampleDeployment('widget'));
  expect(annotations).toHaveProperty(['slipway.dev/rehearsal'], null);
  expect(spec).toEqual({ minReadySeconds: null, progressDeadlineSeconds: null });
});

describe('a Deployment that is held back', () => {
  const health = (counts: object, generation = 1): string =>
    assessHealth({
      ...holdBack(sampleDeployment('widget'), 'old'),
      metadata: { ...holdBack(sampleDeployment('widget'), 'old').metadata, generation },
      status: { observedGeneration: 1, ...counts },
    }).state;

  test.each<{ counts: object; state: string; because: string }>([
    {
      counts: { replicas: 1, updatedReplicas: 0, readyReplicas: 1, availableReplicas: 1 },
      state: 'Progressing',
      because: 'no new Pod was created',
    },
    {
      counts: { replicas: 2, updatedReplicas: 1, readyReplicas: 1, availableReplicas: 1 },
      state: 'Progressing',
      because: 'the new Pod is not ready yet',
    },
    {
      counts: { replicas: 2, updatedReplicas: 1, readyReplicas: 2, availableReplicas: 1 },
      state: 'Ready',
      because: 'the new Pod is ready while the old one runs',
    },
    {
      counts: { replicas: 2, updatedReplicas: 1, readyReplicas: 1, availableReplicas: 0 },
      state: 'Ready',
      because: 'the new Pod is ready, although the old one failed',
    },
    {
      counts: { replicas: 1, updatedReplicas: 1, readyReplicas: 1, availableReplicas: 1 },
      state: 'Ready',
      because: 'the template did not change',
    },
    {
      counts: {
        updatedReplicas: 1,
        conditions: [{ type: 'Progressing', status: 'False', reason: 'ProgressDeadlineExceeded' }],
      },
      state: 'Failed',
      because: 'its controller gave up',
    },
  ])('a Deployment that is held back is $state when $because', ({ counts, state }) => {
    expect(health(counts)).toBe(state);
  });

  test('a status that describes an older spec says nothing about a held-back Deployment', () => {
    expect(health({ replicas: 1, updatedReplicas: 1, readyReplicas: 1 }, 2)).toBe('Progressing');
  });
});
