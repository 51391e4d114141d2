import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { useWorkplace } from '../../testing/slipway.ts';
import { useFakeCluster } from '../testing/fake-cluster.ts';
import { INSTALLED, revision, subscription, untyped } from '../../../../report/testing/objects.ts';
import type { RaisedRow } from './raise.ts';

const workplace = useWorkplace();
const cluster = useFakeCluster();

/** 1.0.0 → 1.1.0 → 1.2.0, and 2.0.0, to which no edge leads. */
const ENTRIES = [
  { name: 'gadget.v1.0.0' },
  { name: 'gadget.v1.1.0', replaces: 'gadget.v1.0.0' },
  { name: 'gadget.v1.2.0', replaces: 'gadget.v1.1.0' },
];
const CATALOG = [
  { schema: 'olm.package', name: 'gadget', defaultChannel: 'stable' },
  { schema: 'olm.channel', package: 'gadget', name: 'stable', entries: ENTRIES },
  { schema: 'olm.channel', package: 'gadget', name: 'fast', entries: [{ name: 'gadget.v2.0.0' }] },
  ...['1.0.0', '1.1.0', '1.2.0', '2.0.0'].map((version) => ({
    schema: 'olm.bundle',
    package: 'gadget',
    name: `gadget.v${version}`,
    image: `registry.invalid/gadget:v${version}`,
    properties: [{ type: 'olm.package', value: { packageName: 'gadget', version } }],
  })),
];

beforeAll(() => {
  const text = CATALOG.map((document) => JSON.stringify(document)).join('\n');
  workplace().write(new Map([['catalog/catalog.json', text]]));
});

interface Report {
  readonly checked: number;
  readonly outdated: readonly RaisedRow[];
  readonly files: readonly string[];
}

const textOf = (path: string): string => readFileSync(join(workplace().folder, path), 'utf8');

async function raise(
  files: Readonly<Record<string, string>>,
  ...more: readonly string[]
): Promise<Report & { readonly code: number }> {
  workplace().write(new Map(Object.entries(files)));
  const args = ['outdated', '--write', ...Object.keys(files), '--catalog', 'catalog', ...more, '-o', 'json'];
  const { code, stdout, stderr } = await workplace().run(...args);
  if (stdout === '') throw new Error(stderr);
  return { code, ...(JSON.parse(stdout) as Report) };
}

function manifest(spec: string): string {
  return `apiVersion: slipway.dev/v1alpha1\nkind: Subscription\nmetadata:\n  name: gadget\nspec:\n  package: gadget\n  ${spec}\n`;
}

describe('a file gets the new version, and every other byte stays', () => {
  const folder = join(import.meta.dirname, 'testdata');
  const names = readdirSync(folder).flatMap((name) => /^(.*)\.before\.yaml$/.exec(name)?.[1] ?? []);

  test.each(names)('%s', async (name) => {
    const [before, after] = ['before', 'after'].map((when) =>
      readFileSync(join(folder, `${name}.${when}.yaml`), 'utf8'),
    );
    const { code, files, outdated } = await raise({ [`${name}.yaml`]: before! });
    expect(textOf(`${name}.yaml`)).toBe(after);
    expect({ code, files }).toEqual({ code: 2, files: before === after ? [] : [`${name}.yaml`] });
    expect(outdated.some(({ raised }) => raised === undefined)).toBe(before === after || name === 'several');
  });

  test('a second run changes nothing, and its exit code is 0', async () => {
    await raise({ 'twice.yaml': manifest('version: 1.0.0') });
    const { code, outdated, files } = await raise({ 'twice.yaml': textOf('twice.yaml') });
    expect({ code, outdated, files }).toEqual({ code: 0, outdated: [], files: [] });
  });

  test('several files are written, each with its own changes', async () => {
    const { files } = await raise({
      'one.yaml': manifest('version: 1.0.0'),
      'none.yaml': 'kind: ConfigMap\n',
      'two.yaml': manifest('version: 1.1.0'),
    });
    expect(files).toEqual(['one.yaml', 'two.yaml']);
    expect(textOf('none.yaml')).toBe('kind: ConfigMap\n');
  });

  test('a dry run reports the same, and writes no file', async () => {
    const before = manifest('version: 1.0.0');
    const { code, outdated } = await raise({ 'dry.yaml': before }, '--dry-run=client');
    expect(outdated).toMatchObject([{ version: '1.0.0', raised: '1.2.0' }]);
    expect({ code, text: textOf('dry.yaml') }).toEqual({ code: 2, text: before });
  });
});

