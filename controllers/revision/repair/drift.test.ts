/** What counts as drift, and what is asked about it: a watch that is behind must not cost requests. */
import { describe, expect, test } from 'vitest';
import { entryOf } from '../../../apply/inventory.ts';
import { prepared, sample, sampleCrd, sampleDeployment } from '../../../apply/sample-objects.ts';
import type { KubeObject } from '../../../api/object.ts';
import { observeDrift } from './drift.ts';

const [deployment, config] = prepared([
  sampleDeployment('manager'),
  sample('v1', 'ConfigMap', 'config', { namespace: 'ops', data: { level: 'info' } }),
]) as [KubeObject, KubeObject];

/** As the API server has it. */
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

describe('what others did to an object', () => {
  test.each<Case>([
    { because: 'nothing', entry: applied, seen: live(deployment, { generation: 2 }), drifts: false, asked: 0 },
    { because: 'they changed it', entry: applied, seen: live(deployment, { generation: 3 }), drifts: true, asked: 1 },
    {
      because: 'they changed one without a generation',
      entry: configured,
      object: config,
      seen: live(config, { resourceVersion: '21' }),
      drifts: true,
      asked: 1,
    },
    {
      because: 'nothing: the watch is behind our own write',
      entry: applied,
      seen: live(deployment, { generation: 1 }),
      drifts: false,
      asked: 0,
    },
    {
      because: 'nothing: the watch is behind our own write of one without a generation',
      entry: configured,
      object: config,
      seen: live(config, { resourceVersion: '9' }),
      drifts: false,
      asked: 0,
    },
    {
      because: 'it is another one by now, however young',
      entry: applied,
      seen: live(deployment, { uid: 'another', generation: 1 }),
      drifts: true,
      asked: 1,
    },
    { because: 'it is gone', entry: applied, seen: undefined, drifts: true, asked: 0 },
    {
      because: 'it is going, which no reading explains',
      entry: applied,
      seen: live(deployment, { generation: 3, deletionTimestamp: 't' }),
      drifts: true,
      asked: 0,
    },
    {
      because: 'nothing is known: it was only about to be applied',
      entry: entryOf(deployment),
      seen: undefined,
      drifts: false,
      asked: 0,
    },
    {
      because: 'it is a CRD that is gone with its custom resources, whatever we want of it by now',
      entry: { ...established, hash: 'other' },
      object: crd,
      seen: undefined,
      drifts: true,
      asked: 0,
    },
    {
      because: 'it is a CRD that is there, and we want it otherwise by now',
      entry: { ...established, hash: 'other' },
      object: crd,
      seen: live(crd, { generation: 2 }),
      drifts: false,
      asked: 0,
    },
    {
      because: 'we want it otherwise by now, so its change is an upgrade',
      entry: { ...applied, hash: 'other' },
      seen: live(deployment, { generation: 3 }),
      drifts: false,
      asked: 0,
    },
  ])('drift $drifts, $asked requests: $because', async ({ entry, object = deployment, seen, drifts, asked }) => {
    let requests = 0;
    const cluster = { get: async () => ((requests += 1), seen) };
    const options = { objects: [object], observed: () => seen, signal: new AbortController().signal };
    const found = await observeDrift(cluster, [entry], options);
    expect([found.length > 0, requests]).toEqual([drifts, asked]);
  });

  test('is known also if it cannot be read who did it', async () => {
    const cluster = { get: () => Promise.reject(new Error('no')) };
    const seen = live(deployment, { generation: 3 });
    const options = { objects: [deployment], observed: () => seen, signal: new AbortController().signal };
    expect(await observeDrift(cluster, [applied], options)).toEqual([
      { entry: applied, state: 'generation 3', taken: [] },
    ]);
  });
});
