/** Which operator of OLM is handed over next when all are. */
import { describe, expect, test } from 'vitest';
import { makeBackup, writeBackup } from '../../../adoption/olm-v0/backup.ts';
import { csvOf, ofOlm, subscriptionOf, surveyOf } from '../../../adoption/olm-v0/testing/survey.ts';
import { translateSubscription } from '../../../adoption/olm-v0/translate.ts';
import { NEVER } from '../../../api/testing/never.ts';
import type { Cluster } from '../../../api/cluster.ts';
import type { Kind, KubeObject } from '../../../api/object.ts';
import { listRows, nextOperator } from './operators.ts';

const kept = 'slipway-system';

/** The kinds of OLM are not among those of the fake cluster. */
function clusterOf(objects: readonly KubeObject[]): Pick<Cluster, 'get' | 'list'> {
  const isOf = ({ apiVersion, kind }: KubeObject, wanted: Kind): boolean =>
    kind === wanted.kind && apiVersion === wanted.apiVersion;
  return {
    list: async (kind, { namespace } = {}) =>
      objects.filter((one) => isOf(one, kind) && (namespace ?? one.metadata.namespace) === one.metadata.namespace),
    get: async (ref) => objects.find((one) => isOf(one, ref) && one.metadata.name === ref.name),
  };
}

/** One operator of the namespace `ops`. */
function operator(name: string, csv: object = {}, status: object = {}): readonly KubeObject[] {
  const subscription = subscriptionOf({}, { installedCSV: `${name}.v1`, currentCSV: `${name}.v1`, ...status });
  return [{ ...subscription, metadata: { ...subscription.metadata, name } }, csvOf(`${name}.v1`, csv)];
}

const GROUP = ofOlm('operatorGroup', 'all', {});
const OWNS = { spec: { customresourcedefinitions: { owned: [{ name: 'gadgets.example' }] } } };
const NEEDS = { spec: { customresourcedefinitions: { required: [{ name: 'gadgets.example' }] } } };

async function next(objects: readonly KubeObject[], namespace?: string): Promise<string | undefined> {
  const options = namespace === undefined ? {} : { namespace };
  return (await nextOperator(clusterOf(objects), { options, kept, signal: NEVER }, () => false)).next?.name;
}

describe('the operator to hand over next', () => {
  test.each([
    { because: 'there is none', objects: [GROUP], name: undefined },
    { because: 'it is ready', objects: [GROUP, ...operator('gadget')], name: 'gadget' },
    {
      because: 'another one requires the first',
      objects: [GROUP, ...operator('gadget', OWNS), ...operator('user', NEEDS)],
      name: 'user',
    },
    {
      because: 'one is ready and the other has to be waited for',
      objects: [GROUP, ...operator('busy', { phase: 'Installing' }), ...operator('ready')],
      name: 'ready',
    },
    {
      because: 'it can only be waited for',
      objects: [GROUP, ...operator('busy', { phase: 'Installing' })],
      name: 'busy',
    },
    {
      because: 'the only one is refused',
      objects: [GROUP, ...operator('broken', { phase: 'Failed' })],
      name: undefined,
    },
  ])('$because', async ({ objects, name }) => {
    expect(await next(objects)).toBe(name);
  });

  test('is one whose hand-over has begun, unless it is of another namespace', async () => {
    const survey = { ...surveyOf(), subscription: subscriptionOf(), csv: csvOf('begun.v1') };
    const { manifest: wanted } = translateSubscription(survey, { name: 'begun', version: '1.0.0' });
    const named = { namespace: 'ops', subscription: 'begun', package: 'gadget-operator', csv: 'begun.v1' };
    const backup = writeBackup(makeBackup(survey, named, { wanted, objects: [] }), kept);
    const objects = [GROUP, ...operator('ready'), backup];
    expect(await next(objects)).toBe('begun');
    expect(await next(objects, 'elsewhere')).toBeUndefined();
  });
});

describe('the list of operators', () => {
  const list = async (objects: readonly KubeObject[]): Promise<readonly (readonly [string, string])[]> =>
    (await listRows(clusterOf([GROUP, ...objects]), { options: {}, signal: NEVER })).map(({ name, state }) => [name, state]); // prettier-ignore

  test('has each operator after those that require it, and says so', async () => {
    const both = { spec: { customresourcedefinitions: { ...OWNS.spec.customresourcedefinitions, required: [{ name: 'lamps.example' }] } } }; // prettier-ignore
    const lamp = { spec: { customresourcedefinitions: { owned: [{ name: 'lamps.example' }] } } };
    const objects = [...operator('lamp', lamp), ...operator('gadget', both), ...operator('user', NEEDS)];
    expect(await list(objects)).toEqual([
      ['user', 'ready'],
      ['gadget', 'after'],
      ['lamp', 'after'],
    ]);
  });

  test('has a ClusterServiceVersion without a Subscription, unless it is a copy, is deleted, or is OLM itself', async () => {
    const version = (name: string, metadata: object): KubeObject => {
      const csv = csvOf(name);
      return { ...csv, metadata: { ...csv.metadata, ...metadata } };
    };
    const annotations = { 'operatorframework.io/properties': '{"properties":[{"type":"olm.package","value":{"packageName":"alone"}}]}' }; // prettier-ignore
    const objects = [
      ...operator('gadget'),
      version('alone.v1', { annotations }),
      version('copied.v1', { labels: { 'olm.copiedFrom': 'elsewhere' } }),
      version('packageserver', {}),
      version('deleted.v1', { deletionTimestamp: '2026-11-23T00:00:00Z' }),
    ];
    expect(await list(objects)).toEqual([
      ['gadget', 'ready'],
      ['alone.v1', 'ready'],
    ]);
  });
});
