import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { startFakeRegistry, type FakeRegistry } from '../../../oci/testing/fake-registry.ts';
import { useWorkplace } from '../testing/slipway.ts';
import type { WhyAnswer } from '../../../report/why-answer.ts';

const workplace = useWorkplace();
let registry: FakeRegistry;

beforeAll(async () => {
  registry = await startFakeRegistry();
  workplace().write(
    new Map([
      ['team/catalog.yaml', TEAM],
      ['hub/catalog.yaml', HUB],
      ['broken/a.json', '{"schema":'],
    ]),
  );
});
afterAll(() => registry.close());

function bundle(packageName: string, version: string, ...properties: readonly object[]): string {
  const known = { type: 'olm.package', value: { packageName, version } };
  const name = `${packageName}.v${version}`;
  const image = `registry.example/${packageName}:v${version}`;
  return JSON.stringify({
    schema: 'olm.bundle',
    package: packageName,
    name,
    image,
    properties: [known, ...properties],
  });
}

const NEEDS_LAMP = { type: 'olm.package.required', value: { packageName: 'lamp', versionRange: '>=1.0.0' } };
const NEEDS_CLUSTER = { type: 'olm.csv.metadata', value: { minKubeVersion: '1.33.0' } };

const TEAM = `
{"schema": "olm.package", "name": "gadget", "defaultChannel": "stable"}
---
{"schema": "olm.channel", "package": "gadget", "name": "stable", "entries": [{"name": "gadget.v1.0.0"},
  {"name": "gadget.v1.1.0", "replaces": "gadget.v1.0.0"}, {"name": "gadget.v2.0.0", "replaces": "gadget.v1.1.0"}]}
---
{"schema": "olm.channel", "package": "gadget", "name": "fast", "entries": [{"name": "gadget.v3.0.0", "skipRange": ">=2.0.0 <3.0.0"}]}
---
${[bundle('gadget', '1.0.0'), bundle('gadget', '1.1.0'), bundle('gadget', '2.0.0', NEEDS_CLUSTER), bundle('gadget', '3.0.0', NEEDS_LAMP)].join('\n---\n')}
`;
const HUB = [
  { schema: 'olm.package', name: 'lamp', defaultChannel: 'stable' },
  { schema: 'olm.channel', package: 'lamp', name: 'stable', entries: [{ name: 'lamp.v1.2.0' }] },
  {
    schema: 'olm.deprecations',
    package: 'lamp',
    entries: [{ reference: { schema: 'olm.package' }, message: 'use a torch' }],
  },
  { schema: 'olm.package', name: 'gadget', defaultChannel: 'stable' },
  { schema: 'olm.channel', package: 'gadget', name: 'stable', entries: [{ name: 'gadget.v1.5.0' }] },
]
  .map((document) => JSON.stringify(document))
  .concat(bundle('lamp', '1.2.0'), bundle('gadget', '1.5.0'))
  .join('\n---\n');

const ask = (...args: readonly string[]): Promise<WhyAnswer> => workplace().json<WhyAnswer>(...args);

