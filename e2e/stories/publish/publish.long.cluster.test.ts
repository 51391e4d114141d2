/**
 * From an empty folder and the objects of an operator to an operator that is installed and upgraded: of plain YAML, of a
 * kustomization and of a chart. Each goes the whole way, and the rights are those of the source all the time.
 */
import { existsSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { KubeObject } from '../../../api/object.ts';
import { readSource } from '../../../bundles/author/compose.ts';
import { rightsOf } from '../../../bundles/author/testing/rights.ts';
import { useWorkplace } from '../../../cmd/slipway/testing/slipway.ts';
import { provideBinaries } from '../../cluster/binaries.ts';
import { useCluster } from '../../lib/cluster.ts';
import { installSlipway, startManager, type RunningManager } from '../../lib/manager.ts';
import { get, isReady, runs, subscriptionTo, waitFor } from '../../lib/objects.ts';
import { kettleChart, kettleYaml } from './kettle.ts';

const cluster = useCluster();
const workplace = useWorkplace();
/** The shortest; a second version is found by it alone. */
const INTERVAL = '10s';
const timeout = 300_000;
let manager: RunningManager;
let tools: string;

beforeAll(async () => {
  await installSlipway(cluster());
  manager = await startManager(cluster());
  const helm = (await provideBinaries(['helm'], () => undefined)).get('helm')!;
  tools = `${cluster().tools}:${dirname(helm)}:${process.env['PATH']}`;
});
afterAll(async () => {
  await manager?.stop();
});

interface PublishedSource {
  readonly source: 'yaml' | 'kustomize' | 'chart';
  readonly because: string;
  /** Files of a version. */
  readonly files: (version: string, group: string) => ReadonlyMap<string, string>;
  readonly from: readonly string[];
}

const KUSTOMIZATION = 'namespace: kettles\nresources: [operator.yaml]\n';
const SOURCES: readonly PublishedSource[] = [
  {
    source: 'yaml',
    because: 'a folder of YAML',
    files: (version, group) => new Map([['operator.yaml', kettleYaml(version, group)]]),
    from: ['yaml/source'],
  },
  {
    source: 'kustomize',
    because: 'a folder that kubectl builds',
    files: (version, group) =>
      new Map([
        ['operator.yaml', kettleYaml(version, group)],
        ['kustomization.yaml', KUSTOMIZATION],
      ]),
    from: ['kustomize/source'],
  },
  {
    source: 'chart',
    because: 'a chart that helm renders',
    files: kettleChart,
    from: ['chart', 'chart/source'],
  },
];

/** The command line, as an author types it; it has to succeed. */
async function type(...args: readonly string[]): Promise<string> {
  const variables = { PATH: tools, HOME: workplace().folder };
  const { code, stdout, stderr } = await workplace().runWith({ variables }, ...args);
  expect({ args, code }, stdout + stderr).toEqual({ args, code: 0 });
  return stdout;
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
function rightsOfSource(namespace: string, group: string): ReadonlySet<string> {
  const yaml = kettleYaml('1.0.0', group).replaceAll('kettle-system', namespace);
  const sources = readSource(new Map([['operator.yaml', Buffer.from(yaml)]]));
  return rightsOf(sources.map(({ object }) => object));
}

async function crdNames(): Promise<readonly string[]> {
  return (await cluster().kubectl(['get', 'crd', '-o', 'name'])).split('\n');
}

describe.each(SOURCES)('an author with $because', ({ source, files, from }) => {
  const bundle = `${source}/${source}-kettle`;
  const [namespace, group] = [`${source}-tea`, `${source}.kettles.example`];
  const subscription = { kind: 'subscription', name: 'kettle', namespace };
  const crd = `kettles.${group}`;
  const rights = rightsOfSource(namespace, group);
  const repository = (): string => `${cluster().registry}/${source}-kettle`;

  async function init(version: string): Promise<string> {
    workplace().write(files(version, group), `${source}/source`);
    return type('bundle', 'init', bundle, '--from', ...from, '--provider', 'Tea room', '--version', version);
  }

  test('makes a bundle of it in an empty folder, and tests it in a cluster', { timeout }, async () => {
    expect(existsSync(join(workplace().folder, bundle))).toBe(false);
    expect(rights.size).toBe(11);
    expect(await init('1.0.0')).toMatch(/6 files: 6 created\n$/);
    const trial = ['--to', `${cluster().registry}/trial/${source}`, '--kubeconfig', cluster().kubeconfig];
    const tested = await type('bundle', 'test', bundle, ...trial);
    expect(tested).toMatch(/\nthe examples are accepted +passed /);
    expect(tested).toMatch(/\nthe smallest account is sufficient +passed /);
    expect(tested).toMatch(/\n6 passed, 0 failed, 0 skipped\n$/);
  });

  test(
    'pushes it, and a Catalog of the repository has it installed, with exactly the rights of the source',
    { timeout },
    async () => {
      await type('bundle', 'push', bundle, `${repository()}:v1.0.0`);
      await cluster().kubectl(['create', 'namespace', namespace]);
      const catalog = { source: { repositories: [{ repository: repository() }] }, interval: INTERVAL };
      await apply({ kind: 'Catalog', metadata: { name: source }, spec: catalog });
      await waitFor(cluster(), { kind: 'catalog', name: source }, isReady);
      await cluster().kubectl(
        ['apply', '-f', '-'],
        subscriptionTo('kettle', namespace, { package: `${source}-kettle`, catalog: source }),
      );
      await waitFor(cluster(), subscription, runs('1.0.0'));
      expect(await rightsIn(namespace)).toEqual(rights);
    },
  );

  test('pushes the next version, which the cluster has by itself, with the same rights', { timeout }, async () => {
    await init('1.1.0');
    await type('bundle', 'push', bundle, `${repository()}:v1.1.0`);
    await waitFor(cluster(), subscription, runs('1.1.0'));
    const { spec } = await get(cluster(), 'deployment', 'kettle', namespace);
    expect(JSON.stringify(spec)).toContain('registry.example/team/kettle:v1.1.0');
    expect(await rightsIn(namespace)).toEqual(rights);
    const shortNames = await cluster().kubectl(['get', 'crd', crd, '-o', 'jsonpath={.spec.names.shortNames}']);
    expect(shortNames, 'the CRDs of a chart are upgraded, too').toBe(source === 'chart' ? '["ket"]' : '');
  });

  test('sees nothing left after the removal', { timeout }, async () => {
    expect(await crdNames()).toContain(`customresourcedefinition.apiextensions.k8s.io/${crd}`);
    await cluster().kubectl(['delete', 'subscription.slipway.dev', 'kettle', '-n', namespace, '--timeout=180s']);
    expect(await rightsIn(namespace)).toEqual(new Set());
    expect(await crdNames()).not.toContain(`customresourcedefinition.apiextensions.k8s.io/${crd}`);
  });
});
