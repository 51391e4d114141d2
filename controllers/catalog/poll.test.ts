import { describe, expect, it } from 'vitest';
import type { Catalog } from '../../api/catalog.ts';
import { planPoll } from './poll.ts';

const now = new Date('2026-01-01T00:10:00Z');
const digest = 'registry.example/c@sha256:abc';
const fresh = { observedGeneration: 1, digest, lastChecked: '2026-01-01T00:09:00Z' };

function catalog(spec: object, status?: object, annotations: Record<string, string> = {}): Catalog {
  const source = { image: { ref: 'registry.example/c:v1' } };
  return {
    apiVersion: 'slipway.dev/v1alpha1',
    kind: 'Catalog',
    metadata: { name: 'c', generation: 1, annotations },
    spec: { source, priority: 0, suspend: false, ...spec },
    ...(status !== undefined && { status }),
  };
}

describe('whether the registry is asked', () => {
  it.each([
    { because: 'a new catalog has no content', catalog: catalog({}), serving: undefined, plan: { kind: 'check' } },
    {
      because: 'the interval is not over',
      catalog: catalog({}, fresh),
      serving: digest,
      plan: { kind: 'wait', seconds: 240 },
    },
    {
      because: 'the interval is over',
      catalog: catalog({ interval: '30s' }, fresh),
      serving: digest,
      plan: { kind: 'check' },
    },
    {
      because: 'the spec has changed',
      catalog: catalog({}, { ...fresh, observedGeneration: 0 }),
      serving: digest,
      plan: { kind: 'check' },
    },
    {
      because: 'a digest cannot change',
      catalog: catalog({ source: { image: { ref: digest } } }, fresh),
      serving: digest,
      plan: { kind: 'wait' },
    },
    {
      because: 'a restarted manager opens what was in service',
      catalog: catalog({}, fresh),
      serving: undefined,
      plan: { kind: 'restore', digest },
    },
    {
      because: 'a suspended catalog stays in service over a restart',
      catalog: catalog({ suspend: true }, fresh),
      serving: undefined,
      plan: { kind: 'restore', digest },
    },
    {
      because: 'a suspended catalog is not asked',
      catalog: catalog({ suspend: true }, { ...fresh, observedGeneration: 0 }),
      serving: digest,
      plan: { kind: 'suspended' },
    },
    {
      because: 'a person asks',
      catalog: catalog({}, fresh, { 'slipway.dev/reconcile-requested-at': 'x' }),
      serving: digest,
      plan: { kind: 'check' },
    },
    {
      because: 'what a person asked for was done',
      catalog: catalog({}, { ...fresh, lastHandledReconcileAt: 'x' }, { 'slipway.dev/reconcile-requested-at': 'x' }),
      serving: digest,
      plan: { kind: 'wait', seconds: 240 },
    },
  ])('$because', ({ catalog, serving, plan }) => {
    expect(planPoll(catalog, serving, now)).toEqual(plan);
  });
});
