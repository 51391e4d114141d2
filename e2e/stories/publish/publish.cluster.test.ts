/** From an empty folder and the plain YAML of an operator to an operator that is installed and upgraded. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { KubeObject } from '../../../api/object.ts';
import { readSource } from '../../../bundles/author/compose.ts';
import { rightsOf } from '../../../bundles/author/testing/rights.ts';
import { useWorkplace } from '../../../cmd/slipway/testing/slipway.ts';
import { useCluster } from '../../lib/cluster.ts';
import { installSlipway, startManager, type RunningManager } from '../../lib/manager.ts';
import { get, isReady, runs, subscriptionTo, waitFor } from '../../lib/objects.ts';
import { kettleYaml } from './kettle.ts';

const cluster = useCluster();
const workplace = useWorkplace();
const CATALOG = { kind: 'catalog', name: 'kitchen' };
const SUBSCRIPTION = { kind: 'subscription', name: 'kettle', namespace: 'tea' };
/** The shortest; a second version is found by it alone. */
const INTERVAL = '10s';
let manager: RunningManager;

beforeAll(async () => {
  await installSlipway(cluster());
  manager = await startManager(cluster());
  await cluster().kubectl(['create', 'namespace', 'tea']);
});
afterAll(async () => {
  await manager?.stop();
});

/** `bundle init`, `validate` and `push`, as an author types them; each has to succeed. */
async function publish(version: string, from: string): Promise<void> {
  workplace().write(new Map([['operator.yaml', kettleYaml(version)]]), 'config');
  const variables = { PATH: `${cluster().tools}:${process.env['PATH']}` };
  const type = async (...args: readonly string[]): Promise<void> => {
    const { code, stdout, stderr } = await workplace().runWith({ variables }, ...args);
    expect({ args, code, stderr }, stdout).toEqual({ args, code: 0, stderr: '' });
  };
  await type('bundle', 'init', 'kettle', '--from', from, '--provider', 'Tea room', '--version', version);
  await type('bundle', 'validate', 'kettle');
  await type('bundle', 'push', 'kettle', `${cluster().registry}/kettle:v${version}`);
}

async function apply(object: object): Promise<void> {
  await cluster().kubectl(['apply', '-f', '-'], JSON.stringify({ apiVersion: 'slipway.dev/v1alpha1', ...object }));
}

/** Rights that objects of the cluster give to accounts of a namespace. */
async function rightsIn(namespace: string): Promise<ReadonlySet<string>> {
  const kinds = 'clusterroles,clusterrolebindings,roles,rolebindings';
  const { items } = JSON.parse(await cluster().kubectl(['get', kinds, '-A', '-o', 'json'])) as {
    readonly items: readonly KubeObject[];
  };
  return new Set([...rightsOf(items)].filter((right) => right.startsWith(`ServiceAccount ${namespace}/`)));
}

/** The same rights as if the author had applied the YAML to a namespace. */
function rightsOfSource(namespace: string): ReadonlySet<string> {
  const yaml = kettleYaml('1.0.0').replaceAll('kettle-system', namespace);
  const sources = readSource(new Map([['operator.yaml', Buffer.from(yaml)]]));
  return rightsOf(sources.map(({ object }) => object));
}

describe('an author with plain YAML', () => {
  test('publishes the first version, and it is installed', async () => {
    await publish('1.0.0', 'config');
    const source = { repositories: [{ repository: `${cluster().registry}/kettle` }] };
    await apply({ kind: 'Catalog', metadata: { name: 'kitchen' }, spec: { source, interval: INTERVAL } });
    await waitFor(cluster(), CATALOG, isReady);
    await cluster().kubectl(['apply', '-f', '-'], subscriptionTo('kettle', 'tea', { package: 'kettle' }));
    await waitFor(cluster(), SUBSCRIPTION, runs('1.0.0'));
  });

  test('has given the operator exactly the rights of the YAML', async () => {
    const expected = rightsOfSource('tea');
    expect(expected.size).toBe(11);
    expect(await rightsIn('tea')).toEqual(expected);
  });

  test('publishes the next version, which the cluster finds by itself, from a kustomization', async () => {
    workplace().write(new Map([['kustomization.yaml', 'namespace: kettles\nresources: [operator.yaml]\n']]), 'config');
    await publish('1.1.0', 'config');
    await waitFor(cluster(), SUBSCRIPTION, runs('1.1.0'));
    const { spec } = await get(cluster(), 'deployment', 'kettle', 'tea');
    expect(JSON.stringify(spec)).toContain('registry.example/team/kettle:v1.1.0');
    expect(await rightsIn('tea')).toEqual(rightsOfSource('tea'));
  });

  test('sees the example accepted, and nothing left after the removal', async () => {
    const { items } = JSON.parse(await cluster().kubectl(['get', 'crd', '-o', 'json'])) as {
      readonly items: readonly KubeObject[];
    };
    expect(items.map(({ metadata }) => metadata.name)).toContain('kettles.kettles.example');
    await cluster().kubectl(['delete', 'subscription.slipway.dev', 'kettle', '-n', 'tea', '--timeout=60s']);
    expect(await rightsIn('tea')).toEqual(new Set());
    expect(await cluster().kubectl(['get', 'crd', '-o', 'name'])).not.toContain('kettles.kettles.example');
  });
});
