import { describe, expect, it } from 'vitest';
import type { Catalog } from '../../api/catalog.ts';
import type { Verify } from '../../api/verify.ts';
import { NO_POLICIES } from '../registry-policies.ts';
import { demandsHash } from '../signature-demands.ts';
import { planPoll } from './poll.ts';

const now = new Date('2026-01-01T00:10:00Z');
const SHA = `sha256:${'a'.repeat(64)}`;
const digest = `registry.example/c:v1@${SHA}`;
const fresh = { observedGeneration: 1, digest, lastChecked: '2026-01-01T00:09:00Z' };
const condition = { type: 'Ready', status: 'True', reason: 'Succeeded', message: '', lastTransitionTime: '' };
const verify: Verify = {
  keys: [{ name: 'team', pem: '-----BEGIN PUBLIC KEY-----', transparencyLog: 'Require' }],
  enforcement: 'Enforce',
};
const stale = [
  { ...condition, reason: 'CatalogStale' },
  { ...condition, type: 'Reconciling', reason: 'RegistryUnavailable' },
];

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

describe('the decision whether to ask the registry', () => {
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
      because: 'a digest that could not be pulled is tried again',
      catalog: catalog({ source: { image: { ref: digest } } }, { ...fresh, conditions: stale }),
      serving: digest,
      plan: { kind: 'check' },
    },
    {
      because: 'the spec was observed, but names another digest than the one in service',
      catalog: catalog({ source: { image: { ref: `registry.example/c:v1@sha256:${'b'.repeat(64)}` } } }, fresh),
      serving: digest,
      plan: { kind: 'check' },
    },
    {
      because: 'the spec was observed, but names another tag than the one in service',
      catalog: catalog({ source: { image: { ref: 'registry.example/c:v2' } } }, fresh),
      serving: digest,
      plan: { kind: 'check' },
    },
    {
      because: 'the spec was observed, but names repositories while an image is in service',
      catalog: catalog({ source: { repositories: [{ repository: 'registry.example/c' }] } }, fresh),
      serving: digest,
      plan: { kind: 'check' },
    },
    {
      because: 'the repositories were checked',
      catalog: catalog({ source: { repositories: [{ repository: 'registry.example/c' }] } }, { ...fresh, digest: SHA }),
      serving: SHA,
      plan: { kind: 'wait', seconds: 240 },
    },
    {
      because: 'the reference cannot be read, which the pull reports',
      catalog: catalog({ source: { image: { ref: 'http://registry.example/c' } } }, fresh),
      serving: digest,
      plan: { kind: 'check' },
    },
    {
      because: 'the last check failed',
      catalog: catalog({}, { ...fresh, conditions: stale }),
      serving: digest,
      plan: { kind: 'check' },
    },
    {
      because: 'the last check failed for good, and the tag may have been moved',
      catalog: catalog({}, { ...fresh, conditions: [{ ...condition, type: 'Stalled', reason: 'CatalogInvalid' }] }),
      serving: digest,
      plan: { kind: 'check' },
    },
    {
      because: 'the last check failed while nothing was in service',
      catalog: catalog({}, { ...fresh, conditions: [{ ...condition, status: 'False', reason: 'ImageNotFound' }] }),
      serving: digest,
      plan: { kind: 'check' },
    },
    {
      because: 'a suspended catalog is not checked even if the last check failed',
      catalog: catalog({ suspend: true }, { ...fresh, conditions: stale }),
      serving: digest,
      plan: { kind: 'suspended' },
    },
    {
      because: 'a restarted manager opens the content that was in service',
      catalog: catalog({}, fresh),
      serving: undefined,
      plan: { kind: 'restore', digest },
    },
    {
      because: 'a restarted manager opens the content that was in service before it asks for new content',
      catalog: catalog({}, { ...fresh, observedGeneration: 0, conditions: stale }),
      serving: undefined,
      plan: { kind: 'restore', digest },
    },
    {
      because: 'this replica serves content that was found before another one led',
      catalog: catalog({}, fresh),
      serving: `registry.example/c:v1@sha256:${'c'.repeat(64)}`,
      plan: { kind: 'check' },
    },
    {
      because: 'a suspended catalog serves exactly the content that it had',
      catalog: catalog({ suspend: true }, fresh),
      serving: `registry.example/c:v1@sha256:${'c'.repeat(64)}`,
      plan: { kind: 'restore', digest },
    },
    {
      because: 'a suspended catalog stays in service over a restart',
      catalog: catalog({ suspend: true }, fresh),
      serving: undefined,
      plan: { kind: 'restore', digest },
    },
    {
      because: 'a suspended catalog is not checked',
      catalog: catalog({ suspend: true }, { ...fresh, observedGeneration: 0 }),
      serving: digest,
      plan: { kind: 'suspended' },
    },
    {
      because: 'the content in service passed the check of this policy',
      catalog: catalog({ verify }, { ...fresh, signature: { policy: demandsHash([verify]), by: 'key team' } }),
      serving: digest,
      plan: { kind: 'wait', seconds: 240 },
    },
    {
      because: 'the content in service passed the check of another policy',
      catalog: catalog(
        { verify },
        { ...fresh, signature: { policy: demandsHash([{ ...verify, enforcement: 'Warn' }]) } },
      ),
      serving: digest,
      plan: { kind: 'check' },
    },
    {
      because: 'the content in service was never checked: by an earlier version of Slipway, say',
      catalog: catalog({ verify }, fresh),
      serving: digest,
      plan: { kind: 'check' },
    },
    {
      because: 'content that was never checked is not restored from the disk',
      catalog: catalog({ verify }, fresh),
      serving: undefined,
      plan: { kind: 'check' },
    },
    {
      because: 'content that passed is restored from the disk',
      catalog: catalog({ verify }, { ...fresh, signature: { policy: demandsHash([verify]), by: 'key team' } }),
      serving: undefined,
      plan: { kind: 'restore', digest },
    },
    {
      because: 'the policy is about bundles only',
      catalog: catalog({ verify: { ...verify, content: ['Bundles'] } }, fresh),
      serving: digest,
      plan: { kind: 'wait', seconds: 240 },
    },
    {
      because: 'repositories have bundles only',
      catalog: catalog(
        { verify, source: { repositories: [{ repository: 'r.example/gadget' }] } },
        { ...fresh, digest: SHA },
      ),
      serving: SHA,
      plan: { kind: 'wait', seconds: 240 },
    },
    {
      because: 'a suspended catalog asks no registry, and its content was never checked',
      catalog: catalog({ verify, suspend: true }, fresh),
      serving: undefined,
      plan: { kind: 'refused', error: expect.objectContaining({ reason: 'Unsigned', retry: 'never' }) },
    },
    {
      because: 'a suspended catalog serves content that passed',
      catalog: catalog(
        { verify, suspend: true },
        { ...fresh, signature: { policy: demandsHash([verify]), by: 'key team' } },
      ),
      serving: digest,
      plan: { kind: 'suspended' },
    },
    {
      because: 'a person requests a check',
      catalog: catalog({}, fresh, { 'slipway.dev/reconcile-requested-at': 'x' }),
      serving: digest,
      plan: { kind: 'check' },
    },
    {
      because: 'the requested check was done',
      catalog: catalog({}, { ...fresh, lastHandledReconcileAt: 'x' }, { 'slipway.dev/reconcile-requested-at': 'x' }),
      serving: digest,
      plan: { kind: 'wait', seconds: 240 },
    },
    {
      because: 'the requested check was done, and its annotation is very long',
      catalog: catalog(
        {},
        { ...fresh, lastHandledReconcileAt: 'x'.repeat(256) },
        { 'slipway.dev/reconcile-requested-at': 'x'.repeat(300) },
      ),
      serving: digest,
      plan: { kind: 'wait', seconds: 240 },
    },
  ])('$because', ({ catalog, serving, plan }) => {
    expect(planPoll(catalog, { serving, policies: NO_POLICIES, now })).toEqual(plan);
  });
});
