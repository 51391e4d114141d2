import { describe, expect, test } from 'vitest';
import { objectOf, RULE_CASES, SUBSCRIPTION_SPEC } from './crd/testing/rule-cases.ts';
import { parseObject } from './kind.ts';
import type { KubeObject } from './object.ts';
import { SUBSCRIPTION, type Subscription } from './subscription.ts';

const subscription: KubeObject = objectOf(
  { because: '', kind: SUBSCRIPTION, spec: SUBSCRIPTION_SPEC },
  SUBSCRIPTION_SPEC,
  'tools',
);

describe('an object as its kind', () => {
  test('has its defaults filled in, inside objects that are absent too', () => {
    const { spec }: Subscription = parseObject(SUBSCRIPTION, subscription);
    expect(spec).toEqual({
      package: 'gadget',
      approval: 'Automatic',
      edges: 'Follow',
      dependencies: 'Install',
      certificates: 'Manager',
      onFailure: { strategy: 'Rollback', progressDeadline: '10m', bakeTime: '10s' },
      crdUpgradeSafety: { enforcement: 'Enforce' },
      uninstall: { objects: 'Delete', customResources: 'Retain', dependencies: 'Retain' },
      historyLimit: 10,
      webhookSafety: 'Enforce',
      suspend: false,
    });
  });

  test('loses fields that the kind does not know, as in the API server, but no part of its metadata', () => {
    const metadata = { ...subscription.metadata, uid: 'u', finalizers: ['a'], selfLink: 'kept' };
    const parsed = parseObject(SUBSCRIPTION, {
      ...subscription,
      metadata,
      spec: { ...SUBSCRIPTION_SPEC, nonsense: 1 },
      extra: true,
    });
    expect(parsed.metadata).toEqual(metadata);
    expect(parsed.spec).not.toHaveProperty('nonsense');
    expect(parsed).not.toHaveProperty('extra');
  });

  test('keeps what other APIs define', () => {
    const volumes = [{ name: 'data', csi: { driver: 'd', volumeAttributes: { a: 'b' } } }];
    const affinity = { podAffinity: { x: [1, { y: null }] } };
    const parsed = parseObject(SUBSCRIPTION, {
      ...subscription,
      spec: { ...SUBSCRIPTION_SPEC, config: { volumes, affinity } },
    });
    expect(parsed.spec.config).toEqual({ volumes, affinity });
  });

  test.each([
    { because: 'another kind is another kind', object: { ...subscription, kind: 'Catalog' } },
    { because: 'a namesake of another group is not ours', object: { ...subscription, apiVersion: 'example.com/v1' } },
    { because: 'without a spec there is nothing', object: { ...subscription, spec: undefined } },
    { because: 'a list is no spec', object: { ...subscription, spec: [] } },
  ])('$because', ({ object }) => {
    expect(() => parseObject(SUBSCRIPTION, object)).toThrow(
      expect.objectContaining({ reason: 'InvalidSpec', message: expect.stringContaining('tools/sample') }),
    );
  });

  test('a refusal names the first fields at fault, not all of a thousand', () => {
    const watchNamespaces = Array.from({ length: 1000 }, () => 'NOT OK');
    const refuse = (): unknown =>
      parseObject(SUBSCRIPTION, { ...subscription, spec: { package: 'a', watchNamespaces } });
    expect(refuse).toThrow(/watchNamespaces/);
    expect(refuse).toThrow(expect.objectContaining({ message: expect.stringMatching(/^.{0,1000}$/s) }));
  });

  test('every good sample survives a second reading unchanged', () => {
    const good = RULE_CASES.filter(({ refused, misfit }) => refused === undefined && misfit === undefined);
    expect(good.length).toBeGreaterThan(10);
    for (const row of good) {
      const once = parseObject(row.kind, objectOf(row, row.spec)) as KubeObject;
      expect(once).toMatchObject({ spec: row.spec });
      expect(parseObject(row.kind, once)).toEqual(once);
    }
  });

  test('names from outside that objects have anyway neither break it nor get into anything', () => {
    const names = '{ "__proto__": { "polluted": "yes" }, "constructor": "c", "toString": "t" }';
    const config = JSON.parse(`{ "affinity": ${names}, "labels": { "constructor": "c" } }`) as unknown;
    const parsed = parseObject(SUBSCRIPTION, { ...subscription, spec: { ...SUBSCRIPTION_SPEC, config } });
    expect(parsed.spec.config).toEqual({
      affinity: { constructor: 'c', toString: 't' },
      labels: { constructor: 'c' },
    });
    expect(Object.hasOwn(Object.prototype, 'polluted')).toBe(false);
  });

  test('what others define may be nested as deep as it wants', () => {
    const depth = 100_000;
    const affinity = JSON.parse(`${'{"a":'.repeat(depth)}1${'}'.repeat(depth)}`) as unknown;
    const spec = { ...SUBSCRIPTION_SPEC, config: { affinity } };
    expect(parseObject(SUBSCRIPTION, { ...subscription, spec }).spec.config).toHaveProperty('affinity.a');
  });
});
