/** Which variables of OpenShift's cluster-wide proxy an operator takes with it when it leaves OLM. */
import { expect, test } from 'vitest';
import type { KubeObject } from '../../api/object.ts';
import { NEVER } from '../../api/testing/never.ts';
import { fieldsOf } from '../../api/untyped.ts';
import { createFakeCluster, type FakeCluster } from '../../kube/testing/fake-cluster.ts';
import { proxyOf } from './proxy.ts';
import { csvOf, subscriptionOf, surveyOf } from './testing/survey.ts';
import { translateSubscription } from './translate.ts';

const PROXY = { name: 'HTTPS_PROXY', value: 'http://proxy:3128' };
const NONE = { name: 'NO_PROXY', value: '.cluster.local' };
const podOf = (env: readonly object[]): object => ({
  template: { spec: { containers: [{ name: 'metrics' }, { name: 'manager', env }] } },
});

function deployment(env: readonly object[]): KubeObject {
  return {
    apiVersion: 'apps/v1',
    kind: 'Deployment',
    metadata: { name: 'gadget', namespace: 'ops' },
    spec: podOf(env),
  };
}

function stating(env: readonly object[]): KubeObject {
  return csvOf('gadget.v1', { spec: { install: { spec: { deployments: [{ name: 'gadget', spec: podOf(env) }] } } } });
}

function clusterWith(object: KubeObject): FakeCluster {
  const cluster = createFakeCluster();
  cluster.put(object);
  return cluster;
}

const FROM_FIELD = { name: 'NO_PROXY', valueFrom: { fieldRef: { fieldPath: 'status.podIP' } } };

test.each([
  { because: 'OLM has set them', live: [NONE, { name: 'LEVEL', value: 'debug' }, PROXY], kept: [PROXY, NONE] },
  { because: 'the bundle states one itself', live: [PROXY, NONE], stated: [PROXY], kept: [NONE] },
  { because: 'the configuration states one', live: [PROXY, NONE], configured: [NONE], kept: [PROXY] },
  { because: 'one has no value of its own', live: [PROXY, FROM_FIELD], kept: [PROXY] },
  { because: 'one is empty', live: [{ name: 'HTTP_PROXY', value: '' }], kept: [] },
  { because: 'there are no variables', live: [], kept: [] },
])('takes $kept: $because', async ({ live, stated = [], configured = [], kept }) => {
  const subscription = subscriptionOf({ config: { env: configured } });
  const survey = surveyOf({ subscription, csv: stating(stated) });
  expect(await proxyOf(clusterWith(deployment(live)), survey, NEVER)).toEqual(kept);
});

test('takes none of Deployments that are absent, or that the bundle does not have', async () => {
  const other = { ...deployment([PROXY]), metadata: { name: 'other', namespace: 'ops' } };
  expect(await proxyOf(clusterWith(other), surveyOf({ csv: stating([]) }), NEVER)).toEqual([]);
});

test('they follow the variables of the configuration, as OLM orders them, and a note says that they stay', () => {
  const LEVEL = { name: 'LEVEL', value: 'debug' };
  const survey = surveyOf({ subscription: subscriptionOf({ config: { env: [LEVEL] } }) });
  const { manifest, dropped } = translateSubscription(survey, { name: 'gadget', version: '1.0.0', proxy: [PROXY] });
  expect(fieldsOf(manifest['spec'])['config']).toEqual({ env: [LEVEL, PROXY] });
  expect(dropped).toEqual([expect.stringContaining('cluster-wide proxy')]);
});