describe('why PACKAGE', () => {
  test('prints the whole path, with each edge and why no step can be left out', async () => {
    const { code, stdout } = await workplace().run('why', 'gadget', '--catalog', 'team', '--installed', '1.0.0');
    expect(code).toBe(0);
    expect(stdout).toBe(
      [
        'gadget.v1.1.0 from channel "stable" of catalog team, the first of 2 steps to gadget.v2.0.0',
        'The way:',
        '  gadget.v1.1.0 (1.1.0): it replaces what is before it; it cannot be left out, as gadget.v2.0.0 does not accept gadget.v1.0.0',
        '  gadget.v2.0.0 (2.0.0): it replaces what is before it',
        'Passed over:',
        '  gadget.v3.0.0: it is only in channel fast',
        '',
      ].join('\n'),
    );
  });

  test('prints its dependencies, from all catalogs that are named', async () => {
    const flags = ['--catalog', 'team', '--catalog', 'hub', '--channel', 'fast'];
    expect((await workplace().run('why', 'gadget', ...flags)).stdout).toContain(
      'Before it:\n  install lamp.v1.2.0 from catalog hub, needed by gadget\n',
    );
    expect(await ask('why', 'gadget', ...flags)).toMatchObject({
      chosen: true,
      reason: 'Installing',
      available: { bundle: 'gadget.v3.0.0', version: '3.0.0' },
      dependencies: [
        {
          kind: 'install',
          package: 'lamp',
          bundle: 'lamp.v1.2.0',
          version: '1.2.0',
          catalog: 'hub',
          neededBy: ['gadget'],
        },
      ],
    });
  });

  test('prints why no version is chosen, by the fewest facts, and the changes that would help', async () => {
    const { code, stdout } = await workplace().run('why', 'gadget', '--catalog', 'team', '--channel', 'fast');
    expect({ code, stdout }).toEqual({
      code: 2,
      stdout: [
        'Nothing of gadget is chosen (ResolutionFailed).',
        'These cannot hold together:',
        '  the dependencies of gadget.v3.0.0 cannot be satisfied: gadget.v3.0.0 needs lamp in ">=1.0.0", which no catalog has',
        '  the channel is "fast"',
        'What would change it:',
        '  Set channel to "stable", which gives 2.0.0',
        '  Add a catalog that has lamp in ">=1.0.0"',
        '',
      ].join('\n'),
    });
  });

  test.each([
    { because: 'the default channel is asked', flags: [], gives: '2.0.0' },
    { because: 'another channel is asked', flags: ['--channel', 'fast', '--dependencies', 'Ignore'], gives: '3.0.0' },
    { because: 'a range is asked', flags: ['--version', '~1'], gives: '1.1.0' },
    { because: 'the cluster is too old for the head', flags: ['--kubernetes-version', '1.32'], gives: '1.1.0' },
    { because: 'the cluster is new enough', flags: ['--kubernetes-version', 'v1.33.1'], gives: '2.0.0' },
    { because: 'the installed version stays', flags: ['--installed', '2.0.0'], gives: '2.0.0' },
    { because: 'it is named by its bundle', flags: ['--installed', 'gadget.v2.0.0'], gives: '2.0.0' },
    {
      because: 'the graph is left aside',
      flags: ['--installed', '2.0.0', '--edges', 'Ignore', '--version', '1.0.0'],
      gives: '1.0.0',
    },
    { because: 'a catalog behind it does not count', flags: ['--catalog', 'hub'], gives: '2.0.0' },
  ])('decides as a Subscription would: $because', async ({ flags, gives }) => {
    expect(await ask('why', 'gadget', '--catalog', 'team', ...flags)).toMatchObject({
      chosen: true,
      available: { version: gives },
    });
  });

  test('a catalog that is named first takes precedence over the others', async () => {
    expect(await ask('why', 'gadget', '--catalog', 'hub', '--catalog', 'team')).toMatchObject({
      available: { version: '1.5.0' },
    });
  });

  test('a dependency that may not be installed is missing: no other operator counts as installed', async () => {
    const flags = ['--catalog', 'team', '--catalog', 'hub', '--channel', 'fast', '--dependencies', 'Require'];
    expect(await ask('why', 'gadget', ...flags)).toMatchObject({
      chosen: false,
      changes: expect.arrayContaining(['Set dependencies to Install']),
    });
  });

  test('prints the advice of the catalog against it', async () => {
    expect((await workplace().run('why', 'lamp', '--catalog', 'hub')).stdout).toContain('Deprecated:\n  use a torch\n');
    expect(await ask('why', 'lamp', '--catalog', 'hub')).toMatchObject({ deprecations: ['use a torch'] });
  });

  test('reads a catalog from an image and from a file as well', async () => {
    const image = `${registry.host}/team/catalog:latest`;
    expect((await workplace().run('catalog', 'push', 'team', image)).code).toBe(0);
    for (const source of [image, 'team/catalog.yaml']) {
      expect(await ask('why', 'gadget', '--catalog', source)).toMatchObject({ available: { version: '2.0.0' } });
    }
  });
});

