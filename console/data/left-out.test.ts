/** A page names the parts that the console does not keep, and the command that reads them. */
import { describe, expect, test } from 'vitest';
import { subscription as subscriptionWith } from '../../report/testing/objects.ts';
import { events } from './events.ts';
import { markLeftOut } from './left-out.ts';
import type { Subscription } from '../../api/subscription.ts';
import { subscription } from './subscription.ts';
import { modelOf, visibleWith } from './testing/scene.ts';

const ALL: readonly string[] = [];

describe('the events page', () => {
  test.each<{ cut: readonly string[]; namespace?: string; says: readonly string[]; because: string }>([
    { cut: [], says: ALL, because: 'all are kept' },
    {
      cut: ['ops'],
      says: [
        'Namespace ops has more events than the console keeps: the oldest are left out. kubectl get events -n ops lists all',
      ],
      because: 'one namespace has too many',
    },
    {
      cut: ['dev', 'ops'],
      says: [
        '2 namespaces have more events than the console keeps: the oldest are left out. kubectl get events -A lists all',
      ],
      because: 'several have too many',
    },
    {
      cut: ['dev', 'ops'],
      namespace: 'ops',
      says: [
        'Namespace ops has more events than the console keeps: the oldest are left out. kubectl get events -n ops lists all',
      ],
      because: 'another namespace is not shown',
    },
    { cut: ['dev'], namespace: 'ops', says: ALL, because: 'only another namespace has too many' },
  ])('names the namespaces whose oldest events are left out: $because', ({ cut, namespace, says }) => {
    const parameters = namespace === undefined ? {} : { namespace };
    const { notices } = modelOf(events, visibleWith({ cutEvents: cut }), { parameters });
    expect(notices.map(({ text }) => text)).toEqual(says);
  });
});

describe('the YAML of a Subscription', () => {
  const whole = subscriptionWith({ spec: { config: { labels: { a: 'b' } } } });
  const yamlOf = (one: Subscription): string => modelOf(subscription, visibleWith({ subscriptions: [one] })).yaml;

  test('is valid and begins with its kind if all of it is kept', () => {
    expect(yamlOf(whole)).toMatch(/^apiVersion: /);
  });

  test('begins with the parts that are left out, and the command that shows them', () => {
    const { config: _, ...spec } = whole.spec;
    const cut = markLeftOut({ ...whole, spec }, ['metadata.labels', 'spec.config']);
    expect(yamlOf(cut).split('\n')[0]).toBe(
      '# Too large for this page, and left out: metadata.labels, spec.config: kubectl -n ops get subscriptions.slipway.dev gadget -o yaml',
    );
  });
});
