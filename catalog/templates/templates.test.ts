import { describe, expect, it } from 'vitest';
import { ReasonedError } from '../../api/errors.ts';
import type { BundleBlob } from '../blob.ts';
import type { Fields } from '../../api/untyped.ts';
import { versionRules } from '../testing/version-rules.ts';
import { basicImages, expandBasic } from './basic.ts';
import { expandSemver, semverImages } from './semver.ts';

function bundle(version: string, packageName = 'foo'): BundleBlob {
  return {
    schema: 'olm.bundle',
    name: `${packageName}.v${version}`,
    package: packageName,
    image: `foo:${version}`,
    properties: [{ type: 'olm.package', value: { packageName, version } }],
    relatedImages: [],
  };
}

function bundlesOf(...versions: readonly string[]): Map<string, BundleBlob> {
  return new Map(versions.map((version) => [`foo:${version}`, bundle(version)]));
}

describe('a basic template', () => {
  const template = (...entries: readonly Fields[]): Fields => ({ schema: 'olm.template.basic', entries });

  it('a basic template is a catalog whose bundles are read from their images', () => {
    const channel = { schema: 'olm.channel', name: 'stable', package: 'foo', entries: [{ name: 'foo.v1.0.0' }] };
    const written = template({ schema: 'olm.package', name: 'foo', defaultChannel: 'stable' }, channel, {
      schema: 'olm.bundle',
      image: 'foo:1.0.0',
    });
    expect(basicImages(written)).toEqual(['foo:1.0.0']);
    expect(expandBasic(written, bundlesOf('1.0.0'))).toEqual([
      { schema: 'olm.package', name: 'foo', defaultChannel: 'stable' },
      channel,
      bundle('1.0.0'),
    ]);
  });

  it('a basic template matches field names in any case, and drops unknown and empty fields', () => {
    const [channel] = expandBasic(
      template({
        Schema: 'olm.channel',
        Name: 'c',
        PACKAGE: 'foo',
        color: 'red',
        Entries: [{ name: 'a', SkipRange: '<1.0.0', skipranges: 'x', replaces: '', skips: [] }],
      }),
      new Map(),
    );
    expect(channel).toEqual({
      schema: 'olm.channel',
      name: 'c',
      package: 'foo',
      entries: [{ name: 'a', skipRange: '<1.0.0' }],
    });
  });

  it('a basic template keeps deprecations and documents of unknown schemas', () => {
    const deprecations = {
      schema: 'olm.deprecations',
      package: 'foo',
      entries: [{ reference: { schema: 'olm.package' }, message: 'm' }],
    };
    const custom = { schema: 'custom', name: 'x', Anything: { at: 'all' } };
    expect(expandBasic(template(deprecations, custom), new Map())).toEqual([deprecations, custom]);
  });

  it.each([
    { because: 'its schema is another', template: { schema: 'olm.semver' } },
    {
      because: 'a bundle has more than an image',
      template: template({ schema: 'olm.bundle', image: 'foo:1.0.0', name: 'foo' }),
    },
    { because: 'a bundle has no image', template: template({ schema: 'olm.bundle' }) },
    { because: 'a bundle has not been read', template: template({ schema: 'olm.bundle', image: 'foo:2.0.0' }) },
    { because: 'an entry has no schema', template: template({ name: 'x' }) },
  ])('a basic template is refused where $because', ({ template }) => {
    expectInvalid(() => expandBasic(template, bundlesOf('1.0.0')));
  });
});

