/** The rights that OLM had given an operator, as `uninstall --preview` and `plan --uninstall` name them. */
import { expect, test } from 'vitest';
import { endHandOver, makeBackup, writeBackup } from '../../../adoption/olm-v0/backup.ts';
import { OLM } from '../../../adoption/olm-v0/kinds.ts';
import { ANNOTATION, API_VERSION } from '../../../api/names.ts';
import { refOf, type KubeObject } from '../../../api/object.ts';
import { NEVER } from '../../../api/testing/never.ts';
import { createFakeCluster, type FakeCluster } from '../../../kube/testing/fake-cluster.ts';
import { INSTALLED, subscription } from '../../../report/testing/objects.ts';
import { namesOfGiven } from '../../../report/uninstall-preview.ts';
import { asAdditions, findGiven, handOversFor, judgeGiven } from './given.ts';

const KEPT = 'slipway-system';
const own = subscription({ status: { installed: INSTALLED } });
const { namespace = '', name } = own.metadata;

function binding(named: string, subject: string): KubeObject {
  return {
    apiVersion: 'rbac.authorization.k8s.io/v1',
    kind: 'ClusterRoleBinding',
    metadata: { name: named, annotations: { [ANNOTATION.adoptBy]: `${namespace}/${name}` } },
    roleRef: { kind: 'ClusterRole', name: 'system:auth-delegator' },
    subjects: [{ kind: subject, name: 'jo', namespace }],
  };
}

/** OLM had made two bindings for the operator; a person has changed one of them since. */
function adopted(): FakeCluster {
  const cluster = createFakeCluster();
  for (const one of [namespace, KEPT]) cluster.put({ apiVersion: 'v1', kind: 'Namespace', metadata: { name: one } });
  const objects = [binding('delegator', 'ServiceAccount'), binding('shared', 'User')].map((one) => cluster.put(one));
  const operator = { namespace, subscription: 'by-olm', package: 'gadget', csv: 'gadget.v1' };
  const wanted = { apiVersion: API_VERSION, kind: 'Subscription', metadata: { name, namespace }, spec: {} };
  const csv = { ...OLM.csv, metadata: { name: 'gadget.v1', namespace }, spec: {} };
  const survey = { csv } as unknown as Parameters<typeof makeBackup>[0];
  const secret = writeBackup(makeBackup(survey, operator, { wanted, objects }), KEPT);
  cluster.put({ ...secret, metadata: { ...secret.metadata, ...(endHandOver() as { metadata: object }).metadata } });
  return cluster;
}

test('those that go and those that stay are named', async () => {
  const given = await findGiven(adopted(), own, KEPT, NEVER);
  const [going, staying] = ['delegator', 'shared'].map((one) => `ClusterRoleBinding.rbac.authorization.k8s.io ${one}`);
  expect(namesOfGiven({ rights: given })).toEqual({
    deleted: [going],
    stays: [`${staying}, which OLM had given the operator: it binds User jo too`],
  });
  expect(asAdditions(given).map(({ ref, change, purpose }) => `${change} ${ref.name}: ${purpose}`)).toEqual([
    'deleted delegator: a right that OLM had given the operator',
    'unchanged shared: a right that OLM had given the operator; it stays: it binds User jo too',
  ]);
});

test('a user who may not read the backups gets the rest of the preview', async () => {
  const user = adopted().actingAs('jo', ({ ref }) => ref.kind !== 'Secret');
  expect(await findGiven(user, own, KEPT, NEVER)).toEqual([]);
  expect(await judgeGiven(user, own, KEPT, NEVER)).toEqual({ rights: [] });
});

test.each([
  { because: 'the backup says that it has ended', stage: 'HandedOver', mayRead: true, says: [] },
  { because: 'it is under way', stage: null, mayRead: true, says: [expect.stringContaining('run ops/by-olm`')] },
  { because: 'it is on the way back', stage: 'HandingBack', mayRead: true, says: [] },
  { because: 'the user may not read the backups', stage: null, mayRead: false, says: [] },
])('an uninstall names a hand-over that has not ended: $because', async ({ stage, mayRead, says }) => {
  const cluster = adopted();
  const backup = cluster.objects().find(({ kind }) => kind === 'Secret') as KubeObject;
  await cluster.patch(refOf(backup), { metadata: { annotations: { 'slipway.dev/adoption-stage': stage } } });
  const user = cluster.actingAs('jo', ({ ref }) => mayRead || ref.kind !== 'Secret');
  expect(await handOversFor(user, own, { kept: KEPT, leaves: false, signal: NEVER })).toEqual(says);
});

test('without a backup there are none', async () => {
  const cluster = createFakeCluster();
  cluster.put({ apiVersion: 'v1', kind: 'Namespace', metadata: { name: KEPT } });
  expect(await findGiven(cluster, own, KEPT, NEVER)).toEqual([]);
});

test('an uninstall that is held names the way back to OLM, and no rights', async () => {
  const cluster = adopted();
  const backup = cluster.objects().find(({ kind }) => kind === 'Secret');
  const stage = { metadata: { annotations: { 'slipway.dev/adoption-stage': 'HandingBack' } } };
  await cluster.patch(refOf(backup as KubeObject), stage);
  const { rights, held } = await judgeGiven(cluster, own, KEPT, NEVER).catch(() => ({ rights: [], held: 'thrown' }));
  expect({ rights, held }).toEqual({ rights: [], held: expect.stringContaining('`slipway adopt undo') as string });
});
