import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeEach, describe, expect, test } from 'vitest';
import { makeFiles } from '../../../../bundles/testing/bundle.ts';
import { useWorkplace } from '../../testing/slipway.ts';

const workplace = useWorkplace();
const IMAGE = ['--image-template', `registry.example/gadget@sha256:${'a'.repeat(64)}`];

/** The document of a bundle as YAML, as a person would write it. */
function bundle(version: string): string {
  return `---
schema: olm.bundle
package: gadget-operator
name: gadget-operator.v${version}
image: registry.example/gadget@sha256:${'1'.repeat(64)}
properties: [{type: olm.package, value: {packageName: gadget-operator, version: ${version}}}]
`;
}

const CATALOG = `# Kept by hand.
schema: olm.package
name: gadget-operator
defaultChannel: stable
---
schema: olm.channel
package: gadget-operator
name: stable
entries:
- name: gadget-operator.v1.0.0
---
schema: olm.channel
package: gadget-operator
name: candidate
entries:
- name: gadget-operator.v1.0.0
- name: gadget-operator.v1.1.0 # on trial
  replaces: gadget-operator.v1.0.0
${bundle('1.0.0')}${bundle('1.1.0')}`;

let at = 0;
/** A folder of its own for each test. */
let folder = '';
beforeEach(() => {
  at += 1;
  folder = `catalog-${at}`;
  workplace().write(new Map([['catalog.yaml', CATALOG]]), folder);
  for (const version of ['1.2.0', '1.0.5'])
    workplace().write(
      makeFiles({ metadata: { name: `gadget-operator.v${version}` }, spec: { version } }),
      `bundles/${version}`,
    );
});

const text = (path = 'catalog.yaml'): string => readFileSync(join(workplace().folder, folder, path), 'utf8');

describe('catalog add', () => {
  test('adds a bundle as the upgrade of the head, shows the difference, and keeps the rest of the file', async () => {
    const { code, stdout, stderr } = await workplace().run('catalog', 'add', folder, 'bundles/1.2.0', ...IMAGE);
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
    expect(stdout).toContain('  ~ channel stable: head gadget-operator.v1.0.0 → gadget-operator.v1.2.0\n');
    expect(stdout).toMatch(/\nWrote catalog\.yaml\n$/);
    const kept = CATALOG.replace(
      '- name: gadget-operator.v1.0.0\n',
      '- name: gadget-operator.v1.0.0\n- name: gadget-operator.v1.2.0\n  replaces: gadget-operator.v1.0.0\n',
    );
    const added = '---\nschema: olm.bundle\nname: gadget-operator.v1.2.0\n';
    expect(text().slice(0, kept.length + added.length)).toBe(kept + added);
    expect((await workplace().run('catalog', 'validate', folder)).code).toBe(0);
  });

  test('is idle in a second run', async () => {
    await workplace().run('catalog', 'add', folder, 'bundles/1.2.0', ...IMAGE);
    const before = text();
    const again = await workplace().run('catalog', 'add', folder, 'bundles/1.2.0', ...IMAGE);
    expect(again).toEqual({ code: 0, stdout: 'gadget-operator.v1.2.0 is in the catalog already\n', stderr: '' });
    expect(text()).toBe(before);
  });

  test('makes a catalog that does not exist', async () => {
    const { code } = await workplace().run('catalog', 'add', `${folder}-new`, 'bundles/1.2.0', ...IMAGE);
    expect(code).toBe(0);
    expect((await workplace().run('catalog', 'validate', `${folder}-new`, '--strict')).code).toBe(0);
    expect((await workplace().run('catalog', 'lint', `${folder}-new`, '--strict')).code).toBe(0);
  });

  test('writes nothing with --dry-run, and reports the same', async () => {
    const report = await workplace().json('catalog', 'add', folder, 'bundles/1.2.0', '--dry-run', ...IMAGE);
    expect(report).toMatchObject({
      folder,
      package: 'gadget-operator',
      written: false,
      files: [{ path: 'catalog.yaml', change: 'changed' }],
      packages: [{ package: 'gadget-operator', change: 'changed' }],
      errors: 0,
    });
    expect(text()).toBe(CATALOG);
  });

  test('writes nothing if a user would be stranded, unless it is forced', async () => {
    const edges = ['--channel', 'candidate', '--skips', 'gadget-operator.v1.0.0'];
    const { code, stdout } = await workplace().run('catalog', 'add', folder, 'bundles/1.2.0', ...edges, ...IMAGE);
    expect({ code, stdout }).toEqual({
      code: 2,
      stdout: expect.stringMatching(/\(MultipleHeads\)[^]*\(dead-end\)[^]*\nNothing is written\n$/),
    });
    expect(text()).toBe(CATALOG);
    expect(
      (await workplace().run('catalog', 'add', folder, 'bundles/1.2.0', ...edges, '--no-check', ...IMAGE)).code,
    ).toBe(0);
    expect(text()).toContain('gadget-operator.v1.2.0');
  });

  test('does not complain about errors that the catalog has already', async () => {
    workplace().write(
      new Map([['catalog.yaml', CATALOG.replace('defaultChannel: stable', 'defaultChannel: none')]]),
      folder,
    );
    expect(
      (await workplace().run('catalog', 'add', folder, 'bundles/1.2.0', '--channel', 'stable', ...IMAGE)).code,
    ).toBe(0);
  });

  test.each([
    {
      because: 'the version is lower than the head',
      args: ['bundles/1.0.5', '--channel', 'candidate', ...IMAGE],
      message: /InputInvalid: the head .* is higher than gadget-operator\.v1\.0\.5/,
    },
    {
      because: 'nothing says where the image is',
      args: ['bundles/1.2.0'],
      message: /InputInvalid: bundles\/1\.2\.0 is a folder/,
    },
    { because: 'there is no such bundle', args: ['bundles/9.9.9'], message: /InputInvalid: there is no folder/ },
  ])('is refused, and changes nothing: $because', async ({ args, message }) => {
    const { code, stdout, stderr } = await workplace().run('catalog', 'add', folder, ...args);
    expect({ code, stdout, stderr }).toEqual({ code: 1, stdout: '', stderr: expect.stringMatching(message) });
    expect(text()).toBe(CATALOG);
  });
});

