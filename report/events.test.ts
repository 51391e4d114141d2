import { describe, expect, test } from 'vitest';
import type { KubeObject } from '../api/object.ts';
import { reportedEvents } from './events.ts';

const event = (name: string, fields: Record<string, unknown> = {}): KubeObject => ({
  apiVersion: 'events.k8s.io/v1',
  kind: 'Event',
  metadata: { name: `e-${name}`, namespace: 'ops', creationTimestamp: '2026-01-01T00:00:00Z' },
  regarding: { apiVersion: 'slipway.dev/v1alpha1', kind: 'Subscription', name },
  type: 'Normal',
  reason: 'Succeeded',
  note: `about ${name}`,
  eventTime: '2026-01-01T00:00:00.000000Z',
  ...fields,
});
const all = { wanted: undefined, warnings: false };
const names = (objects: readonly KubeObject[], filter: Parameters<typeof reportedEvents>[1] = all): readonly string[] =>
  reportedEvents(objects, filter).map(({ object }) => object);

describe('events are chosen by their object', () => {
  const foreign = event('gadget', { regarding: { apiVersion: 'operators.coreos.com/v1alpha1', kind: 'Subscription', name: 'gadget' } }); // prettier-ignore
  const objects = [event('gadget'), event('lamp', { type: 'Warning' }), foreign];

  test.each([
    {
      because: 'those of other groups are not of Slipway',
      filter: all,
      found: ['Subscription gadget', 'Subscription lamp'],
    },
    { because: 'only named objects', filter: { wanted: new Set(['Subscription lamp']), warnings: false }, found: ['Subscription lamp'] }, // prettier-ignore
    { because: 'only warnings', filter: { wanted: undefined, warnings: true }, found: ['Subscription lamp'] },
  ])('$because', ({ filter, found }) => {
    expect(names(objects, filter)).toEqual(found);
  });
});

test('events are in the order of their last time, of a repeated one that of its series', () => {
  const repeated = event('first', { series: { count: 7, lastObservedTime: '2026-01-01T03:00:00.000000Z' } });
  const old = event('second', { eventTime: null, deprecatedLastTimestamp: '2026-01-01T01:00:00Z' });
  const bare = event('third', { eventTime: null });
  expect(names([repeated, old, bare])).toEqual(['Subscription third', 'Subscription second', 'Subscription first']);
  expect(reportedEvents([repeated], all)[0]).toMatchObject({ count: 7 });
});
