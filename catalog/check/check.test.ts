import { describe, expect, it } from 'vitest';
import type { Fields } from '../../api/untyped.ts';
import { imageProblem } from '../../bundles/image-reference.ts';
import { versionRules } from '../testing/version-rules.ts';
import { createCatalogChecker } from './check.ts';
import { graphDefect } from './channel.ts';
import { CHECK_RULES, type CheckRule, type CatalogFinding } from './finding.ts';

function check(...documents: readonly Fields[]): readonly CatalogFinding[] {
  const checker = createCatalogChecker(versionRules);
  for (const [index, document] of documents.entries())
    checker.add(document, { path: 'catalog.yaml', document: index + 1 });
  return checker.finish();
}

function rulesOf(findings: readonly CatalogFinding[]): CheckRule[] {
  return [...new Set(findings.map(({ rule }) => rule))];
}

const foo = { schema: 'olm.package', name: 'foo', defaultChannel: 'alpha' };

function channel(...names: readonly string[]): Fields {
  const entries = names.map((name, index) => (index === 0 ? { name } : { name, replaces: names[index - 1] }));
  return { schema: 'olm.channel', name: 'alpha', package: 'foo', entries };
}

function bundle(version: string, more: Fields = {}): Fields {
  return {
    schema: 'olm.bundle',
    name: `foo.v${version}`,
    package: 'foo',
    image: `registry.example/foo:v${version.replace('+', '_')}`,
    properties: [identity(version)],
    ...more,
  };
}

function identity(version: string, more: Fields = {}): Fields {
  return { type: 'olm.package', value: { packageName: 'foo', version, ...more } };
}

function withProperty(type: string, value: Fields): Fields {
  return { properties: [identity('0.1.0'), { type, value }] };
}

const sound = [foo, channel('foo.v0.1.0'), bundle('0.1.0')];

describe('a valid catalog', () => {
  it.each([
    { because: 'a minimal catalog', documents: sound },
    {
      because: 'properties of the channel and the package',
      documents: [
        { ...foo, properties: [{ type: 'x', value: 1 }] },
        { ...channel('foo.v0.1.0'), properties: [] },
        bundle('0.1.0'),
      ],
    },
    {
      because: 'objects inlined, and no image',
      documents: [
        foo,
        channel('foo.v0.1.0'),
        bundle('0.1.0', {
          image: '',
          properties: [identity('0.1.0'), { type: 'olm.bundle.object', value: { data: 'eA==' } }],
        }),
      ],
    },
    {
      because: 'a release, and the name that goes with it',
      documents: [
        foo,
        channel('foo-v0.1.0-alpha.1.0.0'),
        bundle('0.1.0', {
          name: 'foo-v0.1.0-alpha.1.0.0',
          properties: [identity('0.1.0', { release: 'alpha.1.0.0' })],
        }),
      ],
    },
    {
      because: 'an image by digest',
      documents: [
        foo,
        channel('foo.v0.1.0'),
        bundle('0.1.0', { image: `registry.example:5000/foo@sha256:${'a'.repeat(64)}` }),
      ],
    },
    {
      because: 'an image by tag and digest',
      documents: [
        foo,
        channel('foo.v0.1.0'),
        bundle('0.1.0', { image: `registry.example/foo:v1@sha256:${'a'.repeat(64)}` }),
      ],
    },
    {
      because: 'the last entry replaces a removed bundle',
      documents: [foo, { ...channel(), entries: [{ name: 'foo.v0.1.0', replaces: 'foo.v0.0.9' }] }, bundle('0.1.0')],
    },
    {
      because: 'versions that differ in build metadata',
      documents: [foo, channel('foo.v0.1.0+1', 'foo.v0.1.0+2'), bundle('0.1.0+1'), bundle('0.1.0+2')],
    },
    {
      because: 'unknown schemas, fields and property types',
      documents: [
        ...sound,
        { schema: 'custom', x: 1 },
        { ...bundle('0.2.0'), color: 'red', properties: [identity('0.2.0'), { type: 'custom', value: false }] },
        { ...channel('foo.v0.2.0'), name: 'beta' },
      ],
    },
    {
      because: 'an icon, null for absent fields, and names in other cases',
      documents: [
        { ...foo, icon: { Base64Data: 'eA==\n', mediatype: null } },
        { ...channel(), entries: [{ Name: 'foo.v0.1.0', skips: null, skipRange: null }] },
        bundle('0.1.0', { relatedImages: null }),
      ],
    },
    {
      because: 'an excerpt of a CSV with all kinds of fields',
      documents: [
        ...sound.slice(0, 2),
        bundle(
          '0.1.0',
          withProperty('olm.csv.metadata', {
            annotations: { certified: 'false' },
            apiServiceDefinitions: { owned: [{ name: 'x', containerPort: 443 }] },
            crdDescriptions: { owned: [{ name: 'x', specDescriptors: [{ path: 'a', value: { any: 1 } }] }] },
            installModes: [{ type: 'OwnNamespace', supported: true }],
            keywords: ['a'],
            provider: { name: 'x' },
            unknown: 7,
          }),
        ),
      ],
    },
    {
      because: 'deprecations',
      documents: [
        ...sound,
        {
          schema: 'olm.deprecations',
          package: 'foo',
          entries: [
            { reference: { schema: 'olm.package' }, message: 'm' },
            { reference: { schema: 'olm.channel', name: 'alpha' }, message: 'm' },
            { reference: { schema: 'olm.bundle', name: 'foo.v0.1.0' }, message: 'm' },
          ],
        },
      ],
    },
  ])('$because', ({ documents }) => {
    expect(check(...documents)).toEqual([]);
  });
});

