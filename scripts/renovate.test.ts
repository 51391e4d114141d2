/** The example for Renovate: its data source reads a Catalog as the manager serves it, and its manager finds versions in Git. */
import { mkdtempSync, rmSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { RE2JS } from '@bufbuild/re2';
import jsonata from 'jsonata';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { buildIndex } from '../catalog/index/build.ts';
import { openIndex, type CatalogIndex } from '../catalog/index/open.ts';
import { createCatalogHandler } from '../catalog/serve.ts';
import { readText } from './source-files.ts';

interface RenovateConfig {
  readonly customDatasources: {
    readonly slipway: { readonly defaultRegistryUrlTemplate: string; readonly transformTemplates: readonly string[] };
  };
  readonly customManagers: readonly {
    readonly managerFilePatterns: readonly string[];
    readonly matchStrings: readonly string[];
    readonly datasourceTemplate: string;
  }[];
}

const CONFIG = JSON.parse(readText('deploy/ci/renovate.json') ?? '') as RenovateConfig;
const { defaultRegistryUrlTemplate, transformTemplates } = CONFIG.customDatasources.slipway;
const [MANAGER] = CONFIG.customManagers;

const channel = (name: string, packageName: string, names: readonly string[]): object => ({
  schema: 'olm.channel',
  name,
  package: packageName,
  entries: names.map((one) => ({ name: one })),
});
const DOCUMENTS = [
  channel('stable', 'beacon', ['beacon.v1.0.0', 'beacon.v1.1.0', 'beacon.v2.0.0-rc.1']),
  channel('alpha', 'beacon', ['beacon.v3.0.0']),
  channel('stable', 'lamp', ['lamp.v1.0.0']),
  channel('stable', 'odd', ['odd.1.2.3', 'odd-without-a-version', 'odd.dotted.v2.0.0']),
];

let folder = '';
let server: Server;
let index: CatalogIndex;

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'slipway-renovate-'));
  const content = Buffer.from(DOCUMENTS.map((document) => `${JSON.stringify(document)}\n`).join(''));
  const target = join(folder, 'catalog.db');
  await buildIndex({ files: [{ path: 'catalog.json', content }], target });
  index = openIndex(target);
  const borrow = (name: string) =>
    name === 'examples' ? { digest: `x@sha256:${'a'.repeat(64)}`, index, release: () => undefined } : undefined;
  const handler = createCatalogHandler({ borrow, onError: () => undefined });
  server = createServer((request, response) => {
    void handler(request, response).then((handled) => handled || response.writeHead(418).end());
  });
  await new Promise<void>((resolve) => void server.listen(0, '127.0.0.1', resolve));
});
afterAll(() => {
  server.close();
  server.closeAllConnections();
  index.close();
  rmSync(folder, { recursive: true, force: true });
});

/** The releases of a package, as Renovate looks them up. */
async function releasesOf(packageName: string): Promise<unknown> {
  const url = new URL(defaultRegistryUrlTemplate.replaceAll('{{packageName}}', packageName));
  const { port } = server.address() as AddressInfo;
  const answer = await fetch(`http://127.0.0.1:${port}${url.pathname}${url.search}`);
  expect(answer.status).toBe(200);
  let data: unknown = JSON.parse(await answer.text());
  for (const rule of transformTemplates) data = await jsonata(rule).evaluate(data);
  return JSON.parse(JSON.stringify(data));
}

describe('the data source', () => {
  test.each([
    {
      because: 'every version of the channel, and none of others',
      of: 'beacon',
      versions: ['1.0.0', '1.1.0', '2.0.0-rc.1'],
    },
    { because: 'a single version is a list, too', of: 'lamp', versions: ['1.0.0'] },
    { because: 'names without a version are left out', of: 'odd', versions: ['1.2.3', '2.0.0'] },
  ])('has the releases of a package: $because', async ({ of, versions }) => {
    expect(await releasesOf(of)).toEqual({ releases: versions.map((version) => ({ version })) });
  });
});

interface FoundDependency {
  readonly packageName?: string;
  readonly currentValue?: string;
}

/** The dependencies that the manager finds in a file. */
function dependenciesIn(text: string): readonly FoundDependency[] {
  return (MANAGER?.matchStrings ?? []).flatMap((pattern) =>
    [...text.matchAll(new RegExp(pattern, 'g'))].map(({ groups }) => ({ ...groups })),
  );
}

const subscription = (spec: string, head = 'kind: Subscription'): string =>
  `apiVersion: slipway.dev/v1alpha1\n${head}\nmetadata:\n  name: x\n  namespace: lights\nspec:\n${spec}`;
const BEACON = { packageName: 'beacon', currentValue: '1.0.0' };

describe('the manager', () => {
  test('has expressions that the engine of Renovate takes, which looks neither ahead nor back', () => {
    expect(MANAGER?.datasourceTemplate).toBe('custom.slipway');
    expect(MANAGER?.matchStrings).toHaveLength(1);
    for (const pattern of MANAGER?.matchStrings ?? [])
      expect(() => new RE2JS(pattern.replaceAll('(?<', '(?P<'))).not.toThrow();
    expect(() => new RE2JS('(?!a)')).toThrow();
  });

  test.each([
    { because: 'plain', text: subscription('  package: beacon\n  version: 1.0.0\n'), found: [BEACON] },
    { because: 'quoted', text: subscription('  package: "beacon"\n  version: \'1.0.0\'\n'), found: [BEACON] },
    {
      because: 'with comments',
      text: subscription(
        '  package: beacon # ours\n  # raised\n  version: "1.0.0" # by it\n',
        'kind: Subscription # x',
      ),
      found: [BEACON],
    },
    {
      because: 'with fields between, and fields of the same name deeper',
      text: subscription('  package: beacon\n  config:\n    version: 9.9.9\n  channel: stable\n  version: 1.0.0\n'),
      found: [BEACON],
    },
    {
      because: 'two in one file',
      text: `${subscription('  package: beacon\n  version: 1.0.0\n')}---\n${subscription('  package: lamp\n  version: 2.0.0\n')}`,
      found: [BEACON, { packageName: 'lamp', currentValue: '2.0.0' }],
    },
    {
      because: 'a Subscription without a version has none, and takes none of the next document',
      text: `${subscription('  package: lamp\n')}---\n${subscription('  package: beacon\n  version: 1.0.0\n')}`,
      found: [BEACON],
    },
    {
      because: 'a Subscription of OLM has none, and takes none of the next document',
      text: `${subscription('  name: lamp\n  channel: stable\n')}---\nkind: Other\nspec:\n  package: beacon\n  version: 1.0.0\n`,
      found: [],
    },
    {
      because: 'another kind',
      text: subscription('  package: x\n  version: 1.0.0\n', 'kind: SubscriptionList'),
      found: [],
    },
  ])('finds package and version: $because', ({ text, found }) => {
    expect(dependenciesIn(text)).toEqual(found);
  });

  test.each(['operators/beacon.yaml', 'operators/deep/lamp.yaml'])('reads %s', (path) => {
    const [pattern = ''] = MANAGER?.managerFilePatterns ?? [];
    expect(new RegExp(pattern.slice(1, -1)).test(path)).toBe(true);
  });
});
