import { describe, expect, test } from 'vitest';
import type { Fields } from '../../api/untyped.ts';
import { headQueriesOf, queriesOf } from './content.ts';
import { CONTENT_LIMITS, iconOf, reduceListing, reducePackage, withAbout } from './reduce-content.ts';

const PNG = { mediatype: 'image/png', base64data: 'iVBORw0KGgo=' };
const packageOf = (name: string, fields: Fields = {}): Fields => ({
  schema: 'olm.package',
  name,
  defaultChannel: 'stable',
  ...fields,
});
const channelOf = (name: string, entries: readonly object[], packageName = 'thing'): Fields => ({ schema: 'olm.channel', package: packageName, name, entries }); // prettier-ignore
const bundleOf = (version: string, properties: readonly object[] = []): Fields => ({
  schema: 'olm.bundle',
  package: 'thing',
  name: `thing.v${version}`,
  image: `registry.example/thing:${version}`,
  properties: [{ type: 'olm.package', value: { packageName: 'thing', version } }, ...properties],
});
const ABOUT = {
  type: 'olm.csv.metadata',
  value: {
    displayName: 'Thing',
    description: '# Makes things',
    provider: { name: 'Example' },
    annotations: { categories: 'Database, Big Data,Database', capabilities: 'Deep Insights' },
    keywords: ['a', 7],
    links: [{ name: 'Source', url: 'https://example.com' }],
    installModes: [
      { type: 'AllNamespaces', supported: true },
      { type: 'OwnNamespace', supported: false },
    ],
    crdDescriptions: {
      owned: [{ name: 'gadgets.example.com', kind: 'Gadget', version: 'v1', displayName: 'A gadget' }],
    },
  },
};
const DOCUMENTS: readonly Fields[] = [
  packageOf('thing', { description: 'Makes things', icon: PNG }),
  packageOf('lamp'),
  channelOf('stable', [{ name: 'thing.v1.0.0' }, { name: 'thing.v1.1.0', replaces: 'thing.v1.0.0' }]),
  channelOf('fast', [{ name: 'thing.v1.1.0' }]),
  {
    schema: 'olm.deprecations',
    package: 'lamp',
    entries: [{ reference: { schema: 'olm.package' }, message: 'it is over' }],
  },
];

describe('the listing of a Catalog', () => {
  test('has each package with its channels, its heads and the marks of tiles, by name', () => {
    expect(reduceListing(DOCUMENTS)).toEqual({
      packages: [
        { name: 'lamp', defaultChannel: 'stable', channels: [], heads: [], description: '', hasIcon: false, deprecation: 'it is over' }, // prettier-ignore
        { name: 'thing', defaultChannel: 'stable', channels: ['fast', 'stable'], heads: ['thing.v1.1.0'], description: 'Makes things', hasIcon: true }, // prettier-ignore
      ],
      omitted: 0,
    });
  });

  test('asks for the heads alone, and has their texts for people once they are read', () => {
    const listing = reduceListing(DOCUMENTS);
    expect(headQueriesOf(listing)).toEqual([{ schema: 'olm.bundle', package: 'thing', name: 'thing.v1.1.0' }]);
    const known = withAbout(listing, [bundleOf('1.1.0', [ABOUT])]);
    expect(known.packages[1]?.about).toEqual({
      title: 'Thing',
      provider: 'Example',
      version: '1.1.0',
      categories: ['Database', 'Big Data'],
    });
    expect(headQueriesOf(known)).toEqual([]);
  });

  test('is bounded, and counts the packages that it leaves out', () => {
    const many = Array.from({ length: CONTENT_LIMITS.packages + 3 }, (_, at) => packageOf(`p${at}`, { description: 'x'.repeat(10_000) })); // prettier-ignore
    const { packages, omitted } = reduceListing(many);
    expect([packages.length, omitted]).toEqual([CONTENT_LIMITS.packages, 3]);
    expect(packages[0]?.description).toHaveLength(CONTENT_LIMITS.description);
  });
});

describe('one package', () => {
  test('has the graph of its channels, and texts for people of the heads', () => {
    const found = reducePackage('thing', [...DOCUMENTS, bundleOf('1.0.0', [ABOUT]), bundleOf('1.1.0', [ABOUT])]);
    expect(found?.content).toMatchObject({
      name: 'thing',
      channels: [{ name: 'stable' }, { name: 'fast' }],
      bundles: [{ version: '1.0.0' }, { version: '1.1.0' }],
    });
    expect([...(found?.about.keys() ?? [])]).toEqual(['thing.v1.1.0']);
    expect(found?.about.get('thing.v1.1.0')).toMatchObject({
      capabilities: 'Deep Insights',
      installModes: ['AllNamespaces'],
      keywords: ['a'],
      provides: [{ kind: 'Gadget', group: 'example.com', version: 'v1', title: 'A gadget' }],
    });
  });

  test.each([
    { because: 'the Catalog does not have it', documents: DOCUMENTS, name: 'gone' },
    { because: 'its document cannot be read', documents: [{ ...packageOf('thing'), NAME: 'other' }], name: 'thing' },
    { because: 'there is nothing', documents: [], name: 'thing' },
  ])('is absent: $because', ({ documents, name }) => {
    expect(reducePackage(name, documents)).toBeUndefined();
  });

  test.each([
    { because: 'a channel is no object', document: { schema: 'olm.channel', package: 'thing', name: 7 } },
    { because: 'entries are a text', document: channelOf('odd', 'x' as unknown as readonly object[]) },
    { because: 'a bundle has no properties', document: { schema: 'olm.bundle', package: 'thing', name: 'thing.v9' } },
    { because: 'deprecations are no list', document: { schema: 'olm.deprecations', package: 'thing', entries: 7 } },
  ])('a document that is defective leaves the others: $because', ({ document }) => {
    expect(reducePackage('thing', [...DOCUMENTS, document])?.content.channels[0]?.name).toBe('stable');
  });
});

describe('an icon', () => {
  test.each([
    { because: 'a browser draws it', icon: PNG, mediaType: 'image/png' },
    { because: 'SVG is sent into a sandbox', icon: { ...PNG, mediatype: 'image/svg+xml' }, mediaType: 'image/svg+xml' },
    { because: 'HTML is no image', icon: { ...PNG, mediatype: 'text/html' }, mediaType: undefined },
    {
      because: 'the type has more than a type',
      icon: { ...PNG, mediatype: 'image/png\r\nx: y' },
      mediaType: undefined,
    },
    { because: 'the content is no base64', icon: { ...PNG, base64data: '<svg>' }, mediaType: undefined },
    {
      because: 'it is larger than 1 MiB',
      icon: { ...PNG, base64data: 'A'.repeat((1 << 20) + 1) },
      mediaType: undefined,
    },
    { because: 'there is none', icon: undefined, mediaType: undefined },
  ])('is $mediaType: $because', ({ icon, mediaType }) => {
    expect(iconOf({ icon })?.mediaType).toBe(mediaType);
  });
});

test('the queries of a package ask for nothing else', () => {
  expect(queriesOf({ kind: 'listing', catalogs: [] }).some(({ schema }) => schema === 'olm.bundle')).toBe(false);
  for (const query of queriesOf({ kind: 'package', catalogs: [], package: 'thing' }))
    expect(query.package ?? query.name).toBe('thing');
});