describe('an invalid catalog', () => {
  const deprecations = (...entries: readonly Fields[]): Fields => ({
    schema: 'olm.deprecations',
    package: 'foo',
    entries,
  });
  const cases: readonly {
    readonly because: string;
    readonly rules: readonly CheckRule[];
    readonly documents: readonly Fields[];
  }[] = [
    { because: 'a package has no name', rules: ['PackageName'], documents: [{ schema: 'olm.package' }] },
    { because: 'documents of no package', rules: ['NoPackages'], documents: [{ schema: 'custom' }] },
    {
      because: 'a package whose name is no DNS label',
      rules: ['PackageName', 'DefaultChannel', 'NoChannels'],
      documents: [{ schema: 'olm.package', name: 'Foo_', defaultChannel: '' }],
    },
    { because: 'a package twice', rules: ['DuplicatePackage'], documents: [foo, ...sound] },
    {
      because: 'no default channel',
      rules: ['DefaultChannel'],
      documents: [{ ...foo, defaultChannel: '' }, ...sound.slice(1)],
    },
    {
      because: 'the default channel does not exist',
      rules: ['DefaultChannel'],
      documents: [{ ...foo, defaultChannel: 'beta' }, ...sound.slice(1)],
    },
    { because: 'no channel', rules: ['NoChannels', 'DefaultChannel'], documents: [foo] },
    {
      because: 'a channel without a name',
      rules: ['ChannelName'],
      documents: [...sound, { ...channel('foo.v0.1.0'), name: '' }],
    },
    {
      because: 'a channel without a package',
      rules: ['UnknownPackage', 'EntryWithoutBundle'],
      documents: [...sound, { ...channel('foo.v0.1.0'), package: '' }],
    },
    {
      because: 'a channel of an unknown package',
      rules: ['UnknownPackage', 'EntryWithoutBundle'],
      documents: [...sound, { ...channel('foo.v0.1.0'), package: 'bar' }],
    },
    { because: 'a channel twice', rules: ['DuplicateChannel'], documents: [...sound, channel('foo.v0.1.0')] },
    {
      because: 'a channel without entries',
      rules: ['EmptyChannel'],
      documents: [...sound, { ...channel(), name: 'beta' }],
    },
    {
      because: 'an entry twice',
      rules: ['DuplicateEntry'],
      documents: [foo, { ...channel(), entries: [{ name: 'foo.v0.1.0' }, { name: 'foo.v0.1.0' }] }, bundle('0.1.0')],
    },
    {
      because: 'entries that are no list',
      rules: ['Malformed', 'EmptyChannel'],
      documents: [...sound, { ...channel(), name: 'beta', entries: 'x' }],
    },
    {
      because: 'an entry without a bundle',
      rules: ['EntryWithoutBundle'],
      documents: [foo, channel('foo.v0.1.0', 'foo.v0.2.0'), bundle('0.1.0')],
    },
    { because: 'a bundle without an entry', rules: ['BundleWithoutEntry'], documents: [...sound, bundle('0.2.0')] },
    {
      because: 'two heads',
      rules: ['MultipleHeads'],
      documents: [
        foo,
        { ...channel(), entries: [{ name: 'foo.v0.1.0' }, { name: 'foo.v0.2.0' }] },
        bundle('0.1.0'),
        bundle('0.2.0'),
      ],
    },
    {
      because: 'no head',
      rules: ['NoHead', 'LowersVersion'],
      documents: [
        foo,
        {
          ...channel(),
          entries: [
            { name: 'foo.v0.1.0', replaces: 'foo.v0.2.0' },
            { name: 'foo.v0.2.0', replaces: 'foo.v0.1.0' },
          ],
        },
        bundle('0.1.0'),
        bundle('0.2.0'),
      ],
    },
    {
      because: 'an empty skip',
      rules: ['EmptySkip'],
      documents: [foo, { ...channel(), entries: [{ name: 'foo.v0.1.0', skips: [''] }] }, bundle('0.1.0')],
    },
    {
      because: 'a skipRange that cannot be parsed',
      rules: ['SkipRange'],
      documents: [foo, { ...channel(), entries: [{ name: 'foo.v0.1.0', skipRange: '<v0.1.0' }] }, bundle('0.1.0')],
    },
    {
      because: 'a bundle without a package',
      rules: ['UnknownPackage', 'BundleIdentity'],
      documents: [...sound, bundle('0.2.0', { package: '' })],
    },
    {
      because: 'a bundle of an unknown package',
      rules: ['UnknownPackage', 'BundleIdentity'],
      documents: [...sound, bundle('0.2.0', { package: 'bar' })],
    },
    {
      because: 'a bundle without a name',
      rules: ['BundleName', 'BundleWithoutEntry'],
      documents: [...sound, bundle('0.2.0', { name: '' })],
    },
    { because: 'a bundle twice', rules: ['DuplicateBundle'], documents: [...sound, bundle('0.1.0')] },
    {
      because: 'a property without a type',
      rules: ['Properties'],
      documents: [...sound.slice(0, 2), bundle('0.1.0', { properties: [identity('0.1.0'), { value: 1 }] })],
    },
    {
      because: 'a property without a value',
      rules: ['Properties'],
      documents: [...sound.slice(0, 2), bundle('0.1.0', { properties: [identity('0.1.0'), { type: 'x' }] })],
    },
    {
      because: 'a property whose value is null, which the reference takes for an empty one',
      rules: ['Properties'],
      documents: [
        ...sound.slice(0, 2),
        bundle('0.1.0', { properties: [identity('0.1.0'), { type: 'x', value: null }] }),
      ],
    },
    {
      because: 'an icon whose data are a list of bytes',
      rules: ['Malformed'],
      documents: [{ ...foo, icon: { base64data: [1, 2], mediatype: 'image/png' } }, ...sound.slice(1)],
    },
    {
      because: 'a property whose value is of the wrong form',
      rules: ['Properties'],
      documents: [
        ...sound.slice(0, 2),
        bundle('0.1.0', { properties: [identity('0.1.0'), { type: 'olm.gvk', value: { group: 7 } }] }),
      ],
    },
    {
      because: 'no property olm.package',
      rules: ['BundleIdentity'],
      documents: [...sound.slice(0, 2), bundle('0.1.0', { properties: [] })],
    },
    {
      because: 'two properties olm.package',
      rules: ['BundleIdentity'],
      documents: [...sound.slice(0, 2), bundle('0.1.0', { properties: [identity('0.1.0'), identity('0.1.0')] })],
    },
    {
      because: 'olm.package of another package',
      rules: ['BundleIdentity'],
      documents: [...sound.slice(0, 2), bundle('0.1.0', { properties: [identity('0.1.0', { packageName: 'bar' })] })],
    },
    {
      because: 'no version',
      rules: ['BundleVersion'],
      documents: [...sound.slice(0, 2), bundle('0.1.0', { properties: [identity('')] })],
    },
    {
      because: 'an invalid version',
      rules: ['BundleVersion'],
      documents: [...sound.slice(0, 2), bundle('0.1.0', { properties: [identity('v0.1')] })],
    },
    {
      because: 'a release that is too long',
      rules: ['BundleVersion'],
      documents: [
        ...sound.slice(0, 2),
        bundle('0.1.0', { properties: [identity('0.1.0', { release: 'x'.repeat(21) })] }),
      ],
    },
    {
      because: 'a release beside build metadata',
      rules: ['BundleVersion'],
      documents: [...sound.slice(0, 2), bundle('0.1.0', { properties: [identity('0.1.0+1', { release: '2' })] })],
    },
    {
      because: 'a release without the matching name',
      rules: ['BundleName'],
      documents: [...sound.slice(0, 2), bundle('0.1.0', { properties: [identity('0.1.0', { release: '2' })] })],
    },
    {
      because: 'one version for two bundles',
      rules: ['DuplicateVersion'],
      documents: [foo, channel('foo.v0.1.0', 'foo-again'), bundle('0.1.0'), bundle('0.1.0', { name: 'foo-again' })],
    },
    { because: 'no image', rules: ['BundleImage'], documents: [...sound.slice(0, 2), bundle('0.1.0', { image: '' })] },
    {
      because: 'an image whose digest is of an unknown kind',
      rules: ['BundleImage'],
      documents: [...sound.slice(0, 2), bundle('0.1.0', { image: `registry.example/foo@ssha256:${'a'.repeat(64)}` })],
    },
    {
      because: 'an invalid related image',
      rules: ['RelatedImage'],
      documents: [
        ...sound.slice(0, 2),
        bundle('0.1.0', { relatedImages: [{ name: 'x', image: 'oci://registry.example/foo' }] }),
      ],
    },
    {
      because: 'a related image that is empty',
      rules: ['RelatedImage'],
      documents: [
        ...sound.slice(0, 2),
        bundle('0.1.0', { relatedImages: [{ name: 'x', value: 'registry.example/foo' }] }),
      ],
    },
    {
      because: 'an upgrade to a lower version',
      rules: ['LowersVersion'],
      documents: [foo, channel('foo.v0.2.0', 'foo.v0.1.0'), bundle('0.1.0'), bundle('0.2.0')],
    },
    {
      because: 'deprecations of an unknown package',
      rules: ['Deprecation'],
      documents: [...sound, { ...deprecations(), package: 'bar' }],
    },
    { because: 'deprecations twice', rules: ['Deprecation'], documents: [...sound, deprecations(), deprecations()] },
    {
      because: 'a deprecation of another package',
      rules: ['Deprecation'],
      documents: [...sound, deprecations({ reference: { schema: 'olm.package', name: 'bar' }, message: 'm' })],
    },
    {
      because: 'a deprecation of a bundle that does not exist',
      rules: ['Deprecation'],
      documents: [...sound, deprecations({ reference: { schema: 'olm.bundle', name: 'foo.v9' }, message: 'm' })],
    },
    {
      because: 'a deprecation of an unknown schema',
      rules: ['Deprecation'],
      documents: [...sound, deprecations({ reference: { schema: 'olm.unknown', name: 'x' }, message: 'm' })],
    },
    {
      because: 'a deprecation twice',
      rules: ['Deprecation'],
      documents: [
        ...sound,
        deprecations(
          { reference: { schema: 'olm.channel', name: 'alpha' }, message: 'm' },
          { reference: { schema: 'olm.channel', name: 'alpha' }, message: 'm' },
        ),
      ],
    },
    {
      because: 'a deprecation of the package by its name, which the reference refuses as well',
      rules: ['Deprecation'],
      documents: [...sound, deprecations({ reference: { schema: 'olm.package', name: 'foo' }, message: 'm' })],
    },
    {
      because: 'a deprecation whose message is no text',
      rules: ['Malformed', 'Deprecation'],
      documents: [...sound, deprecations({ reference: { schema: 'olm.package' }, message: 7 })],
    },
    {
      because: 'an icon that is a text',
      rules: ['Malformed'],
      documents: [{ ...foo, icon: 'eA==' }, ...sound.slice(1)],
    },
    {
      because: 'an icon whose data are no base64',
      rules: ['Malformed'],
      documents: [{ ...foo, icon: { base64data: 'a b', mediatype: 'image/png' } }, ...sound.slice(1)],
    },
    {
      because: 'a property of a package whose type is a number',
      rules: ['Malformed'],
      documents: [{ ...foo, properties: [{ type: 7, value: 1 }] }, ...sound.slice(1)],
    },
    {
      because: 'properties of a channel that are texts',
      rules: ['Malformed'],
      documents: [foo, { ...channel('foo.v0.1.0'), properties: ['x'] }, bundle('0.1.0')],
    },
    {
      because: 'skips that are a text',
      rules: ['Malformed'],
      documents: [foo, { ...channel(), entries: [{ name: 'foo.v0.1.0', skips: 'foo.v0.0.9' }] }, bundle('0.1.0')],
    },
    {
      because: 'a skip that is a number',
      rules: ['Malformed'],
      documents: [foo, { ...channel(), entries: [{ name: 'foo.v0.1.0', skips: [1] }] }, bundle('0.1.0')],
    },
    {
      because: 'a skipRange that is a number',
      rules: ['Malformed'],
      documents: [foo, { ...channel(), entries: [{ name: 'foo.v0.1.0', skipRange: 0.1 }] }, bundle('0.1.0')],
    },
    {
      because: 'related images that are a text',
      rules: ['Malformed'],
      documents: [...sound.slice(0, 2), bundle('0.1.0', { relatedImages: 'registry.example/foo:v1' })],
    },
    {
      because: 'properties that are a map',
      rules: ['Malformed', 'BundleIdentity'],
      documents: [...sound.slice(0, 2), bundle('0.1.0', { properties: identity('0.1.0') })],
    },
    {
      because: 'an inlined object whose data are no base64',
      rules: ['Properties'],
      documents: [...sound.slice(0, 2), bundle('0.1.0', withProperty('olm.bundle.object', { data: 'e===' }))],
    },
    {
      because: 'an inlined object that is no YAML',
      rules: ['Properties'],
      documents: [...sound.slice(0, 2), bundle('0.1.0', withProperty('olm.bundle.object', { data: 'YTogW3g=' }))],
    },
    {
      because: 'an excerpt of a CSV whose keywords are a text',
      rules: ['Properties'],
      documents: [...sound.slice(0, 2), bundle('0.1.0', withProperty('olm.csv.metadata', { keywords: 'a, b' }))],
    },
    {
      because: 'an excerpt of a CSV with an annotation that is a flag',
      rules: ['Properties'],
      documents: [
        ...sound.slice(0, 2),
        bundle('0.1.0', withProperty('olm.csv.metadata', { annotations: { certified: false } })),
      ],
    },
    {
      because: 'an excerpt of a CSV whose install mode is supported by a text',
      rules: ['Properties'],
      documents: [
        ...sound.slice(0, 2),
        bundle(
          '0.1.0',
          withProperty('olm.csv.metadata', { installModes: [{ type: 'OwnNamespace', supported: 'true' }] }),
        ),
      ],
    },
    {
      because: 'an excerpt of a CSV whose port has a fraction',
      rules: ['Properties'],
      documents: [
        ...sound.slice(0, 2),
        bundle(
          '0.1.0',
          withProperty('olm.csv.metadata', { apiServiceDefinitions: { owned: [{ containerPort: 1.5 }] } }),
        ),
      ],
    },
    {
      because: 'the priority of a channel is a text',
      rules: ['Properties'],
      documents: [
        ...sound.slice(0, 2),
        bundle('0.1.0', withProperty('olm.channel', { channelName: 'a', priority: '1' })),
      ],
    },
    {
      because: 'a deprecation without a message',
      rules: ['Deprecation'],
      documents: [...sound, deprecations({ reference: { schema: 'olm.package' } })],
    },
  ];

  it.each(cases)('$because', ({ rules, documents }) => {
    const findings = check(...documents);
    expect(new Set(rulesOf(findings))).toEqual(new Set(rules));
    for (const { message, advice, place } of findings) {
      expect(message).not.toBe('');
      expect(advice).not.toBe('');
      if (!rules.includes('NoPackages')) expect(place?.path).toBe('catalog.yaml');
    }
  });

  it('an empty catalog has no packages', () => {
    expect(check()).toMatchObject([{ severity: 'error', rule: 'NoPackages' }]);
  });

  it('every rule is broken by a case, or by the shape of a graph', () => {
    const broken = new Set<CheckRule>([...cases.flatMap(({ rules }) => rules), 'Cycle', 'Stranded']);
    expect([...broken].sort()).toEqual(Object.keys(CHECK_RULES).sort());
  });

  it("the reference's omissions are warnings", () => {
    const findings = check(
      foo,
      channel('foo.v0.2.0', 'foo.v0.1.0'),
      bundle('0.1.0', { relatedImages: [{ name: 'x' }] }),
      bundle('0.2.0'),
    );
    expect(findings.map(({ severity }) => severity)).toEqual(['warning', 'warning']);
  });
});

