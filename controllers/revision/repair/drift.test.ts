/** The drift of objects, and the requests to find its cause: a watch that lags must not cost requests. */
import { describe, expect, test } from 'vitest';
import { entryOf } from '../../../apply/inventory.ts';
import { prepared, sample, sampleCrd, sampleDeployment } from '../../../apply/testing/sample-objects.ts';
import type { KubeObject } from '../../../api/object.ts';
import { observeDrift } from './drift.ts';

const [config, deployment] = prepared([
  sample('v1', 'ConfigMap', 'config', { namespace: 'ops', data: { level: 'info' } }),
  sampleDeployment('manager'),
]) as [KubeObject, KubeObject];

/** The object as the API server has it. */
function live(object: KubeObject, metadata: Partial<KubeObject['metadata']>): KubeObject {
  return { ...object, metadata: { ...object.metadata, uid: 'u', resourceVersion: '20', ...metadata } };
}

const [crd] = prepared([sampleCrd('Widget')]) as [KubeObject];
const established = entryOf(crd, live(crd, { generation: 1 }));
const applied = entryOf(deployment, live(deployment, { generation: 2 }));
const configured = entryOf(config, live(config, {}));

interface Case {
  readonly because: string;
  readonly entry: typeof applied;
  readonly object?: KubeObject;
  readonly seen: KubeObject | undefined;
  readonly drifts: boolean;
  readonly asked: number;
}

describe('the drift of an object', () => {
  test.each<Case>([
    {
      because: 'nothing has changed',
      entry: applied,
      seen: live(deployment, { generation: 2 }),
      drifts: false,
      asked: 0,
    },
    {
      because: 'another program changed it',
      entry: applied,
      seen: live(deployment, { generation: 3 }),
      drifts: true,
      asked: 1,
    },
    {
      because: 'another program changed one without a generation',
      entry: configured,
      object: config,
      seen: live(config, { resourceVersion: '21' }),
      drifts: true,
      asked: 1,
    },
    {
      because: 'the watch lags behind our own write',
      entry: applied,
      seen: live(deployment, { generation: 1 }),
      drifts: false,
      asked: 0,
    },
    {
      because: 'the watch lags behind our own write of an object without a generation',
      entry: configured,
      object: config,
      seen: live(config, { resourceVersion: '9' }),
      drifts: false,
      asked: 0,
    },
    {
      because: 'another object has its name, however young',
      entry: applied,
      seen: live(deployment, { uid: 'another', generation: 1 }),
      drifts: true,
      asked: 1,
    },
    { because: 'it was deleted', entry: applied, seen: undefined, drifts: true, asked: 0 },
    {
      because: 'it is being deleted, which no read explains',
      entry: applied,
      seen: live(deployment, { generation: 3, deletionTimestamp: 't' }),
      drifts: true,
      asked: 0,
    },
    {
      because: 'it was only intended so far',
      entry: entryOf(deployment),
      seen: undefined,
      drifts: false,
      asked: 0,
    },
    {
      because: 'it is a CRD that is gone with its custom resources, although its manifest has changed',
      entry: { ...established, hash: 'other' },
      object: crd,
      seen: undefined,
      drifts: true,
      asked: 0,
    },
    {
      because: 'it is a CRD that exists, and its manifest has changed',
      entry: { ...established, hash: 'other' },
      object: crd,
      seen: live(crd, { generation: 2 }),
      drifts: false,
      asked: 0,
    },
    {
      because: 'its manifest has changed, so the difference is an upgrade',
      entry: { ...applied, hash: 'other' },
      seen: live(deployment, { generation: 3 }),
      drifts: false,
      asked: 0,
    },
  ])('drift $drifts, $asked requests: $because', async ({ entry, object = deployment, seen, drifts, asked }) => {
    let requests = 0;
    const cluster = { get: async () => ((requests += 1), seen) };
    const options = {
      objects: [object],
      observed: () => seen,
      isRolledOut: true,
      signal: new AbortController().signal,
    };
    const found = await observeDrift(cluster, [entry], options);
    expect([found.length > 0, requests]).toEqual([drifts, asked]);
  });

  test.each([
    { because: 'all had worked before', isRolledOut: true, uid: 'u', drifts: true },
    { because: 'a Revision that was rolled back changed it, and the manager ended before it was noted', isRolledOut: false, uid: 'u', drifts: false }, // prettier-ignore
    { because: 'it is another object', isRolledOut: false, uid: 'another', drifts: true },
    {
      because: 'another program has one of its fields',
      isRolledOut: false,
      uid: 'u',
      manager: 'kubectl',
      drifts: true,
    },
  ])('of a change of our own: $drifts, as $because', async ({ isRolledOut, uid, manager, drifts }) => {
    const managedFields = [
      { manager: 'slipway', operation: 'Apply', fieldsV1: { 'f:spec': { 'f:selector': {} } } },
      ...(manager === undefined ? [] : [{ manager, fieldsV1: { 'f:spec': { 'f:template': {} } } }]),
    ];
    const seen = live(deployment, { generation: 3, uid, managedFields } as Partial<KubeObject['metadata']>);
    const options = { objects: [deployment], observed: () => seen, isRolledOut, signal: new AbortController().signal };
    const found = await observeDrift({ get: async () => seen }, [applied], options);
    expect(found).toHaveLength(drifts ? 1 : 0);
  });

  test('a drift is found even if the field manager cannot be read', async () => {
    const cluster = { get: () => Promise.reject(new Error('no')) };
    const seen = live(deployment, { generation: 3 });
    const options = {
      objects: [deployment],
      observed: () => seen,
      isRolledOut: true,
      signal: new AbortController().signal,
    };
    expect(await observeDrift(cluster, [applied], options)).toEqual([
      { entry: applied, state: 'generation 3', taken: [] },
    ]);
  });
});
