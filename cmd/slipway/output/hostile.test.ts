/** Names and texts of registries are others' words: no command lets a terminal act on them. */
import { chmodSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { gadgetYaml } from '../../../bundles/author/testing/gadget-source.ts';
import { makeCrd, makeFiles } from '../../../bundles/testing/bundle.ts';
import { buildImage, pushImage } from '../../../oci/build.ts';
import { startFakeRegistry, type FakeRegistry } from '../../../oci/testing/fake-registry.ts';
import { createRegistry } from '../../../oci/registry.ts';
import { useWorkplace } from '../testing/slipway.ts';

/** Colours, a title, a bell, a cursor that moves up, C1 codes, turned direction, invisible letters. */
const EVIL = '\u001b[31mred\u001b]0;title\u0007\u001b[1A\u009b2J\u202Ekool\u2066\u200B\u{E0041}\r\nsecond: line\tend';
const UNPRINTABLE = /[^\P{Cc}\n]|[\p{Cf}\p{Zl}\p{Zp}\p{Cs}]/u;

const workplace = useWorkplace();
let registry: FakeRegistry;

beforeAll(async () => {
  registry = await startFakeRegistry();
  const files = makeFiles({
    metadata: { annotations: { 'olm.skipRange': EVIL, categories: EVIL, 'operatorframework.io/arch.s390x': EVIL } },
    spec: {
      displayName: EVIL,
      description: EVIL,
      replaces: EVIL,
      skips: [EVIL],
      minKubeVersion: EVIL,
      maturity: EVIL,
      provider: { name: EVIL, url: EVIL },
      maintainers: [{ name: EVIL, email: EVIL }],
      links: [{ name: EVIL, url: EVIL }],
      relatedImages: [{ name: EVIL, image: EVIL }],
      customresourcedefinitions: {
        owned: [{ name: EVIL, kind: EVIL, version: EVIL }],
        required: [{ name: EVIL, kind: EVIL, version: EVIL }],
      },
    },
    objects: [{ apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'x' }, data: { text: EVIL } }],
    files: { 'metadata/dependencies.yaml': JSON.stringify({ dependencies: [{ type: EVIL, value: EVIL }] }) },
  });
  const unreadable = makeFiles({
    objects: [{ apiVersion: EVIL, kind: EVIL, metadata: { name: EVIL } }],
    files: { 'manifests/z.yaml': `a: [\u001b[31m` },
  });
  const catalog = [
    { schema: 'olm.package', name: EVIL, defaultChannel: EVIL, description: EVIL },
    { schema: 'olm.channel', package: EVIL, name: EVIL, entries: [{ name: EVIL, skipRange: EVIL }] },
    {
      schema: 'olm.bundle',
      package: EVIL,
      name: EVIL,
      image: EVIL,
      properties: [{ type: 'olm.package', value: { packageName: EVIL, version: EVIL } }],
    },
    {
      schema: 'olm.deprecations',
      package: EVIL,
      entries: [{ reference: { schema: 'olm.bundle', name: EVIL }, message: EVIL }],
    },
  ]
    .map((document) => JSON.stringify(document))
    .join('\n');
  const client = createRegistry();
  await pushImage(client, registry.reference('evil/bundle:v1'), buildImage({ files, labels: { evil: EVIL } }));
  await pushImage(client, registry.reference('evil/unreadable:v1'), buildImage({ files: unreadable }));
  await pushImage(
    client,
    registry.reference('evil/catalog:v1'),
    buildImage({ files: new Map([['configs/a.json', Buffer.from(catalog)]]) }),
  );
  client.close();
  writeRefused();
  writeChart();
  workplace().write(new Map([['evil.yaml', JSON.stringify({ schema: EVIL, [EVIL]: 1 })]]));
});
afterAll(() => registry.close());

/** The bundle of an object that its CRD refuses, with the reason why. */
function writeRefused(): void {
  const schema = { openAPIV3Schema: { type: 'object', properties: { mode: { type: 'string', enum: ['good'] } } } };
  const crd = makeCrd({ versions: [{ name: 'v1', served: true, storage: true, schema }] });
  const gadget = { apiVersion: 'example.com/v1', kind: 'Gadget', metadata: { name: 'bad' }, mode: EVIL };
  workplace().write(makeFiles({ modes: ['AllNamespaces'], objects: [crd, gadget] }), 'refused');
}

