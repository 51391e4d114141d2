import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { makeFiles } from '../../../bundles/testing/bundle.ts';
import { startFakeRegistry, type FakeRegistry } from '../../../oci/testing/fake-registry.ts';
import { pullFiles } from '../../../oci/image.ts';
import { createRegistry } from '../../../oci/registry.ts';
import { useWorkplace } from '../testing/slipway.ts';

const workplace = useWorkplace();
let registry: FakeRegistry;
const imageOf = (version: string): string => `${registry.host}/team/gadget-operator:v${version}`;

beforeAll(async () => {
  registry = await startFakeRegistry();
  for (const version of ['1.0.0', '1.0.1', '1.1.0', '2.0.0-rc.1']) {
    const files = makeFiles({ metadata: { name: `gadget-operator.v${version}` }, spec: { version } });
    workplace().write(files, `bundles/${version}`);
    const pushed = await workplace().run('bundle', 'push', `bundles/${version}`, imageOf(version));
    expect(pushed).toMatchObject({ code: 0, stderr: '' });
  }
  workplace().write(
    new Map([
      ['good/catalog.yaml', GOOD],
      ['bad/catalog.yaml', BAD],
      ['broken/a.json', '{"schema":'],
    ]),
  );
});
afterAll(() => registry.close());

const GOOD = `
schema: olm.package
name: gadget-operator
defaultChannel: stable
---
schema: olm.channel
package: gadget-operator
name: stable
entries: [{name: gadget-operator.v1.0.0}, {name: gadget-operator.v1.1.0, replaces: gadget-operator.v1.0.0}]
---
schema: olm.bundle
package: gadget-operator
name: gadget-operator.v1.0.0
image: registry.example/gadget@sha256:${'a'.repeat(64)}
properties: [{type: olm.package, value: {packageName: gadget-operator, version: 1.0.0}}]
---
schema: olm.bundle
package: gadget-operator
name: gadget-operator.v1.1.0
image: registry.example/gadget@sha256:${'b'.repeat(64)}
properties: [{type: olm.package, value: {packageName: gadget-operator, version: 1.1.0}}]
---
schema: olm.deprecations
package: gadget-operator
entries: [{reference: {schema: olm.bundle, name: gadget-operator.v1.0.0}, message: too old}]
`;
const BAD = GOOD.replace('defaultChannel: stable', 'defaultChannel: none');