describe('the version that is written', () => {
  test.each([
    { because: 'edges lead to it over another version', spec: 'version: 1.0.0', raised: '1.2.0' },
    { because: 'the sign stays', spec: 'version: "=1.0.0"', raised: '=1.2.0' },
    {
      because: 'edges are ignored, and the channel has no other',
      spec: 'version: 1.0.0\n  channel: fast\n  edges: Ignore',
      raised: '2.0.0',
    },
    {
      because: 'no edge leads out of the other channel',
      spec: 'version: 1.0.0\n  channel: fast',
      latest: '2.0.0',
      reason: 'NoUpgradePath',
    },
    { because: 'no catalog has the version', spec: 'version: 1.9.0', reason: 'NoUpgradePath' },
    {
      because: 'with edges ignored, a lower version is no newer one',
      spec: 'version: 2.1.0\n  channel: fast\n  edges: Ignore',
      reason: 'NoUpgradePath',
    },
    {
      because: 'a range is the decision of a person',
      spec: 'version: ~1.0',
      latest: '1.2.0',
      reason: 'VersionNotFound',
    },
    { because: 'no catalog has the package', spec: 'version: 1.0.0', packageName: 'gizmo', reason: 'PackageNotFound' },
    { because: 'no catalog has the channel', spec: 'version: 1.0.0\n  channel: slow', reason: 'ChannelNotFound' },
  ])('$because: $raised', async ({ spec, packageName = 'gadget', raised, latest, reason }) => {
    const text = manifest(spec).replace('package: gadget', `package: ${packageName}`);
    const { code, outdated } = await raise({ 'rule.yaml': text });
    expect(code).toBe(2);
    expect(outdated).toHaveLength(1);
    expect(outdated[0]?.raised).toBe(raised);
    expect(outdated[0]?.message).not.toBe('');
    if (latest !== undefined) expect(outdated[0]?.latest).toBe(latest);
    if (reason !== undefined) expect(outdated[0]?.reason).toBe(reason);
    if (raised === undefined) expect(textOf('rule.yaml')).toBe(text);
  });

  test.each([
    { because: 'the newest is written', spec: 'version: 1.2.0' },
    { because: 'the range includes the newest', spec: 'version: ">=1.0 <2"' },
    { because: 'any version is allowed', spec: 'channel: stable' },
    { because: 'another channel has only lower ones', spec: 'version: 2.0.0\n  channel: stable\n  edges: Ignore' },
  ])('stays, without a finding: $because', async ({ spec }) => {
    const text = manifest(spec);
    const { code, checked, outdated } = await raise({ 'stays.yaml': text });
    expect({ code, checked, outdated, text: textOf('stays.yaml') }).toEqual({
      code: 0,
      checked: 1,
      outdated: [],
      text,
    });
  });
});

describe('without --catalog', () => {
  let manager: Server;
  let url: string;

  beforeAll(async () => {
    manager = createServer((request, response) => {
      const { pathname, searchParams } = new URL(request.url ?? '', 'http://manager');
      const documents: readonly Readonly<Record<string, unknown>>[] = pathname.includes('/team/') ? CATALOG : [];
      const chosen = documents.filter((one) => [...searchParams].every(([field, value]) => one[field] === value));
      response.end(chosen.map((one) => `${JSON.stringify(one)}\n`).join(''));
    });
    await new Promise<void>((done) => manager.listen(0, '127.0.0.1', done));
    url = `http://127.0.0.1:${(manager.address() as AddressInfo).port}`;
  });
  afterAll(() => manager.close());

  async function raiseByCluster(spec: string): Promise<RaisedRow | undefined> {
    const file = join(cluster().folder, 'sub.yaml');
    writeFileSync(file, manifest(spec));
    const { stdout, stderr } = await cluster().run(
      'outdated',
      '--write',
      'sub.yaml',
      '--manager-url',
      url,
      '-o',
      'json',
    );
    if (stdout === '') throw new Error(stderr);
    return (JSON.parse(stdout) as Report).outdated[0];
  }

  test('the Catalogs of the cluster are asked, by the content that their manager serves', async () => {
    expect(await raiseByCluster('version: 1.0.0')).toMatchObject({ version: '1.0.0', raised: '1.2.0' });
  });

  test.each([
    { because: 'another Catalog is named', spec: 'version: 1.0.0\n  catalog: other' },
    { because: 'the labels select none', spec: 'version: 1.0.0\n  catalogSelector: {matchLabels: {tier: gold}}' },
  ])('a Catalog that the spec does not select counts for nothing: $because', async ({ spec }) => {
    expect(await raiseByCluster(spec)).toMatchObject({ reason: expect.stringMatching(/NotFound$/) as string });
  });

  test('a version that failed in the cluster is not written', async () => {
    const quarantined = [{ bundle: 'gadget.v1.2.0', version: '1.2.0', reason: 'X', message: 'x', specHash: 'h' }];
    const failed = subscription({ status: { installed: INSTALLED, quarantined } as never });
    cluster().api.put(untyped(failed));
    const found = await raiseByCluster('version: 1.0.0');
    cluster().api.put(untyped(subscription({ status: { installed: INSTALLED } })));
    expect(found).toMatchObject({ raised: '1.1.0', latest: '1.2.0' });
  });

  test('an image that failed under another name is not written', async () => {
    const image = 'registry.invalid/gadget:v1.2.0';
    const quarantined = [
      { bundle: 'gadget.v1.1.9', version: '1.1.9', image, reason: 'X', message: 'x', specHash: 'h' },
    ];
    cluster().api.put(untyped(subscription({ status: { installed: INSTALLED, quarantined } as never })));
    const found = await raiseByCluster('version: 1.0.0');
    cluster().api.put(untyped(subscription({ status: { installed: INSTALLED } })));
    expect(found).toMatchObject({ raised: '1.1.0', latest: '1.2.0' });
  });

  test('a version whose Revision failed is not written, even if its quarantine was lifted', async () => {
    const failure = { reason: 'X', message: 'no quota', time: '2026-01-01T00:00:00Z' };
    cluster().api.put(untyped(revision(3, '1.2.0', { status: { failure } as never })));
    const found = await raiseByCluster('version: 1.0.0');
    cluster().api.put(untyped(revision(4, '1.2.0')));
    expect(found).toMatchObject({ raised: '1.1.0', latest: '1.2.0', reason: expect.any(String) as string });
    expect(await raiseByCluster('version: 1.0.0')).toMatchObject({ raised: '1.2.0' });
  });
});

