/** Volumes and mounts keep the order that the live Deployment has. */
import { describe, expect, test } from 'vitest';
import type { KubeObject } from '../api/object.ts';
import { keepLiveOrder } from './live-order.ts';

const signal = new AbortController().signal;

function deployment(volumes: readonly string[], mounts: readonly string[] = volumes): KubeObject {
  const container = { name: 'manager', volumeMounts: mounts.map((name) => ({ name, mountPath: `/${name}` })) };
  const spec = { volumes: volumes.map((name) => ({ name })), containers: [container] };
  return { apiVersion: 'apps/v1', kind: 'Deployment', metadata: { name: 'one' }, spec: { template: { spec } } };
}

const rendered = deployment(['webhook-cert', 'apiservice-cert']);
const live = deployment(['apiservice-cert', 'webhook-cert']);

describe('the order of volumes', () => {
  test('is that of the live Deployment', async () => {
    const reads: unknown[] = [];
    const cluster = { get: async (ref: unknown) => void reads.push(ref) };
    expect(await keepLiveOrder(cluster, rendered, live, signal)).toEqual(live);
    expect(reads).toEqual([]);
  });

  test('is read if the watch keeps no template', async () => {
    const watched = { ...live, spec: { replicas: 1 } };
    expect(await keepLiveOrder({ get: async () => live }, rendered, watched, signal)).toEqual(live);
  });

  test('stays as rendered if the Deployment is gone', async () => {
    const watched = { ...live, spec: {} };
    expect(await keepLiveOrder({ get: async () => undefined }, rendered, watched, signal)).toBe(rendered);
  });

  test('new volumes come last, and volumes that are gone are not added', async () => {
    const wanted = deployment(['new', 'webhook-cert', 'apiservice-cert']);
    const before = deployment(['gone', 'apiservice-cert', 'webhook-cert']);
    const kept = await keepLiveOrder({ get: async () => before }, wanted, before, signal);
    expect(kept).toEqual(deployment(['apiservice-cert', 'webhook-cert', 'new']));
  });

  test('is not read for a Deployment without certificates', async () => {
    const plain = deployment(['data', 'cache']);
    const never = { get: () => Promise.reject(new Error('read')) };
    expect(await keepLiveOrder(never, plain, { ...plain, spec: {} }, signal)).toBe(plain);
  });
});

describe('the annotation with the properties of the bundle', () => {
  const PROPERTIES = { 'olm.properties': '[]' };

  function annotated(annotations: Readonly<Record<string, string>>): KubeObject {
    const object = deployment([]);
    const { template } = object['spec'] as { readonly template: object };
    return { ...object, spec: { template: { ...template, metadata: { annotations } } } };
  }

  test.each([
    { because: 'OLM has made the Pods without it', before: { 'olm.operatorGroup': 'all' }, after: {} },
    { because: 'OLM has made them with it', before: { 'olm.operatorGroup': 'all', ...PROPERTIES }, after: PROPERTIES },
    { because: 'Slipway has made the Pods', before: {}, after: PROPERTIES },
  ])('becomes $after, because $because', async ({ before, after }) => {
    const never = { get: () => Promise.reject(new Error('read')) };
    const kept = await keepLiveOrder(never, annotated(PROPERTIES), annotated(before), signal);
    expect(kept).toEqual(annotated(after));
  });
});