describe('catalog validate', () => {
  test.each([
    { because: 'all is well', source: 'good', code: 0 },
    { because: 'a file is a catalog, too', source: 'good/catalog.yaml', code: 0 },
    { because: 'a rule is broken', source: 'bad', code: 2 },
    { because: 'it cannot be read', source: 'broken', code: 2 },
    { because: 'nothing was judged', source: './missing', code: 1 },
  ])('ends with $code: $because', async ({ source, code }) => {
    expect((await workplace().run('catalog', 'validate', source)).code).toBe(code);
  });

  test('reports each finding with its place and its remedy', async () => {
    const report = await workplace().json<{ readonly findings: readonly object[] }>('catalog', 'validate', 'bad');
    expect(report).toEqual({
      source: 'bad',
      valid: false,
      errors: 1,
      warnings: 0,
      findings: [
        {
          level: 'error',
          check: 'DefaultChannel',
          package: 'gadget-operator',
          file: 'catalog.yaml',
          document: 1,
          message: expect.any(String),
          advice: expect.any(String),
        },
      ],
    });
    const { stdout } = await workplace().run('catalog', 'validate', 'bad');
    expect(stdout).toMatch(/^error: catalog\.yaml, document 1: .*\(DefaultChannel\)\n {2}.*\n1 error, 0 warnings\n$/);
  });

  test.each([
    { type: 'olm.bundle.object', value: { data: 'e===' } },
    { type: 'olm.csv.metadata', value: { keywords: 'a, b' } },
  ])('judges the value of $type in JSON and in YAML, though lists and a cluster do without it', async (property) => {
    const documents = [
      { schema: 'olm.package', name: 'gadget', defaultChannel: 'stable' },
      { schema: 'olm.channel', package: 'gadget', name: 'stable', entries: [{ name: 'gadget.v1.0.0' }] },
      {
        schema: 'olm.bundle',
        package: 'gadget',
        name: 'gadget.v1.0.0',
        image: 'registry.example/gadget:v1.0.0',
        properties: [{ type: 'olm.package', value: { packageName: 'gadget', version: '1.0.0' } }, property],
      },
    ].map((document) => JSON.stringify(document));
    workplace().write(
      new Map([
        ['bulky/json/a.json', documents.join('\n')],
        ['bulky/yaml/a.yaml', documents.map((document) => `---\n# YAML\n${document}\n`).join('')],
      ]),
    );
    for (const source of ['bulky/json', 'bulky/yaml']) {
      const report = await workplace().json('catalog', 'validate', source);
      expect(report).toMatchObject({ errors: 1, findings: [{ check: 'Properties', document: 3 }] });
    }
  });

  test('refuses what is no catalog: the image of a bundle, its folder, an empty one', async () => {
    const pushed = imageOf('1.0.0');
    const { code, stderr } = await workplace().run('catalog', 'validate', pushed);
    expect({ code, stderr }).toMatchObject({
      code: 1,
      stderr: expect.stringMatching(/CatalogInvalid.*gadget-operator/s),
    });
    for (const command of ['list', 'push'] as const) {
      const more = command === 'push' ? [`${registry.host}/team/hub:v1`] : [];
      expect((await workplace().run('catalog', command, pushed, ...more)).stderr).toContain('CatalogInvalid');
    }
    workplace().write(new Map([['empty/.indexignore', '*.txt\n']]));
    expect((await workplace().run('catalog', 'validate', 'bundles/1.0.0')).code).toBe(2);
    const report = await workplace().json('catalog', 'validate', 'empty');
    expect(report).toMatchObject({ errors: 1, findings: [{ check: 'NoPackages' }] });
  });

  test('leaves out what .indexignore names', async () => {
    workplace().write(
      new Map([
        ['ignoring/catalog.yaml', GOOD],
        ['ignoring/notes.txt', 'no catalog'],
        ['ignoring/.indexignore', '*.txt\n'],
      ]),
    );
    expect((await workplace().run('catalog', 'validate', 'ignoring')).code).toBe(0);
  });
});

describe('the image of a catalog', () => {
  test.each(['validate', 'inspect', 'render', 'pull'])('is refused as a bundle by bundle %s', async (command) => {
    const image = `${registry.host}/team/no-bundle:v1`;
    expect((await workplace().run('catalog', 'push', 'good', image)).code).toBe(0);
    const more = command === 'render' ? ['--namespace', 'ops'] : command === 'pull' ? ['pulled-catalog'] : [];
    const { code, stderr } = await workplace().run('bundle', command, image, ...more);
    expect({ code, stderr }).toMatchObject({ code: 1, stderr: expect.stringMatching(/BundleInvalid.*is a catalog/s) });
  });
});

describe('catalog list', () => {
  test('lists packages, channels and bundles in a stable shape', async () => {
    const list = (what: string): Promise<object> => workplace().json('catalog', 'list', 'good', what);
    expect(await list('packages')).toEqual({
      source: 'good',
      packages: [
        {
          name: 'gadget-operator',
          defaultChannel: 'stable',
          channels: 1,
          bundles: 2,
          heads: ['gadget-operator.v1.1.0'],
          deprecated: false,
        },
      ],
    });
    expect(await list('channels')).toEqual({
      source: 'good',
      channels: [
        {
          package: 'gadget-operator',
          name: 'stable',
          isDefault: true,
          heads: ['gadget-operator.v1.1.0'],
          entries: 2,
          deprecated: false,
        },
      ],
    });
    expect(await list('bundles')).toMatchObject({
      source: 'good',
      bundles: [
        { name: 'gadget-operator.v1.0.0', version: '1.0.0', channels: ['stable'], deprecated: true },
        { name: 'gadget-operator.v1.1.0', version: '1.1.0', channels: ['stable'], deprecated: false },
      ],
    });
  });

  test('prints a table for people', async () => {
    const { stdout } = await workplace().run('catalog', 'list', 'good');
    expect(stdout).toBe(
      'PACKAGE           DEFAULT CHANNEL   CHANNELS   BUNDLES   HEAD\n' +
        'gadget-operator   stable            1          2         gadget-operator.v1.1.0\n',
    );
    expect((await workplace().run('catalog', 'list', 'good', 'bundles')).stdout).toContain(
      'gadget-operator.v1.0.0 (deprecated)',
    );
  });

  test('lists one package on request, and refuses one that does not exist', async () => {
    expect((await workplace().run('catalog', 'list', 'good', '--package', 'gadget-operator')).code).toBe(0);
    expect((await workplace().run('catalog', 'list', 'good', '--package', 'other')).code).toBe(1);
  });

  test('refuses a catalog that cannot be read', async () => {
    const { code, stderr } = await workplace().run('catalog', 'list', 'broken');
    expect({ code, stderr }).toEqual({ code: 1, stderr: expect.stringContaining('slipway: CatalogInvalid') });
  });
});