describe('catalog promote', () => {
  const promote = (...args: readonly string[]) =>
    workplace().run('catalog', 'promote', folder, 'gadget-operator', ...args);

  test('puts a version into a further channel, once', async () => {
    const args = ['1.1.0', '--from', 'candidate', '--to', 'stable'];
    expect((await promote(...args)).code).toBe(0);
    expect(text()).toBe(
      CATALOG.replace(
        '- name: gadget-operator.v1.0.0\n',
        '- name: gadget-operator.v1.0.0\n- name: gadget-operator.v1.1.0\n  replaces: gadget-operator.v1.0.0\n',
      ),
    );
    expect(await promote(...args)).toEqual({
      code: 0,
      stdout: 'Channel stable of package gadget-operator has 1.1.0 already\n',
      stderr: '',
    });
  });

  test('is refused for a version that the channel does not have', async () => {
    const { code, stderr } = await promote('1.1.0', '--from', 'stable', '--to', 'lts');
    expect({ code, stderr }).toEqual({
      code: 1,
      stderr: expect.stringMatching(/^slipway: InputInvalid: channel "stable" .* has no version 1\.1\.0\n/),
    });
  });
});

describe('catalog remove', () => {
  const remove = (...args: readonly string[]) => workplace().run('catalog', 'remove', folder, ...args);

  test('removes a version from all channels, once', async () => {
    expect((await remove('gadget-operator', '1.1.0')).code).toBe(0);
    expect(text()).toBe(
      CATALOG.replace(/- name: gadget-operator.v1.1.0 # on trial\n.*\n/, '').replace(bundle('1.1.0'), ''),
    );
    expect((await remove('gadget-operator', '1.1.0')).stdout).toBe(
      'The catalog does not have 1.1.0 of package gadget-operator\n',
    );
  });

  test('removes a package, and its file with its last document', async () => {
    expect(await remove('gadget-operator')).toMatchObject({
      code: 0,
      stdout: expect.stringMatching(/\nRemoved catalog\.yaml\n$/),
    });
    expect(existsSync(join(workplace().folder, folder, 'catalog.yaml'))).toBe(false);
  });
});

describe('catalog diff', () => {
  test('lists each difference as text, Markdown and data', async () => {
    const other = CATALOG.replace('candidate\nentries:', 'candidate\nentries: # new')
      .replace('defaultChannel: stable', 'defaultChannel: candidate')
      .replace('  replaces: gadget-operator.v1.0.0', '  skips: [gadget-operator.v1.0.0]')
      .replace(/1{64}/, '2'.repeat(64))
      .concat(
        '---\nschema: olm.deprecations\npackage: gadget-operator\nentries: [{reference: {schema: olm.channel, name: candidate}, message: use stable}]\n',
      );
    workplace().write(new Map([['catalog.yaml', other]]), `${folder}-other`);
    const args = ['catalog', 'diff', folder, `${folder}-other`];
    const { code, stdout, stderr } = await workplace().run(...args);
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
    const lines = [
      '~ default channel: stable → candidate',
      `~ bundle gadget-operator.v1.0.0: image registry.example/gadget@sha256:${'1'.repeat(64)} → registry.example/gadget@sha256:${'2'.repeat(64)}`,
      '+ channel candidate: gadget-operator.v1.1.0 skips gadget-operator.v1.0.0',
      '- channel candidate: gadget-operator.v1.1.0 replaces gadget-operator.v1.0.0',
      '+ deprecation of channel candidate: use stable',
    ];
    expect(stdout).toBe(`~ package gadget-operator\n${lines.map((line) => `  ${line}\n`).join('')}`);
    expect((await workplace().run(...args, '-o', 'markdown')).stdout).toBe(
      `### Package \`gadget-operator\` is changed\n\n\`\`\`text\n${lines.map((line) => `${line}\n`).join('')}\`\`\`\n`,
    );
    expect(await workplace().json(...args)).toMatchObject({
      from: { source: folder },
      packages: [
        {
          change: 'changed',
          defaultChannel: { from: 'stable', to: 'candidate' },
          bundles: {
            added: [],
            removed: [],
            changed: [{ name: 'gadget-operator.v1.0.0', properties: [], relatedImages: false }],
          },
          edges: { added: [{ channel: 'candidate', kind: 'skips' }], removed: [{ kind: 'replaces' }] },
          deprecations: { added: [{ schema: 'olm.channel', name: 'candidate', message: 'use stable' }] },
        },
      ],
    });
  });

  test.each([
    {
      because: 'comments and order are no difference',
      change: (all: string) => `# other\n${all.split('---\n').toReversed().join('---\n')}`,
      shows: /^The catalogs are the same\n$/,
    },
    {
      because: 'a package is new',
      change: (all: string) => `${all}---\n${all.replaceAll('gadget-operator', 'other')}`,
      shows: /^\+ package other\n {2}\+ bundle other\.v1\.0\.0 /,
    },
    {
      because: 'a package is gone',
      change: (all: string) => all.replaceAll('gadget-operator', 'other'),
      shows: /^- package gadget-operator\n[^]*\n\+ package other\n/,
    },
    {
      because: 'a bundle has other properties',
      change: (all: string) => all.replace('properties: [', 'properties: [{type: x, value: 1}, '),
      shows: /~ bundle gadget-operator\.v1\.0\.0: properties x\n/,
    },
    {
      because: 'a version is lower',
      change: (all: string) => all.replace('version: 1.1.0', 'version: 1.0.9'),
      shows: /~ bundle gadget-operator\.v1\.1\.0: version 1\.1\.0 → 1\.0\.9\n/,
    },
  ])('$because', async ({ change, shows }) => {
    workplace().write(new Map([['catalog.yaml', change(CATALOG)]]), `${folder}-other`);
    expect((await workplace().run('catalog', 'diff', folder, `${folder}-other`)).stdout).toMatch(shows);
  });

  test('compares one package, and refuses one that neither catalog has', async () => {
    expect((await workplace().run('catalog', 'diff', folder, folder, '--package', 'gadget-operator')).code).toBe(0);
    const { code, stderr } = await workplace().run('catalog', 'diff', folder, folder, '--package', 'lamp');
    expect({ code, stderr }).toEqual({
      code: 1,
      stderr: expect.stringMatching(/^slipway: InputInvalid: neither catalog has a package "lamp"/),
    });
  });
});
