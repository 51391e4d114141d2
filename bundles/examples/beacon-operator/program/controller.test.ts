import { Registry } from 'prom-client';
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import type { KubeObject } from '../../../../api/object.ts';
import { createClient } from '../../../../kube/client/client.ts';
import { startFakeApi, type FakeApi } from '../../../../kube/testing/fake-api.ts';
import { silentLog } from '../../../../kube/log.ts';
import { createRuntimeMetrics } from '../../../../kube/metrics.ts';
import { createTransport, type Transport } from '../../../../kube/transport/transport.ts';
import { FINALIZER, V1, V2 } from './beacon.ts';
import { createBeaconController } from './controller.ts';

const OPEN = { isHeld: () => true, assertHeld: () => undefined };

let api: FakeApi;
let transport: Transport;
let stop: AbortController;
let running: Promise<void>;
let served: Set<string>;

beforeEach(async () => {
  api = await startFakeApi();
  transport = createTransport(api.config);
  stop = new AbortController();
  served = new Set();
});
afterEach(async () => {
  stop.abort();
  await running;
  transport.close();
  await api.close();
});

function start(version: 'v1' | 'v2', watch: readonly string[] = ['']): void {
  const options = { 'api-version': version, release: '1.2.3', watch, podName: 'pod' };
  const runtime = createRuntimeMetrics(new Registry());
  const client = createClient(transport, { fieldManager: 'beacon-operator' });
  running = createBeaconController({ client, fence: OPEN, options, log: silentLog, runtime }).run(stop.signal);
}

describe('a Beacon', () => {
  test('a Beacon gets a light, a finalizer and a status', async () => {
    put(v1('north', { colour: 'red', intensity: 30 }));
    start('v1');
    await expect.poll(() => beacon('north', V1)['status']).toMatchObject({ lit: true, release: '1.2.3' });
    expect(beacon('north', V1).metadata.finalizers).toEqual([FINALIZER]);
    expect(light('north')?.['data']).toEqual({
      colour: 'red',
      brightness: '30',
      pattern: 'Steady',
      release: '1.2.3',
    });
  });

  test('a changed Beacon changes its light', async () => {
    put(v1('north', { colour: 'red' }));
    start('v1');
    await expect.poll(() => light('north')).toBeDefined();
    put({ ...beacon('north', V1), spec: { colour: 'green' } });
    await expect.poll(() => light('north')?.['data']).toMatchObject({ colour: 'green' });
  });

  test('a deleted Beacon is removed once its light is deleted', async () => {
    put(v1('north', { colour: 'red' }));
    start('v1');
    await expect.poll(() => beacon('north', V1)['status']).toBeDefined();
    api.remove(beacon('north', V1));
    await vi.waitFor(() => expect(() => beacon('north', V1)).toThrow(/not found/), 15_000);
    expect(light('north')).toBeUndefined();
  });

  test('an operator that watches one namespace ignores Beacons of others', async () => {
    put(v1('far', { colour: 'red' }, 'inland'));
    put(v1('north', { colour: 'red' }));
    start('v1', ['coast']);
    await vi.waitFor(() => expect(light('north')).toBeDefined());
    expect(light('far', 'inland')).toBeUndefined();
  });

  test('a light that another program deleted is created again, from release 2 on', async () => {
    put({ ...v1('north', {}), apiVersion: V2, spec: { light: { colour: 'green' }, pattern: 'Blinking' } });
    start('v2');
    await vi.waitFor(() => expect(light('north')?.['data']).toMatchObject({ pattern: 'Blinking' }));
    api.remove(light('north') as KubeObject);
    await vi.waitFor(() => expect(light('north')).toBeDefined());
  });
});

/** Creates or replaces a Beacon; its version is the only one served. */
function put(object: KubeObject): void {
  const { apiVersion, kind } = object;
  if (!served.has(apiVersion)) api.serve({ ...resource(api), apiVersion, kind, plural: 'beacons' });
  served.add(apiVersion);
  api.put(object);
}

function v1(name: string, spec: object, namespace = 'coast'): KubeObject {
  return { apiVersion: V1, kind: 'Beacon', metadata: { name, namespace, generation: 1 }, spec };
}

function beacon(name: string, apiVersion: string): KubeObject {
  return find(apiVersion, 'Beacon', { name, namespace: 'coast' });
}

function light(name: string, namespace = 'coast'): KubeObject | undefined {
  try {
    return find('v1', 'ConfigMap', { name: `beacon-${name}`, namespace });
  } catch {
    return undefined;
  }
}

function find(apiVersion: string, kind: string, at: { readonly name: string; readonly namespace: string }): KubeObject {
  const plural = kind === 'Beacon' ? 'beacons' : 'configmaps';
  return api.store.get({ ...resource(api), apiVersion, kind, plural }, at);
}

/** A namespaced kind as any other. */
function resource(of: FakeApi): ReturnType<FakeApi['resource']> {
  return of.resource('ConfigMap');
}