describe('a semver template', () => {
  function expand(template: Fields, versions: readonly string[]): Fields[] {
    const list = (stream: string): Fields => ({
      [stream]: { bundles: versions.map((version) => ({ image: `foo:${version}` })) },
    });
    return expandSemver({ schema: 'olm.semver', ...list('stable'), ...template }, bundlesOf(...versions), versionRules);
  }

  interface Entry {
    readonly name: string;
    readonly replaces?: string;
    readonly skips?: readonly string[];
  }

  /** The channels as lines `name: entry<replaced(skipped,…) …`. */
  function graphs(documents: readonly Fields[]): string[] {
    return documents
      .filter(({ schema }) => schema === 'olm.channel')
      .map(({ name, entries }) =>
        `${String(name)}: ${(entries as Entry[]).map(edgeOf).join(' ')}`.replaceAll('foo.v', ''),
      );
  }

  function edgeOf(entry: Entry): string {
    const replaces = entry.replaces === undefined ? '' : `<${entry.replaces}`;
    return `${entry.name}${replaces}${entry.skips === undefined ? '' : `(${entry.skips.join(',')})`}`;
  }

  it.each([
    {
      because: 'the highest patch replaces that of the minor before it, and skips the rest',
      template: { generateMajorChannels: true },
      versions: ['1.0.1', '1.0.0', '1.1.0', '1.1.1', '1.2.0'],
      channels: ['stable-v1: 1.0.0 1.0.1(1.0.0) 1.1.0 1.1.1<1.0.1(1.0.0,1.1.0) 1.2.0<1.1.1(1.0.0,1.0.1,1.1.0)'],
      defaultChannel: 'stable-v1',
    },
    {
      because: 'nothing leads from one major version to the next',
      template: { generateMajorChannels: true },
      versions: ['1.9.0', '2.0.0'],
      channels: ['stable-v1: 1.9.0', 'stable-v2: 2.0.0'],
      defaultChannel: 'stable-v2',
    },
    {
      because: 'minor channels are linked to the one before',
      template: {},
      versions: ['1.0.0', '1.1.0', '1.1.1'],
      channels: ['stable-v1.0: 1.0.0', 'stable-v1.1: 1.1.0 1.1.1<1.0.0(1.1.0)'],
      defaultChannel: 'stable-v1.1',
    },
    {
      because: 'both kinds, and a minor channel is the default',
      template: { generateMajorChannels: true, generateMinorChannels: true },
      versions: ['1.0.0'],
      channels: ['stable-v1: 1.0.0', 'stable-v1.0: 1.0.0'],
      defaultChannel: 'stable-v1.0',
    },
    {
      because: 'a major channel is the default where it is preferred',
      template: { generateMajorChannels: true, generateMinorChannels: true, defaultChannelTypePreference: 'major' },
      versions: ['1.0.0'],
      channels: ['stable-v1: 1.0.0', 'stable-v1.0: 1.0.0'],
      defaultChannel: 'stable-v1',
    },
    {
      because: 'pre-releases come before their release',
      template: { GenerateMajorChannels: true },
      versions: ['1.0.0', '1.0.0-rc.10', '1.0.0-rc.9'],
      channels: ['stable-v1: 1.0.0-rc.9 1.0.0-rc.10 1.0.0(1.0.0-rc.10,1.0.0-rc.9)'],
      defaultChannel: 'stable-v1',
    },
  ])('$because', ({ template, versions, channels, defaultChannel }) => {
    const documents = expand(template, versions);
    expect(graphs(documents)).toEqual(channels);
    expect(documents[0]).toEqual({ schema: 'olm.package', name: 'foo', defaultChannel });
    expect(documents.filter(({ schema }) => schema === 'olm.bundle')).toHaveLength(versions.length);
  });

  it('the most stable stream has the default channel, and a bundle in several streams is listed once', () => {
    const streams = {
      candidate: { bundles: [{ image: 'foo:1.0.0' }, { image: 'foo:2.0.0' }] },
      Stable: { Bundles: [{ Image: 'foo:1.0.0' }] },
    };
    const template = { schema: 'olm.semver', generateMajorChannels: true, ...streams };
    expect(semverImages(template)).toEqual(['foo:1.0.0', 'foo:2.0.0']);
    const documents = expandSemver(template, bundlesOf('1.0.0', '2.0.0'), versionRules);
    expect(documents[0]).toMatchObject({ defaultChannel: 'stable-v1' });
    expect(graphs(documents)).toEqual(['candidate-v1: 1.0.0', 'candidate-v2: 2.0.0', 'stable-v1: 1.0.0']);
    expect(documents.filter(({ schema }) => schema === 'olm.bundle')).toHaveLength(2);
  });

  it.each([
    { because: 'its schema is another', template: { schema: 'olm.template.basic' } },
    { because: 'it names no bundles', template: { stable: {} } },
    { because: 'a stream is misspelt', template: { stabel: { bundles: [] } } },
    { because: 'a field of a bundle is misspelt', template: { stable: { bundles: [{ images: 'foo:1.0.0' }] } } },
    { because: 'the preferred kind is not generated', template: { defaultChannelTypePreference: 'major' } },
    { because: 'the preferred kind is invalid', template: { defaultChannelTypePreference: 'patch' } },
    {
      because: 'a bundle is listed twice',
      template: { stable: { bundles: [{ image: 'foo:1.0.0' }, { image: 'foo:1.0.0' }] } },
    },
    { because: 'a bundle has not been read', template: { stable: { bundles: [{ image: 'foo:9.0.0' }] } } },
    { because: 'a version is invalid', template: { stable: { bundles: [{ image: 'bad' }] } } },
    {
      because: 'a bundle is of another package',
      template: { stable: { bundles: [{ image: 'foo:1.0.0' }, { image: 'other' }] } },
    },
    {
      because: 'versions differ in build metadata only',
      template: { stable: { bundles: [{ image: 'foo:1.0.0' }, { image: 'foo:1.0.0+1' }] } },
    },
  ])('is refused where $because', ({ template }) => {
    const bundles = new Map([
      ...bundlesOf('1.0.0', '1.0.0+1'),
      ['bad', bundle('v1')],
      ['other', bundle('1.0.0', 'bar')],
    ]);
    const whole = { schema: 'olm.semver', stable: { bundles: [{ image: 'foo:1.0.0' }] }, ...template };
    expectInvalid(() => expandSemver(whole, bundles, versionRules));
  });
});

function expectInvalid(run: () => unknown): void {
  let error: unknown;
  try {
    run();
  } catch (thrown) {
    error = thrown;
  }
  expect(error).toBeInstanceOf(ReasonedError);
  expect(error).toMatchObject({ reason: 'CatalogInvalid', retry: 'never' });
}
