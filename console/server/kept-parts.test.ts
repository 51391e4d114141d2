/** What the console keeps of an object is small, whatever its writer put into it, and is all that views read. */
import { describe, expect, test } from 'vitest';
import { API_VERSION } from '../../api/names.ts';
import type { KubeObject } from '../../api/object.ts';
import { reportedEvents } from '../../report/events.ts';
import { revision, subscription } from '../../report/testing/objects.ts';
import { leftOutOf } from '../data/left-out.ts';
import { KEEP } from './kept-parts.ts';

const LARGE = 'x'.repeat(1_000_000);
const MANY = Object.fromEntries(Array.from({ length: 20_000 }, (_, at) => [`k${at}`, 'v']));

function event(parts: Readonly<Record<string, unknown>> = {}): KubeObject {
  return {
    apiVersion: 'events.k8s.io/v1',
    kind: 'Event',
    metadata: { name: 'e', namespace: 'ops', resourceVersion: '7', creationTimestamp: '2026-01-01T00:00:00Z' },
    type: 'Warning',
    reason: 'Failed',
    note: 'gadget failed',
    eventTime: '2026-01-01T00:00:00.000000Z',
    series: { count: 3, lastObservedTime: '2026-01-01T00:05:00.000000Z' },
    regarding: { apiVersion: API_VERSION, kind: 'Subscription', namespace: 'ops', name: 'gadget' },
    ...parts,
  };
}

describe('an event', () => {
  test('is reported as if all of it were kept', () => {
    const filter = { wanted: undefined, warnings: false };
    for (const one of [
      event(),
      event({ series: undefined }),
      event({ eventTime: null, series: null, deprecatedLastTimestamp: '2026-01-01T00:00:00Z' }),
    ])
      // prettier-ignore
      expect(reportedEvents([KEEP.events(one)], filter)).toEqual(reportedEvents([one], filter));
  });

  test.each([
    { parts: { note: LARGE }, because: 'the note is large' },
    { parts: { reason: LARGE, type: LARGE, action: LARGE }, because: 'other texts are large' },
    { parts: { regarding: { apiVersion: API_VERSION, kind: LARGE, name: LARGE, fieldPath: LARGE } }, because: 'its object has a large name' }, // prettier-ignore
    { parts: { related: { name: LARGE }, reportingController: LARGE }, because: 'fields are large that no view reads' },
    { parts: { metadata: { name: 'e', namespace: 'ops', labels: MANY, annotations: { a: LARGE }, finalizers: [LARGE] } }, because: 'its metadata is large' }, // prettier-ignore
    { parts: { note: MANY, series: [MANY], regarding: LARGE }, because: 'fields have another type' },
  ])('takes at most 4 kB: $because', ({ parts }) => {
    expect(JSON.stringify(KEEP.events(event(parts))).length).toBeLessThan(4096);
  });

  test('says how much of its note is left out', () => {
    expect(KEEP.events(event({ note: 'x'.repeat(1030) }))['note']).toBe(`${'x'.repeat(1024)}… (6 further characters)`);
  });
});

describe('a Subscription', () => {
  const metadata = { labels: { team: 'a' }, annotations: { 'slipway.dev/requested-by': 'u7', note: 'mine' } };
  const config = { env: [{ name: 'A', value: 'b' }], resources: { limits: { cpu: '1' } } };

  test('within the bounds is kept, but for the fields that no view reads', () => {
    const one = subscription({ metadata, spec: { config } });
    const { annotations } = one.metadata;
    const found = {
      ...one,
      metadata: {
        ...one.metadata,
        annotations: { ...annotations, 'kubectl.kubernetes.io/last-applied-configuration': LARGE },
        finalizers: [LARGE],
        managedFields: [LARGE],
      },
    };
    expect(KEEP.subscriptions(found)).toEqual(one);
  });

  test.each([
    {
      parts: { spec: { config: { annotations: { a: LARGE } } } },
      leftOut: ['spec.config'],
      because: 'a text of config',
    },
    { parts: { spec: { config: { affinity: Array.from({ length: 5000 }, () => ({})) } } }, leftOut: ['spec.config'], because: 'many empty values' }, // prettier-ignore
    { parts: { spec: { crdUpgradeSafety: { waivers: [{ reason: LARGE }] } } }, leftOut: ['spec.crdUpgradeSafety'], because: 'a waiver' }, // prettier-ignore
    { parts: { metadata: { labels: MANY } }, leftOut: ['metadata.labels'], because: 'labels' },
    { parts: { metadata: { annotations: { ...metadata.annotations, a: LARGE } } }, leftOut: ['metadata.annotations'], because: 'an annotation' }, // prettier-ignore
  ])('gives up what is too large, and names it: $because', ({ parts, leftOut }) => {
    const kept = KEEP.subscriptions(subscription(parts as object));
    expect(JSON.stringify(kept).length).toBeLessThan(4096);
    expect(leftOutOf(kept)).toEqual(leftOut);
    expect(kept['spec']).toMatchObject({ package: 'gadget', uninstall: { dependencies: 'Retain' } });
  });

  test('with many annotations still names the one that requested it', () => {
    const annotations = { ...metadata.annotations, a: LARGE };
    const { metadata: kept } = KEEP.subscriptions(subscription({ metadata: { annotations } }));
    expect(kept.annotations).toEqual({ 'slipway.dev/requested-by': 'u7' });
  });
});

test('a Revision is kept without the properties of its bundle, and with its inventory', () => {
  const entry = { apiVersion: 'v1', kind: 'ConfigMap', namespace: 'ops', name: 'a', uid: '1', hash: 'h', seen: 's' };
  const one = revision(1, '1.0.0', { status: { inventory: [entry] } });
  const found = { ...one, spec: { ...one.spec, properties: [{ type: 'a', value: LARGE }] } };
  const kept = KEEP.revisions(found);
  expect(kept).toMatchObject({ spec: { bundle: one.spec.bundle }, status: { inventory: [{ ...entry, hash: '' }] } });
  expect(JSON.stringify(kept).length).toBeLessThan(4096);
});

test('a Catalog keeps the labels by which Subscriptions select it, and no annotations', () => {
  const metadata = { name: 'team', uid: '1', labels: { tier: 'gold' }, annotations: { a: LARGE } };
  const kept = KEEP.catalogs({ apiVersion: API_VERSION, kind: 'Catalog', metadata, spec: { priority: 1 } });
  expect(kept).toEqual({ apiVersion: API_VERSION, kind: 'Catalog', metadata: { name: 'team', uid: '1', labels: { tier: 'gold' } }, spec: { priority: 1 } }); // prettier-ignore
});