/** A program `helm` that prints a chart with a test. */
function writeChart(): void {
  const metadata = { name: EVIL, annotations: { 'helm.sh/hook': 'test' } };
  const pod = JSON.stringify({ apiVersion: 'v1', kind: 'Pod', metadata });
  workplace().write(
    new Map([
      ['helm', `#!/bin/sh\ncat "$(dirname "$0")/chart.yaml"\n`],
      ['chart.yaml', `${pod}\n---\n${gadgetYaml()}`],
    ]),
    'bin',
  );
  chmodSync(join(workplace().folder, 'bin/helm'), 0o755);
}

describe('a terminal never acts on printed text', () => {
  const bundle = (): string => `${registry.host}/evil/bundle:v1`;
  test.each([
    { args: () => ['bundle', 'inspect', bundle()], shows: 'kool' },
    { args: () => ['bundle', 'validate', bundle()], shows: 'kool' },
    {
      args: () => ['bundle', 'render', bundle(), '--namespace', 'x', '-o', 'yaml'],
      shows: 'kool',
      formats: ['yaml', 'json'],
    },
    { args: () => ['bundle', 'pull', bundle(), `pulled-${Math.random()}`], shows: 'sha256' },
    { args: () => ['bundle', 'validate', `${registry.host}/evil/unreadable:v1`], shows: 'error' },
    { args: () => ['bundle', 'inspect', `${registry.host}/evil/unreadable:v1`], shows: 'slipway: BundleInvalid' },
    { args: () => ['catalog', 'validate', `${registry.host}/evil/catalog:v1`], shows: 'kool' },
    { args: () => ['catalog', 'list', `${registry.host}/evil/catalog:v1`], shows: 'kool' },
    { args: () => ['catalog', 'list', `${registry.host}/evil/catalog:v1`, 'channels'], shows: 'kool' },
    { args: () => ['catalog', 'list', `${registry.host}/evil/catalog:v1`, 'bundles'], shows: 'kool' },
    {
      args: () => ['catalog', 'graph', `${registry.host}/evil/catalog:v1`, EVIL],
      shows: 'kool',
      formats: ['text', 'mermaid', 'dot', 'svg', 'json'],
    },
    { args: () => ['why', EVIL, '--catalog', `${registry.host}/evil/catalog:v1`], shows: 'kool' },
    { args: () => ['why-not', `${EVIL}@${EVIL}`, '--catalog', `${registry.host}/evil/catalog:v1`], shows: 'kool' },
    { args: () => ['why', 'x', '--catalog', `${registry.host}/evil/catalog:v1`, '--channel', EVIL], shows: 'x' },
    { args: () => ['catalog', 'build', 'x', 'evil.yaml'], shows: 'InputInvalid' },
    {
      args: () => ['bundle', 'render', 'x', '--namespace', 'x', '--config', 'evil.yaml'],
      shows: 'InputInvalid',
      formats: ['yaml', 'json'],
    },
    { args: () => ['bundle', 'inspect', `./${EVIL}`], shows: 'InputInvalid' },
    { args: () => ['bundle', 'inspect', `${EVIL}/x`], shows: 'slipway: ' },
  ])('by $args', async ({ args, shows, formats = ['text', 'json'] }) => {
    for (const format of formats) {
      const { stdout, stderr } = await workplace().run(...args(), '-o', format);
      expect(stdout + stderr).toContain(shows);
      expect(stdout).not.toMatch(UNPRINTABLE);
      expect(stderr).not.toMatch(UNPRINTABLE);
    }
  });

  test.each([
    { args: ['bundle', 'render', 'refused', '--namespace', 'x'] },
    { args: ['bundle', 'export', 'refused', 'exported', '--as', 'kustomize', '--namespace', 'x'] },
    { args: ['bundle', 'init', 'made', '--from', 'chart', 'x', '--version', '1.0.0'] },
  ])('by warnings beside the result of $args', async ({ args }) => {
    const variables = { PATH: `${join(workplace().folder, 'bin')}:/bin:/usr/bin` };
    const { stderr } = await workplace().runWith({ variables }, ...args);
    expect(stderr).toContain('is left out');
    expect(stderr).toContain('kool');
    expect(stderr).not.toMatch(UNPRINTABLE);
    expect(stderr.trimEnd()).not.toContain('\n');
  });

  test('and no text makes lines of its own', async () => {
    const { stdout } = await workplace().run('catalog', 'list', `${registry.host}/evil/catalog:v1`);
    expect(stdout.split('\n')).toHaveLength(3);
    const { stdout: facts } = await workplace().run('bundle', 'inspect', bundle());
    expect(facts).not.toMatch(/^second: line/m);
  });

  test('while JSON keeps every text as it was', async () => {
    const facts = await workplace().json<{ readonly displayName: string }>('bundle', 'inspect', bundle());
    expect(facts.displayName).toBe(EVIL);
  });
});