describe('the graph of a channel', () => {
  it.each([
    { because: 'a chain', graph: 'c>b b>a a', defect: undefined },
    { because: 'one entry', graph: 'a', defect: undefined },
    { because: 'skipped entries need no chain', graph: 'c>a:b b a', defect: undefined },
    { because: 'a bundle that is skipped twice is skipped', graph: 'c>a:b,b b a', defect: undefined },
    { because: 'the end of the chain replaces a removed bundle', graph: 'b>a a>gone', defect: undefined },
    { because: 'a skipped entry ends the chain', graph: 'c>b:b b>a a', defect: { rule: 'Stranded', names: ['a'] } },
    {
      because: 'an entry beside the chain has no successor',
      graph: 'c>b b>gone a',
      defect: { rule: 'MultipleHeads', names: ['a', 'c'] },
    },
    {
      because: 'a chain that is broken in the middle',
      graph: 'd>gone c>b b d2>d',
      defect: { rule: 'MultipleHeads', names: ['c', 'd2'] },
    },
    { because: 'no edge leads out of a circle', graph: 'a>b b>a', defect: { rule: 'NoHead' } },
    { because: 'an entry that replaces itself', graph: 'a>a', defect: { rule: 'NoHead' } },
    {
      because: 'a circle behind the head',
      graph: 'd>c c>b b>a a>c',
      defect: { rule: 'Cycle', names: ['c', 'b', 'a'] },
    },
    { because: 'two heads over one tail', graph: 'b>a c>a a', defect: { rule: 'MultipleHeads', names: ['b', 'c'] } },
    {
      because: 'a circle beside the chain is stranded',
      graph: 'b>a a x>y y>x',
      defect: { rule: 'Stranded', names: ['x', 'y'] },
    },
  ])('$because', ({ graph, defect }) => {
    expect(graphDefect(graph.split(' ').map(entryOf))).toEqual(defect);
  });

  it('10,000 entries in a chain are checked', () => {
    const entries = Array.from({ length: 10_000 }, (_, n) => ({ name: `b${n + 1}`, replaces: `b${n}`, skips: [] }));
    expect(graphDefect(entries)).toBeUndefined();
  });

  /** `c>b:a,x` replaces b and skips a and x. */
  function entryOf(text: string) {
    const [edge = '', skips] = text.split(':');
    const [name = '', replaces] = edge.split('>');
    return { name, ...(replaces !== undefined && { replaces }), skips: skips?.split(',') ?? [] };
  }
});

describe('references of images', () => {
  const hex = 'a'.repeat(64);
  it.each([
    'busybox',
    'library/busybox:1',
    'registry.example/a/b-c__d.e:v1.0',
    'localhost:5000/x',
    `x@sha256:${hex}`,
    `Registry.Example/x:T@sha256:${hex}`,
    `[::1]:5000/x`,
    `x@sha512:${'a'.repeat(128)}`,
  ])('%s is one', (text) => {
    expect(imageProblem(text)).toBeUndefined();
  });

  it.each([
    '',
    'oci://x',
    'https://x/y',
    'x@',
    'x@sha256:',
    `x@md5:${'a'.repeat(32)}`,
    `x@sha256:${hex.toUpperCase()}`,
    `x@sha256:${hex}@sha256:${hex}`,
    'Upper',
    'a//b',
    'x:',
    `x:${'t'.repeat(129)}`,
    'a b',
    hex,
    `${'a/'.repeat(200)}b`,
    'registry.example:port/x',
    'x:tag:more',
  ])('%s is none', (text) => {
    expect(imageProblem(text)).toBeTypeOf('string');
  });
});