describe('why-not PACKAGE@VERSION', () => {
  test('prints the cause at its shortest, the changes that would help, and the version that is chosen instead', async () => {
    const { code, stdout } = await workplace().run('why-not', 'gadget@3.0.0', '--catalog', 'team', '--catalog', 'hub', '--installed', '2.0.0'); // prettier-ignore
    expect({ code, stdout }).toEqual({
      code: 2,
      stdout: [
        'gadget.v3.0.0 is not chosen: it is only in channel fast',
        'What would change it:',
        '  Set channel to "fast", which gives 3.0.0',
        'The decision now:',
        '  gadget.v2.0.0 is the newest that channel "stable" of catalog team allows',
        '',
      ].join('\n'),
    });
  });

  test.each([
    { because: 'it is where the path ends', subject: 'gadget@2.0.0', code: 0, standing: 'Chosen' },
    { because: 'it is on the way there', subject: 'gadget@1.1.0', code: 0, standing: 'OnTheWay' },
    { because: 'it is installed, and is replaced', subject: 'gadget@1.0.0', code: 2, standing: 'Installed' },
    { because: 'it is meant by the name of its bundle', subject: 'gadget@gadget.v3.0.0', code: 2, standing: 'Refused' },
    { because: 'no catalog has it', subject: 'gadget@4.0.0', code: 2, standing: 'NotOffered' },
    { because: 'no catalog has the package', subject: 'gizmo@2.0.0', code: 2, standing: 'NotOffered' },
  ])('has an exit code for how it stands, as `why` has for the same version: $because', async (row) => {
    for (const command of ['why', 'why-not']) {
      const args = [command, row.subject, '--catalog', 'team', '--installed', '1.0.0'];
      expect((await workplace().run(...args)).code).toBe(row.code);
      const { standing, chosen, causes } = await ask(...args);
      expect({ standing, chosen }).toEqual({ standing: row.standing, chosen: row.code === 0 });
      expect(causes.length > 0).toBe(row.code === 2);
    }
  });

  test('has one shape for programs', async () => {
    expect(await ask('why-not', 'gadget@1.0.0', '--catalog', 'team', '--installed', '2.0.0')).toEqual({
      package: 'gadget',
      version: '1.0.0',
      chosen: false,
      standing: 'Refused',
      causes: ['gadget.v1.0.0 is not chosen: it is lower than gadget.v2.0.0, and following the graph never goes down'],
      changes: ['Set version to 1.0.0, and set edges to Ignore to go down to 1.0.0'],
      reason: 'UpToDate',
      message: 'gadget.v2.0.0 is the newest that channel "stable" of catalog team allows',
      installed: { bundle: 'gadget.v2.0.0', version: '2.0.0' },
      available: { bundle: 'gadget.v2.0.0', version: '2.0.0' },
      path: [],
      dependencies: [],
      deprecations: [],
      refused: [
        {
          bundle: 'gadget.v3.0.0',
          version: '3.0.0',
          catalog: 'team',
          reason: 'ChannelNotFound',
          message: 'it is only in channel fast',
        },
      ],
    });
  });
});

describe('a question that cannot be answered', () => {
  test.each([
    { because: 'a version is missing', args: ['why-not', 'gadget', '--catalog', 'team'] },
    { because: 'it is empty', args: ['why', 'gadget@', '--catalog', 'team'] },
    { because: 'no package is named', args: ['why', '@1.0.0', '--catalog', 'team'] },
    { because: 'the folder is not there', args: ['why', 'gadget', '--catalog', 'nothing'] },
    { because: 'what is installed is no version', args: ['why', 'gadget', '--catalog', 'team', '--installed', 'x'] },
    {
      because: 'the version of the cluster is none',
      args: ['why', 'gadget', '--catalog', 'team', '--kubernetes-version', 'new'],
    },
    { because: 'a flag is about a cluster', args: ['why', 'gadget', '--catalog', 'team', '--namespace', 'x'] },
    { because: 'a flag is about catalogs', args: ['why', 'gadget', '--channel', 'fast'] },
    { because: 'there is no API server to ask', args: ['why', 'gadget'] },
  ])('is refused, with what to do: $because', async ({ args }) => {
    const { code, stdout, stderr } = await workplace().run(...args);
    expect({ code, stdout }).toEqual({ code: 1, stdout: '' });
    expect(stderr).toMatch(/^slipway: InputInvalid: .*\n {2}\S.*\n$/);
  });

  test('that cannot be given since the catalog is unreadable names the catalog', async () => {
    const { code, stderr } = await workplace().run('why', 'gadget', '--catalog', 'broken');
    expect({ code, stderr }).toEqual({ code: 1, stderr: expect.stringContaining('slipway: CatalogInvalid') });
  });

  test('for the range cannot be parsed, is answered: nothing is chosen by it', async () => {
    expect(await ask('why', 'gadget', '--catalog', 'team', '--version', '>>1')).toMatchObject({
      chosen: false,
      reason: 'InvalidVersionRange',
    });
  });
});