describe('a failure writes no file, not even the others', () => {
  test.each([
    { because: 'a file that does not exist', bad: undefined, reason: 'InputInvalid' },
    { because: 'no YAML', bad: 'a: [', reason: 'InputInvalid' },
    { because: 'no UTF-8', bad: Buffer.from([0x61, 0xff]), reason: 'InputInvalid' },
    { because: 'a spec that the API server would reject', bad: manifest('version: 1.0'), reason: 'InvalidSpec' },
  ])('$because', async ({ bad, reason }) => {
    const good = manifest('version: 1.0.0');
    workplace().write(
      new Map<string, string | Uint8Array>([
        ['good.yaml', good],
        ...(bad === undefined ? [] : [['bad.yaml', bad] as const]),
      ]),
    );
    const { code, stdout, stderr } = await workplace().run(
      'outdated',
      '--write',
      'good.yaml',
      bad === undefined ? 'missing.yaml' : 'bad.yaml',
      '--catalog',
      'catalog',
    );
    expect({ code, stdout, good: textOf('good.yaml') }).toEqual({ code: 1, stdout: '', good });
    expect(stderr).toContain(`slipway: ${reason}: `);
  });

  test.each([
    {
      because: 'a catalog without files',
      args: ['outdated', '--catalog', 'catalog'],
      says: '--catalog goes with --write',
    },
    { because: 'a dry run without files', args: ['outdated', '--dry-run=client'], says: '--dry-run goes with --write' },
    {
      because: 'labels of files',
      args: ['outdated', '--write', 'good.yaml', '-l', 'a=b'],
      says: '--selector does not go with --write',
    },
    {
      because: 'a cluster beside a catalog',
      args: ['outdated', '--write', 'good.yaml', '--catalog', 'catalog', '--context', 'x'],
      says: '--context is about a cluster',
    },
    {
      because: 'the version of the cluster is known there',
      args: ['outdated', '--write', 'good.yaml', '--kubernetes-version', '1.34'],
      says: '--kubernetes-version goes with --catalog',
    },
  ])('flags that have no effect are refused: $because', async ({ args, says }) => {
    const { code, stderr } = await workplace().run(...args);
    expect(code).toBe(1);
    expect(stderr).toContain(`slipway: InputInvalid: ${says}`);
  });
});

test.each([40, 80, 160])(
  'the table fits into a terminal of %d columns, and has a line about the files',
  async (columns) => {
    workplace().write(new Map([['table.yaml', manifest('version: 1.0.0')]]));
    const args = ['outdated', '--write', 'table.yaml', '--catalog', 'catalog', '--dry-run=client'];
    const { stdout } = await workplace().runWith({ columns }, ...args);
    const lines = stdout.trimEnd().split('\n');
    expect(stdout).toContain('1 file to be written');
    expect(Math.max(...lines.map((line) => line.length))).toBeLessThanOrEqual(Math.max(columns, LEAST_TABLE));
  },
);

/** Eight columns of at least eight characters each, and the gaps between them. */
const LEAST_TABLE = 8 * 8 + 7 * 3;