describe('catalog build', () => {
  interface Document {
    readonly schema: string;
    readonly name: string;
    readonly image?: string;
    readonly defaultChannel?: string;
    readonly entries?: readonly object[];
    readonly properties?: readonly { readonly type: string }[];
  }
  const built = (folder: string): readonly Document[] => {
    const text = readFileSync(join(workplace().folder, folder, 'gadget-operator/catalog.json'), 'utf8');
    return text.split(/\n(?=\{)/).map((document) => JSON.parse(document) as Document);
  };
  const build = (...args: readonly string[]) => workplace().run('catalog', 'build', ...args);

  test('expands a basic template, with the bundles of its images', async () => {
    workplace().write(new Map([['basic.yaml', basic(['1.0.0', '1.1.0'])]]));
    expect(await build('from-basic', 'basic.yaml')).toEqual({
      code: 0,
      stderr: '',
      stdout: 'Wrote 1 file to from-basic\n',
    });
    const documents = built('from-basic');
    expect(documents.map(({ schema }) => schema)).toEqual(['olm.package', 'olm.channel', 'olm.bundle', 'olm.bundle']);
    expect(documents[3]).toMatchObject({ name: 'gadget-operator.v1.1.0', image: imageOf('1.1.0') });
    expect((await workplace().run('catalog', 'validate', 'from-basic', '--strict')).code).toBe(0);
  });

  test('makes channels out of a semver template', async () => {
    const bundles = ['1.0.0', '1.0.1', '1.1.0'].map((version) => `  - image: ${imageOf(version)}\n`);
    workplace().write(
      new Map([
        [
          'semver.yaml',
          `schema: olm.semver\nGenerateMajorChannels: true\nGenerateMinorChannels: false\nStable:\n  Bundles:\n${bundles.join('')}`,
        ],
      ]),
    );
    expect(await build('from-semver', 'semver.yaml')).toMatchObject({ code: 0, stderr: '' });
    const [head, channel] = built('from-semver');
    expect(head).toMatchObject({ schema: 'olm.package', defaultChannel: 'stable-v1' });
    expect(channel?.entries).toEqual([
      { name: 'gadget-operator.v1.0.0' },
      { name: 'gadget-operator.v1.0.1', skips: ['gadget-operator.v1.0.0'] },
      { name: 'gadget-operator.v1.1.0', replaces: 'gadget-operator.v1.0.1', skips: ['gadget-operator.v1.0.0'] },
    ]);
  });

  test('keeps the channels, edges and default channel that bundles state', async () => {
    const annotations = (channels: string): string =>
      `annotations:\n  ${Object.entries({
        'package.v1': 'stating',
        'channels.v1': channels,
        'channel.default.v1': 'slow',
      })
        .map(([key, value]) => `operators.operatorframework.io.bundle.${key}: "${value}"`)
        .join('\n  ')}\n`;
    const write = (version: string, channels: string, spec: object): void =>
      workplace().write(
        makeFiles({
          metadata: { name: `stating.v${version}` },
          spec: { version, ...spec },
          files: { 'metadata/annotations.yaml': annotations(channels) },
        }),
        `stating/${version}`,
      );
    write('1.0.0', 'fast,slow', {});
    write('1.1.0', 'fast', { replaces: 'stating.v1.0.0', skips: ['stating.v1.0.9'] });
    const sources = ['stating/1.0.0', 'stating/1.1.0', '--image-template', 'registry.example/stating:v{version}'];
    expect(await build('from-stating', ...sources)).toMatchObject({ code: 0, stderr: '' });
    const text = readFileSync(join(workplace().folder, 'from-stating/stating/catalog.json'), 'utf8');
    const [head, ...channels] = text.split(/\n(?=\{)/).map((document) => JSON.parse(document) as Document);
    expect(head).toMatchObject({ name: 'stating', defaultChannel: 'slow' });
    expect(channels.slice(0, 2)).toMatchObject([
      {
        name: 'fast',
        entries: [
          { name: 'stating.v1.0.0' },
          { name: 'stating.v1.1.0', replaces: 'stating.v1.0.0', skips: ['stating.v1.0.9'] },
        ],
      },
      { name: 'slow', entries: [{ name: 'stating.v1.0.0' }] },
    ]);
  });

  test('makes a package out of bundles alone, in which every version leads to every higher one, if asked to', async () => {
    const images = ['1.1.0', '1.0.0', '2.0.0-rc.1'].map(imageOf);
    expect(await build('from-bundles', ...images, '--graph', 'versions')).toMatchObject({ code: 0, stderr: '' });
    const [head, ...channels] = built('from-bundles').filter(({ schema }) => schema !== 'olm.bundle');
    expect(head).toMatchObject({ defaultChannel: 'stable' });
    expect(channels).toMatchObject([
      {
        name: 'stable',
        entries: [{ name: 'gadget-operator.v1.0.0' }, { replaces: 'gadget-operator.v1.0.0', skipRange: '<1.1.0' }],
      },
      { name: 'candidate', entries: [{}, {}, { name: 'gadget-operator.v2.0.0-rc.1' }] },
    ]);
  });

  test('needs the place of the images of folders, and gives the same catalog then', async () => {
    const folders = ['bundles/1.0.0', 'bundles/1.1.0'];
    expect((await build('from-folders', ...folders)).stderr).toContain('slipway: InputInvalid');
    const template = `${registry.host}/team/{package}:v{version}`;
    expect(await build('from-folders', ...folders, '--image-template', template)).toMatchObject({ code: 0 });
    await build('from-images', imageOf('1.0.0'), imageOf('1.1.0'));
    expect(built('from-folders')).toEqual(built('from-images'));
    expect((await build('x', ...folders, '--image-template', 'a/{tag}')).stderr).toContain('{tag}');
  });

  test('names images by digest, and contains whole manifests, on request', async () => {
    await build('pinned', imageOf('1.0.0'), '--pin', '--manifests', 'objects');
    const bundle = built('pinned').find(({ schema }) => schema === 'olm.bundle');
    expect(bundle?.image).toMatch(/:v1\.0\.0@sha256:[0-9a-f]{64}$/);
    expect(bundle?.properties?.map(({ type }) => type)).toContain('olm.bundle.object');
    await build('excerpt', imageOf('1.0.0'));
    expect(
      built('excerpt')
        .at(-1)
        ?.properties?.map(({ type }) => type),
    ).toEqual(['olm.package', 'olm.csv.metadata']);
  });

  test.each<{ because: string; suffix: string; image: RegExp }>([
    { because: 'by tag', suffix: ':v{version}', image: /:v1\.0\.0@sha256:[0-9a-f]{64}$/ },
    {
      because: 'by digest already',
      suffix: `@sha256:${'a'.repeat(64)}`,
      image: new RegExp(`operator@sha256:${'a'.repeat(64)}$`),
    },
  ])('names the image of a folder by digest too, on request: $because', async ({ suffix, image }) => {
    const template = `${registry.host}/team/{package}${suffix}`;
    const { code } = await build('pinned-folder', 'bundles/1.0.0', '--image-template', template, '--pin');
    expect(code).toBe(0);
    expect(built('pinned-folder').find(({ schema }) => schema === 'olm.bundle')?.image).toMatch(image);
  });

  test('writes nothing if the image of a folder that is to be named by digest is not there', async () => {
    const template = `${registry.host}/nowhere/{package}:v{version}`;
    const { code, stderr } = await build('pinned-none', 'bundles/1.0.0', '--image-template', template, '--pin');
    expect({ code, stderr }).toEqual({ code: 1, stderr: expect.stringContaining('ImageNotFound') });
  });

  test('writes nothing if the catalog has errors, unless they are ignored', async () => {
    workplace().write(
      new Map([['wrong.yaml', basic(['1.0.0']).replace('defaultChannel: stable', 'defaultChannel: none')]]),
    );
    const { code, stdout } = await build('wrong', 'wrong.yaml');
    expect({ code, written: existsSync(join(workplace().folder, 'wrong')) }).toEqual({ code: 2, written: false });
    expect(stdout).toMatch(/\(DefaultChannel\)[^]*Nothing is written\n$/);
    expect((await build('wrong', 'wrong.yaml', '--no-check')).code).toBe(0);
    expect(built('wrong')).toHaveLength(3);
  });

  test.each([
    { because: 'a file that is no template', text: 'schema: olm.package\nname: x\n' },
    { because: 'a file that is no object', text: '[]' },
    {
      because: 'a package whose name leads elsewhere',
      text: 'schema: olm.template.basic\nentries: [{schema: olm.package, name: ../../x}]\n',
    },
  ])('refuses $because', async ({ text }) => {
    workplace().write(new Map([['odd.yaml', text]]));
    const { code, stderr } = await build('odd', 'odd.yaml', '--no-check');
    expect({ code, stderr }).toEqual({ code: 1, stderr: expect.stringContaining('slipway: InputInvalid') });
    expect(existsSync(join(workplace().folder, 'odd'))).toBe(false);
  });

  test('refuses two bundles of one name', async () => {
    const { code, stderr } = await build('twice', imageOf('1.0.0'), `${imageOf('1.0.0')}@${await digest('1.0.0')}`);
    expect({ code, stderr }).toEqual({ code: 1, stderr: expect.stringContaining('slipway: InputInvalid') });
  });

  async function digest(version: string): Promise<string> {
    return (await workplace().json<{ readonly digest: string }>('bundle', 'inspect', imageOf(version))).digest;
  }

  function basic(versions: readonly string[]): string {
    return [
      'schema: olm.template.basic',
      'entries:',
      '- {schema: olm.package, name: gadget-operator, defaultChannel: stable}',
      `- {schema: olm.channel, package: gadget-operator, name: stable, entries: [${versions
        .map(
          (version, index) =>
            `{name: gadget-operator.v${version}${index === 0 ? '' : `, replaces: gadget-operator.v${versions[index - 1]}`}}`,
        )
        .join(', ')}]}`,
      ...versions.map((version) => `- {schema: olm.bundle, image: '${imageOf(version)}'}`),
      '',
    ].join('\n');
  }
});

describe('catalog push', () => {
  test('pushes the files below the folder that the label names; the same catalog has the same digest', async () => {
    const target = `${registry.host}/team/catalog:latest`;
    const { code, stdout } = await workplace().run('catalog', 'push', 'good', target);
    expect({ code, stdout }).toEqual({ code: 0, stdout: expect.stringMatching(/^sha256:[0-9a-f]{64}\n$/) });
    expect(await workplace().json('catalog', 'push', 'good', target)).toEqual({
      source: 'good',
      reference: `${target}@${stdout.trim()}`,
      digest: stdout.trim(),
    });
    const client = createRegistry();
    const { files, labels } = await pullFiles(client, registry.reference('team/catalog:latest'), { folders: [''] });
    client.close();
    expect(labels).toEqual({ 'operators.operatorframework.io.index.configs.v1': '/configs' });
    expect(Buffer.from(files.get('configs/catalog.yaml') ?? '').toString()).toBe(GOOD);
    expect([...files.keys()]).toEqual(['configs/catalog.yaml']);
  });

  test('is read back like its folder', async () => {
    const target = `${registry.host}/team/catalog:back`;
    const { stdout } = await workplace().run('catalog', 'push', 'good', target);
    const folder = await workplace().json<object>('catalog', 'list', 'good', 'bundles');
    expect(await workplace().json('catalog', 'list', target, 'bundles')).toEqual({
      ...folder,
      source: target,
      digest: stdout.trim(),
    });
    expect((await workplace().run('catalog', 'validate', target)).code).toBe(0);
  });

  test('pushes nothing that has errors, unless they do not matter', async () => {
    const before = registry.requests.length;
    const { code, stdout } = await workplace().run('catalog', 'push', 'bad', `${registry.host}/team/bad:latest`);
    expect({ code, requests: registry.requests.length }).toEqual({ code: 2, requests: before });
    expect(stdout).toContain('(DefaultChannel)');
    expect(
      (await workplace().run('catalog', 'push', 'bad', `${registry.host}/team/bad:latest`, '--no-check')).code,
    ).toBe(0);
  });
});
