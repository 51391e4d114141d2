import { describe, expect, test } from 'vitest';
import type { KubeObject } from '../api/object.ts';
import { assessHealth } from './health.ts';
import { canBeHeldBack, heldFor, holdBack, unheld } from './held-back.ts';
import { sampleDeployment } from './sample-objects.ts';

const withSpec = (fields: object): KubeObject => {
  const plain = sampleDeployment('widget');
  return { ...plain, spec: { ...(plain['spec'] as object), ...fields } };
};

test.each<{ spec: object; can: boolean; because: string }>([
  { spec: {}, can: true, because: 'by default there is a Pod more' },
  {
    spec: { strategy: { type: 'RollingUpdate', rollingUpdate: { maxSurge: '10%' } } },
    can: true,
    because: 'a part of one is one',
  },
  { spec: { strategy: { type: 'Recreate' } }, can: false, because: 'the old ones go first' },
  { spec: { strategy: { rollingUpdate: { maxSurge: 0 } } }, can: false, because: 'there is no Pod more' },
  { spec: { strategy: { rollingUpdate: { maxSurge: '0%' } } }, can: false, because: 'none is none' },
  { spec: { strategy: { rollingUpdate: { maxUnavailable: 1 } } }, can: false, because: 'an old one may go first' },
  { spec: { replicas: 3 }, can: true, because: 'a quarter of three is none' },
  { spec: { replicas: 4 }, can: false, because: 'a quarter of four is one' },
  { spec: { replicas: 0 }, can: false, because: 'there is no Pod' },
])('can be held back: $can, as $because', ({ spec, can }) => {
  expect(canBeHeldBack(withSpec(spec))).toBe(can);
});

test('keeps all that its author says but the times, which nothing outlasts', () => {
  const strategy = { rollingUpdate: { maxSurge: 2, maxUnavailable: 0 } };
  const held = holdBack(withSpec({ minReadySeconds: 10, progressDeadlineSeconds: 2 ** 31 - 1, strategy }), 'old');
  expect(heldFor(held)).toBe('old');
  expect(held['spec']).toMatchObject({ minReadySeconds: 1e9, progressDeadlineSeconds: 2 ** 31 - 1, strategy });
});

test('is let go by a merge patch too, which takes nothing away by itself', () => {
  const { annotations, spec } = unheld(sampleDeployment('widget'));
  expect(annotations).toHaveProperty(['slipway.dev/rehearsal'], null);
  expect(spec).toEqual({ minReadySeconds: null, progressDeadlineSeconds: null });
});

describe('while it is held back', () => {
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
      because: 'no new Pod was made',
    },
    {
      counts: { replicas: 2, updatedReplicas: 1, readyReplicas: 1, availableReplicas: 1 },
      state: 'Progressing',
      because: 'the new Pod is not ready',
    },
    {
      counts: { replicas: 2, updatedReplicas: 1, readyReplicas: 2, availableReplicas: 1 },
      state: 'Ready',
      because: 'the new Pod is ready beside the old one',
    },
    {
      counts: { replicas: 2, updatedReplicas: 1, readyReplicas: 1, availableReplicas: 0 },
      state: 'Ready',
      because: 'the new Pod is ready, though the old one has failed',
    },
    {
      counts: { replicas: 1, updatedReplicas: 1, readyReplicas: 1, availableReplicas: 1 },
      state: 'Ready',
      because: 'the template is the same',
    },
    {
      counts: {
        updatedReplicas: 1,
        conditions: [{ type: 'Progressing', status: 'False', reason: 'ProgressDeadlineExceeded' }],
      },
      state: 'Failed',
      because: 'its controller gave up',
    },
  ])('it is $state where $because', ({ counts, state }) => {
    expect(health(counts)).toBe(state);
  });

  test('a status about what was before says nothing', () => {
    expect(health({ replicas: 1, updatedReplicas: 1, readyReplicas: 1 }, 2)).toBe('Progressing');
  });
});
