/** Slipway's Subscription in a hand-over from OLM v1: created by the command line, or adopting by the manager. */
import { expect, test } from 'vitest';
import { refOf, type KubeObject } from '../../api/object.ts';
import { NEVER } from '../../api/testing/never.ts';
import { createFakeCluster, type FakeCluster } from '../../kube/testing/fake-cluster.ts';
import type { Successor } from '../successor.ts';
import type { Backup } from './backup.ts';
import { SlipwaySide } from './slipway-side.ts';
import { extensionOf, surveyOf } from './testing/extension.ts';
import { translateExtension } from './translate.ts';

const { manifest: wanted } = translateExtension(surveyOf(), { name: 'gadget' });
const backup: Backup = { extension: 'gadget', olm: extensionOf(), wanted, range: '1.x', objects: [], isEnded: false };
const name = { extension: 'gadget', kept: 'slipway-system' };

function clusterWith(...objects: readonly KubeObject[]): FakeCluster {
  const cluster = createFakeCluster();
  cluster.put({ apiVersion: 'v1', kind: 'Namespace', metadata: { name: 'ops' } });
  for (const one of objects) cluster.put(one);
  return cluster;
}

const adoptingBy = (adopt: object, adoption?: object): KubeObject => ({
  ...wanted,
  spec: { package: 'gadget-operator', adopt },
  status: adoption === undefined ? {} : { adoption },
});
const ASKED = adoptingBy({ from: 'OLMv1', clusterExtension: 'gadget' });

const sideOf = (cluster: FakeCluster, successor?: Successor): SlipwaySide =>
  new SlipwaySide({ cluster, name, ...(successor !== undefined && { successor }), signal: NEVER });

const writesIn = ({ requests }: FakeCluster): readonly string[] =>
  requests.flatMap(({ verb }) => (verb === 'get' ? [] : [verb]));

test.each([
  { because: 'it is created, and freed by its spec', live: undefined },
  {
    because: 'it adopts an operator of OLM v0 of that name',
    live: adoptingBy({ from: 'OLMv0', subscription: 'gadget' }),
  },
  { because: 'it adopts another ClusterExtension', live: adoptingBy({ from: 'OLMv1', clusterExtension: 'lamp' }) },
])('without the manager the versions that OLM allowed are set: $because', async ({ live }) => {
  const cluster = clusterWith(...(live === undefined ? [] : [live]));
  if (live === undefined) await sideOf(cluster).subscribe(backup);
  const made = (await cluster.get(refOf(wanted)))!;
  if (live === undefined) expect(made['spec']).toMatchObject({ version: '1.0.0' });
  await sideOf(cluster).unpin(backup, made);
  expect((await cluster.get(refOf(wanted)))?.['spec']).toMatchObject({ version: '1.x' });
});

test.each([
  { because: 'its spec asks for it', live: ASKED },
  {
    because: 'it has begun, and another one is asked for since',
    live: adoptingBy({ from: 'OLMv1', clusterExtension: 'lamp' }, { clusterExtension: 'gadget', stage: 'TakingOver' }),
  },
])('the command line writes no Subscription for which the manager adopts: $because', async ({ live }) => {
  const cluster = clusterWith(live);
  const side = sideOf(cluster);
  await expect(side.subscribe(backup)).rejects.toMatchObject({ reason: 'Collision' });
  await expect(side.unpin(backup, live)).rejects.toMatchObject({ reason: 'Collision' });
  expect(writesIn(cluster)).toEqual([]);
});

test('the manager writes no spec: it is asked to begin with the version that OLM had, and to free the Subscription', async () => {
  const cluster = clusterWith(ASKED);
  const asked: string[] = [];
  const successor: Successor = {
    begin: async (version) => void asked.push(`begin ${version}`),
    free: async () => void asked.push('free'),
  };
  const side = sideOf(cluster, successor);
  await side.requireFree(wanted);
  await side.subscribe(backup);
  await side.unpin(backup, ASKED);
  expect(asked).toEqual(['begin 1.0.0', 'free']);
  expect(writesIn(cluster)).toEqual([]);
});
