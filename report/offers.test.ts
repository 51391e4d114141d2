import { expect, test } from 'vitest';
import { packageRows, versionRows, type OfferedVersion } from './offers.ts';
import { INSTALLED, subscription } from './testing/objects.ts';

const bundle = (version: string) => ({
  schema: 'olm.bundle',
  package: 'gadget',
  name: `gadget.v${version}`,
  properties: [{ type: 'olm.package', value: { packageName: 'gadget', version } }],
});
const PACKAGES = [
  { schema: 'olm.package', name: 'gadget', defaultChannel: 'stable', description: 'Makes\n  gadgets.' },
  { schema: 'olm.package', name: 'lamp', defaultChannel: 'alpha', description: '\u001b[2JLights a room.' },
];
const CHANNELS = [
  { schema: 'olm.channel', package: 'gadget', name: 'stable', entries: [{ name: 'gadget.v1.0.0' }, { name: 'gadget.v1.10.0', replaces: 'gadget.v1.0.0', skips: ['gadget.v1.9.0'] }, { name: 'gadget.v1.9.0' }] }, // prettier-ignore
  { schema: 'olm.channel', package: 'gadget', name: 'fast', entries: [{ name: 'gadget.v1.10.0' }] },
];
const BUNDLES = [bundle('1.0.0'), bundle('1.9.0'), bundle('1.10.0'), bundle('odd')];
const OFFER: OfferedVersion = { catalog: 'team', packages: PACKAGES, channels: CHANNELS, bundles: BUNDLES };
const USER = subscription({ status: { installed: INSTALLED } });

test('a package has its heads, its channels and the Subscriptions that use it', () => {
  const [gadget, lamp] = packageRows([OFFER], [USER]);
  expect(gadget).toEqual({
    catalog: 'team',
    name: 'gadget',
    defaultChannel: 'stable',
    channels: ['fast', 'stable'],
    heads: ['gadget.v1.10.0'],
    description: 'Makes gadgets.',
    installed: ['ops/gadget 1.0.0'],
  });
  expect(lamp).toMatchObject({ name: 'lamp', heads: [], installed: [] });
});

test.each([
  { because: 'a part of the name', term: 'GADG', names: ['gadget'] },
  { because: 'a part of the description', term: 'room', names: ['lamp'] },
  { because: 'neither', term: 'boat', names: [] },
])('a search finds $names: $because', ({ term, names }) => {
  expect(packageRows([OFFER], [], term).map(({ name }) => name)).toEqual(names);
});

test('versions are in their order as versions, those that cannot be parsed last', () => {
  const rows = versionRows([OFFER], [USER], 'gadget');
  expect(rows.map(({ version }) => version)).toEqual(['1.10.0', '1.9.0', '1.0.0', 'odd']);
  expect(rows[0]).toMatchObject({ channels: ['fast', 'stable'], installed: [] });
  expect(rows[2]).toMatchObject({ installed: ['ops/gadget'] });
});
