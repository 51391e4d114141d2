/** The survey of an operator by the name of its Subscription, or of its ClusterServiceVersion. */
import { expect, test } from 'vitest';
import type { Cluster } from '../../api/cluster.ts';
import type { Kind, KubeObject } from '../../api/object.ts';
import { NEVER } from '../../api/testing/never.ts';
import { operatorOf, surveyOperator, type OlmSurvey } from './survey.ts';
import { planInProgress } from './install-plans.ts';
import { tieFactsOf } from './inventory.ts';
import { csvOf, ofOlm, subscriptionOf } from './testing/survey.ts';

function clusterOf(objects: readonly KubeObject[]): Pick<Cluster, 'get' | 'list'> {
  const isOf = (one: KubeObject, { kind }: Kind): boolean => one.kind === kind;
  return {
    list: async (kind, { keep = (one: KubeObject) => one } = {}) => objects.filter((one) => isOf(one, kind)).map(keep),
    get: async (ref) => objects.find((one) => isOf(one, ref) && one.metadata.name === ref.name),
  };
}

const survey = (name: string, objects: readonly KubeObject[]): Promise<OlmSurvey> =>
  surveyOperator(clusterOf(objects), { namespace: 'ops', name }, NEVER);

test('a Subscription names its ClusterServiceVersion', async () => {
  const found = await survey('gadget', [subscriptionOf(), csvOf('gadget.v1')]);
  expect(operatorOf(found)).toEqual({ namespace: 'ops', subscription: 'gadget', package: 'gadget-operator', csv: 'gadget.v1' }); // prettier-ignore
});

test('a ClusterServiceVersion without a Subscription is found by its own name', async () => {
  const found = await survey('gadget.v1', [csvOf('gadget.v1')]);
  expect(found.csv?.metadata.name).toBe('gadget.v1');
  expect(found.holder).toBeUndefined();
});

test.each([
  { because: 'it has installed it', status: {} },
  { because: 'it is installing it', status: { installedCSV: 'gadget.v0' } },
])('the Subscription of a named ClusterServiceVersion is found, because $because', async ({ status }) => {
  const found = await survey('gadget.v1', [subscriptionOf({}, status), csvOf('gadget.v1')]);
  expect(found.holder).toBe('gadget');
});

test('of a Subscription that is gone, the known ClusterServiceVersion is found', async () => {
  const cluster = clusterOf([csvOf('gadget.v1')]);
  const found = await surveyOperator(cluster, { namespace: 'ops', name: 'gadget', csv: 'gadget.v1' }, NEVER);
  expect(found.csv?.metadata.name).toBe('gadget.v1');
});

test('of other versions and of plans the parts are read that decide, without what people read and without manifests', async () => {
  const icon = [{ base64data: 'x'.repeat(1000) }];
  const examples = { 'alm-examples': 'x'.repeat(1000), 'olm.properties': '[]' };
  const other = csvOf('lamp.v1', { spec: { icon, replaces: 'lamp.v0', customresourcedefinitions: { owned: [] } } });
  const step = {
    resolving: 'gadget.v1',
    resource: { group: 'apps', version: 'v1', kind: 'Deployment', name: 'gadget' },
  };
  const plan = ofOlm('installPlan', 'install-1', {
    spec: { approved: true, clusterServiceVersionNames: ['gadget.v1'] },
    status: { phase: 'Installing', plan: [{ ...step, resource: { ...step.resource, manifest: 'x'.repeat(1000) } }] },
  });
  const own = csvOf('gadget.v1', { spec: { icon } });
  const found = await survey('gadget', [
    subscriptionOf(),
    own,
    { ...other, metadata: { ...other.metadata, annotations: examples } },
    plan,
  ]);
  expect(found.csv).toEqual(own);
  expect(found.csvs[1]).toMatchObject({
    metadata: { annotations: { 'olm.properties': '[]' } },
    spec: { replaces: 'lamp.v0', customresourcedefinitions: { owned: [] } },
  });
  expect(JSON.stringify([found.csvs[1], found.installPlans])).not.toContain('xxx');
  expect(planInProgress(found)?.metadata.name).toBe('install-1');
  expect([...tieFactsOf(found, operatorOf(found)).planned]).toEqual(['Deployment.apps|ops|gadget']);
});
