import { describe, expect, test } from 'vitest';
import type { KubeObject } from '../api/object.ts';
import type { Subscription } from '../api/subscription.ts';
import {
  boundedConfig,
  CONFIG_BOUNDS,
  keepOfRevision,
  keepOfSubscription,
  requireUsableConfig,
} from './bounded-config.ts';
import { configHash } from './config-hash.ts';
import { subscription } from './subscription/testing/facts.ts';

const { levels, values, characters } = CONFIG_BOUNDS;

/** With that many levels, `config` itself counted. */
function nested(depth: number): unknown {
  let value: unknown = {};
  for (let level = 2; level < depth; level += 1) value = { a: value };
  return { affinity: value };
}

function configured(config: unknown): Subscription {
  const one = subscription();
  return { ...one, spec: { ...one.spec, config } } as Subscription;
}

describe('a configuration beyond the bounds', () => {
  const rows: readonly { readonly config: unknown; readonly because: string }[] = [
    { config: nested(levels + 1), because: 'it has one level too many' },
    { config: nested(9900), because: 'it is as deep as the API server takes' },
    { config: { affinity: { x: Array.from({ length: values }, () => []) } }, because: 'it has many empty lists' },
    { config: { env: [{ name: 'A', value: 'x'.repeat(characters) }] }, because: 'a text is long' },
    { config: { labels: { ['x'.repeat(characters + 1)]: '' } }, because: 'a name is long' },
  ];

  test.each(rows)('is replaced by a short mark in the cache: $because', ({ config }) => {
    const kept = keepOfSubscription(configured(config)) as Subscription;
    expect(JSON.stringify(kept.spec.config).length).toBeLessThan(100);
    expect({ ...kept, spec: { ...kept.spec, config: 'same' } }).toEqual(configured('same'));
  });

  test.each(rows)('has the hash of its mark: $because', ({ config }) => {
    const marked = keepOfSubscription(configured(config)) as Subscription;
    expect(configHash(configured(config))).toBe(configHash(marked));
    expect(configHash(marked)).not.toBe(configHash(configured({})));
  });

  test.each(rows)('makes the Subscription that has it InvalidSpec, from the cache or not: $because', ({ config }) => {
    for (const one of [configured(config), keepOfSubscription(configured(config)) as Subscription])
      expect(() => requireUsableConfig(one)).toThrow(
        expect.objectContaining({ reason: 'InvalidSpec', retry: 'never' }),
      );
  });
});

describe('a configuration within the bounds', () => {
  test.each<{ readonly config: unknown; readonly because: string }>([
    { config: undefined, because: 'there is none' },
    { config: {}, because: 'it is empty' },
    { config: nested(levels), because: 'it has as many levels as it may' },
    {
      config: {
        deployments: Array.from({ length: 16 }, (_, at) => ({
          name: `d-${at}`,
          env: Array.from({ length: 200 }, (_none, index) => ({ name: `E_${index}`, value: 'x'.repeat(100) })),
        })),
      },
      because: 'each of 16 Deployments has 200 variables',
    },
  ])('stays as it is: $because', ({ config }) => {
    expect(boundedConfig(configured(config).spec.config)).toBe(config);
    expect(() => requireUsableConfig(configured(config))).not.toThrow();
  });

  test('is hashed once, however many Revisions are compared with it', () => {
    const one = configured({});
    let read = 0;
    const spec = Object.defineProperty({ ...one.spec }, 'config', { get: () => void (read += 1) });
    for (let times = 0; times < 10; times += 1) configHash({ ...one, spec });
    expect(read).toBe(1);
  });
});

test('an object without a spec is kept', () => {
  const object: KubeObject = { apiVersion: 'slipway.dev/v1alpha1', kind: 'Subscription', metadata: { name: 'a' } };
  expect(keepOfSubscription(object)).toEqual(object);
});

test.each([keepOfSubscription, keepOfRevision])(
  'of labels and annotations the cache keeps those that are read, and of a long one the beginning: $name',
  (keep) => {
    const many = Object.fromEntries(Array.from({ length: 1000 }, (_, at) => [`slipway.dev/l${at}`, '']));
    const labels = { ...many, 'slipway.dev/dependency': 'true' };
    const annotations = {
      ...many,
      'slipway.dev/requested-by': 'u',
      'slipway.dev/reconcile-requested-at': `now${'x'.repeat(100_000)}`,
    };
    const { metadata } = keep(subscription({ metadata: { labels, annotations } }));
    expect(metadata.labels).toEqual({ 'slipway.dev/dependency': 'true' });
    expect(metadata.annotations).toEqual({
      'slipway.dev/requested-by': 'u',
      'slipway.dev/reconcile-requested-at': expect.stringMatching(/^nowx{509}$/) as string,
    });
  },
);
