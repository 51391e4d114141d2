import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import type { BundleBlob } from '../blob.ts';
import { createCatalogChecker } from '../check/check.ts';
import { buildIndex } from '../index/build.ts';
import { openIndex } from '../index/open.ts';
import { versionRules } from '../testing/version-rules.ts';
import {
  buildRepositoryCatalog,
  fileOf,
  knownBundles,
  repositoriesDigest,
  type DescribedRepository,
  type TaggedImage,
} from './build.ts';
import { orderTags } from './tags.ts';

function ordered(tags: readonly string[], limits?: { maxTags: number; maxVersions: number }) {
  const { versions, ignored } = orderTags(tags, versionRules, limits);
  return { versions: versions.map(({ tag }) => tag), ignored: ignored.map(({ tag }) => tag) };
}

describe('the tags that are versions', () => {
  it.each([
    {
      because: 'semantic versions, in their order',
      tags: ['1.10.0', '1.9.0', 'v1.2.0'],
      versions: ['v1.2.0', '1.9.0', '1.10.0'],
      ignored: [],
    },
    {
      because: 'other tags are not reported',
      tags: ['latest', '1.0', 'sha256-abc.sig', '1.0.0'],
      versions: ['1.0.0'],
      ignored: [],
    },
    {
      because: 'pre-releases come before their release',
      tags: ['1.0.0', '1.0.0-rc.1'],
      versions: ['1.0.0-rc.1', '1.0.0'],
      ignored: [],
    },
    { because: 'the same version twice', tags: ['v1.0.0', '1.0.0'], versions: ['1.0.0'], ignored: ['v1.0.0'] },
    {
      because: 'the same tag twice, as a registry may list it',
      tags: ['1.0.0', '1.0.0'],
      versions: ['1.0.0'],
      ignored: [],
    },
    {
      because: 'an underscore stands for a plus',
      tags: ['1.0.0_2', '1.0.0_10', '1.0.0'],
      versions: ['1.0.0', '1.0.0_2', '1.0.0_10'],
      ignored: [],
    },
  ])('$because', ({ tags, versions, ignored }) => {
    expect(ordered(tags)).toEqual({ versions, ignored });
  });

  it('only the newest versions are offered, and the others are reported', () => {
    const tags = Array.from({ length: 5 }, (_, n) => `1.${n}.0`);
    expect(ordered(tags, { maxTags: 100, maxVersions: 2 })).toEqual({
      versions: ['1.3.0', '1.4.0'],
      ignored: ['1.0.0', '1.1.0', '1.2.0'],
    });
    expect(ordered(tags, { maxTags: 3, maxVersions: 10 })).toEqual({
      versions: ['1.0.0', '1.1.0', '1.2.0'],
      ignored: ['1.3.0'],
    });
  });
});

describe('a catalog made from repositories', () => {
  function bundle(version: string, more: Partial<BundleBlob> = {}): BundleBlob {
    const packageName = more.package ?? 'gadget';
    return {
      schema: 'olm.bundle',
      name: `${packageName}.v${version}`,
      package: packageName,
      image: `registry.example/${packageName}@sha256:${'a'.repeat(64)}`,
      properties: [{ type: 'olm.package', value: { packageName, version } }],
      relatedImages: [],
      ...more,
    };
  }

  function repository(
    bundles: Readonly<Record<string, BundleBlob>>,
    more: Partial<DescribedRepository> = {},
  ): DescribedRepository {
    const { versions } = orderTags(Object.keys(bundles), versionRules);
    return {
      repository: 'registry.example/gadget',
      versions: versions.map((version) => ({ ...version, bundle: bundles[version.tag]! })),
      ...more,
    };
  }

  it('every version leads to every higher one, and the catalog is valid', () => {
    const { documents, ignored } = buildRepositoryCatalog(
      [repository({ '1.0.0': bundle('1.0.0'), 'v1.1.0': bundle('1.1.0'), '2.0.0': bundle('2.0.0') })],
      versionRules,
    );
    expect(ignored).toEqual([]);
    expect(documents.slice(0, 2)).toEqual([
      { schema: 'olm.package', name: 'gadget', defaultChannel: 'stable' },
      {
        schema: 'olm.channel',
        name: 'stable',
        package: 'gadget',
        entries: [
          { name: 'gadget.v1.0.0', skipRange: '<1.0.0' },
          { name: 'gadget.v1.1.0', replaces: 'gadget.v1.0.0', skipRange: '<1.1.0' },
          { name: 'gadget.v2.0.0', replaces: 'gadget.v1.1.0', skipRange: '<2.0.0' },
        ],
      },
    ]);
    const checker = createCatalogChecker(versionRules);
    for (const [at, document] of documents.entries()) checker.add(document, { path: 'catalog.json', document: at + 1 });
    expect(checker.finish()).toEqual([]);
  });

  it('pre-releases are in a channel of their own, which has all versions', () => {
    const { documents } = buildRepositoryCatalog(
      [repository({ '1.0.0': bundle('1.0.0'), '1.1.0-rc.1': bundle('1.1.0-rc.1') })],
      versionRules,
    );
    const channels = documents.filter(({ schema }) => schema === 'olm.channel');
    expect(channels.map(({ name, entries }) => [name, (entries as unknown[]).length])).toEqual([
      ['stable', 1],
      ['candidate', 2],
    ]);
  });

  it('a repository of pre-releases only offers them', () => {
    const { documents } = buildRepositoryCatalog([repository({ '1.0.0-rc.1': bundle('1.0.0-rc.1') })], versionRules);
    expect(documents[0]).toMatchObject({ defaultChannel: 'candidate' });
  });

  it('builds of one version are distinguished by the tag', () => {
    const { documents } = buildRepositoryCatalog(
      [repository({ '1.0.0_1': bundle('1.0.0', { name: 'a' }), '1.0.0_2': bundle('1.0.0', { name: 'b' }) })],
      versionRules,
    );
    const versions = documents
      .filter(({ schema }) => schema === 'olm.bundle')
      .map(({ properties }) => JSON.stringify(properties));
    expect(versions[0]).toContain('1.0.0+1');
    expect(versions[1]).toContain('1.0.0+2');
  });

  it.each([
    {
      because: 'the bundle has another version than the tag',
      bundles: { '1.0.0': bundle('1.0.0'), '1.1.0': bundle('1.2.0') },
      ignored: ['1.1.0'],
    },
    {
      because: 'the bundle is of another package than the oldest',
      bundles: { '1.0.0': bundle('1.0.0'), '1.1.0': bundle('1.1.0', { package: 'other' }) },
      ignored: ['1.1.0'],
    },
    {
      because: 'a newer tag has a bundle of that name',
      bundles: { '1.0.0_1': bundle('1.0.0'), '1.0.0_2': bundle('1.0.0') },
      ignored: ['1.0.0_1'],
    },
    {
      because: "the bundle's properties are too large",
      bundles: {
        '1.0.0': bundle('1.0.0', { relatedImages: [{ name: '', image: 'x'.repeat(3 << 20) }] }),
        '1.1.0': bundle('1.1.0'),
      },
      ignored: ['1.0.0'],
    },
    {
      because: 'the bundle has no version',
      bundles: { '1.0.0': bundle('1.0.0', { properties: [] }), '1.1.0': bundle('1.1.0') },
      ignored: ['1.0.0'],
    },
  ])('a tag is left out where $because', ({ bundles, ignored }) => {
    const result = buildRepositoryCatalog([repository(bundles)], versionRules);
    expect(result.ignored.map(({ tag }) => tag)).toEqual(ignored);
    expect(result.documents.filter(({ schema }) => schema === 'olm.bundle')).toHaveLength(1);
  });

  it.each([
    { because: 'a tag of another package is the newest', others: ['9.0.0'] },
    { because: 'a tag of another package is the oldest', others: ['0.1.0'] },
    { because: 'one is newer and one is older', others: ['0.1.0', '9.0.0'] },
  ])('a package of more tags stays, although $because', ({ others }) => {
    const own = ['1.0.0', '1.1.0', '1.2.0'].map((version) => [version, bundle(version)] as const);
    const strange = others.map((version) => [version, bundle(version, { package: 'widget' })] as const);
    const result = buildRepositoryCatalog([repository(Object.fromEntries([...own, ...strange]))], versionRules);
    expect(result.documents.filter(({ schema }) => schema === 'olm.bundle').map(({ name }) => name)).toEqual(
      own.map(([version]) => `gadget.v${version}`),
    );
    expect(result.ignored.map(({ tag }) => tag).toSorted()).toEqual(others);
  });

  it('if the spec names a package, only that one is offered', () => {
    const result = buildRepositoryCatalog(
      [repository({ '1.0.0': bundle('1.0.0') }, { package: 'widget' })],
      versionRules,
    );
    expect(result.documents).toEqual([]);
    expect(result.ignored).toMatchObject([{ repository: 'registry.example/gadget', tag: '1.0.0' }]);
  });

  it('versions for which newer ones leave no room in the index are left out', () => {
    const text = { type: 'a', value: 'x'.repeat(1_900_000) };
    const tags = Array.from({ length: 20 }, (_, at) => `1.${at + 1}.0`);
    const large = tags.map((version) => {
      const identity = { type: 'olm.package', value: { packageName: 'gadget', version } };
      return [version, bundle(version, { properties: [identity, text] })] as const;
    });
    const { ignored } = buildRepositoryCatalog(
      [repository({ '1.0.0': bundle('1.0.0'), ...Object.fromEntries(large) })],
      versionRules,
    );
    expect(ignored.map(({ tag }) => tag)).toEqual(['1.3.0', '1.2.0', '1.1.0']);
  });

  it('of two repositories with one package the first offers it', () => {
    const second = repository({ '9.0.0': bundle('9.0.0') }, { repository: 'registry.example/copy' });
    const { documents, ignored } = buildRepositoryCatalog(
      [repository({ '1.0.0': bundle('1.0.0') }), second],
      versionRules,
    );
    expect(documents.filter(({ schema }) => schema === 'olm.package')).toHaveLength(1);
    expect(ignored).toMatchObject([{ repository: 'registry.example/copy', tag: '9.0.0' }]);
  });

  describe('a package that two repositories claim', () => {
    const [mine, theirs] = ['registry.example/gadget', 'registry.example/theirs'] as const;
    it.each<{
      because: string;
      served: string | undefined;
      named: readonly string[];
      owner: string;
      disputed: boolean;
    }>([
      {
        because: 'the spec names it for none, and nothing is in service',
        served: undefined,
        named: [],
        owner: mine,
        disputed: true,
      },
      { because: 'the content in service has it from there', served: theirs, named: [], owner: theirs, disputed: true },
      {
        because: 'the content in service has it from a repository that is none of them',
        served: 'registry.example/gone',
        named: [],
        owner: mine,
        disputed: true,
      },
      { because: 'the spec names it for that one', served: mine, named: [theirs], owner: theirs, disputed: false },
      { because: 'the spec names it for both', served: theirs, named: [mine, theirs], owner: mine, disputed: true },
    ])('is offered by $owner, disputed: $disputed, as $because', ({ served, named, owner, disputed }) => {
      const from = (name: string, version: string): DescribedRepository =>
        repository(
          { [version]: bundle(version) },
          { repository: name, ...(named.includes(name) && { package: 'gadget' }) },
        );
      const repositories = [from(mine, '1.0.0'), from(theirs, '9.0.0')];
      const { documents, ignored, disputes } = buildRepositoryCatalog(repositories, versionRules, () => served);
      const other = owner === mine ? theirs : mine;
      expect(documents.filter(({ schema }) => schema === 'olm.bundle').map(({ name }) => name)).toEqual([
        owner === mine ? 'gadget.v1.0.0' : 'gadget.v9.0.0',
      ]);
      expect(ignored.map(({ repository: name }) => name)).toEqual([other]);
      expect(disputes).toEqual(disputed ? [{ package: 'gadget', offeredBy: owner, others: [other] }] : []);
    });
  });

  it('a catalog made from repositories is indexed like any other', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'slipway-repository-'));
    const { documents } = buildRepositoryCatalog(
      [repository({ '1.0.0': bundle('1.0.0'), '1.1.0': bundle('1.1.0') })],
      versionRules,
    );
    await buildIndex({ files: [fileOf(documents)], target: join(folder, 'x.db') });
    const index = openIndex(join(folder, 'x.db'));
    expect(index.package('gadget')?.channels[0]?.entries.at(-1)).toEqual({
      name: 'gadget.v1.1.0',
      replaces: 'gadget.v1.0.0',
      skips: [],
      skipRange: '<1.1.0',
    });
    index.close();
    rmSync(folder, { recursive: true });
  });
});

describe('the digest of a catalog of repositories', () => {
  const repository = 'registry.example/gadget';
  const digest = (letter: string): string => `sha256:${letter.repeat(64)}`;
  const images = (digests: Readonly<Record<string, string>>, more: Partial<TaggedImage> = {}): TaggedImage[] =>
    Object.entries(digests).map(([tag, letter]) => ({ repository, tag, digest: digest(letter), ...more }));
  const base = repositoriesDigest(images({ '1.0.0': 'a', '1.1.0': 'b' }));

  it.each([
    { because: 'a tag is moved', changed: images({ '1.0.0': 'a', '1.1.0': 'c' }) },
    { because: 'a tag is gone', changed: images({ '1.0.0': 'a' }) },
    { because: 'another package is requested', changed: images({ '1.0.0': 'a', '1.1.0': 'b' }, { package: 'widget' }) },
    { because: 'it is another repository', changed: images({ '1.0.0': 'a', '1.1.0': 'b' }, { repository: 'r' }) },
  ])('the digest of repositories changes if $because', ({ changed }) => {
    expect(repositoriesDigest(changed)).not.toBe(base);
    expect(repositoriesDigest(changed)).toMatch(/^sha256:[0-9a-f]{64}$/);
  });

  it('the digest of repositories does not depend on the order of tags', () => {
    expect(repositoriesDigest(images({ '1.1.0': 'b', '1.0.0': 'a' }))).toBe(base);
  });

  it('the digest changes with the order of repositories: the first one offers the package', () => {
    const [one, two] = [images({ '1.0.0': 'a' }), images({ '1.0.0': 'b' }, { repository: 'r' })];
    expect(repositoriesDigest([...one, ...two])).not.toBe(repositoriesDigest([...two, ...one]));
  });

  it('bundles of an earlier index give the same catalog as new ones', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'slipway-repository-'));
    const bundles = ['1.0.0', '1.1.0', '1.2.0_1'].map((tag, index): readonly [string, BundleBlob] => {
      const version = tag.replace('_', '+');
      const properties = [
        { type: 'olm.package', value: { packageName: 'gadget', version } },
        { type: 'x', value: 9007199254740993n },
      ];
      const image = `${repository}@${digest('abc'[index]!)}`;
      return [
        tag,
        { schema: 'olm.bundle', name: `gadget.${version}`, package: 'gadget', image, properties, relatedImages: [] },
      ];
    });
    const catalogOf = (of: ReadonlyMap<string, BundleBlob>) => {
      const { versions } = orderTags([...of.keys()], versionRules);
      const described = versions.map((version) => ({ ...version, bundle: of.get(version.tag)! }));
      return fileOf(buildRepositoryCatalog([{ repository, versions: described }], versionRules).documents);
    };
    const [first, second] = [join(folder, 'first.db'), join(folder, 'second.db')];
    await buildIndex({ files: [catalogOf(new Map(bundles))], target: first });
    const index = openIndex(first);
    const known = knownBundles(index);
    expect([...known.keys()]).toEqual(bundles.slice(0, 2).map(([, { image }]) => image));
    const again = bundles.map(([tag, bundle]) => [tag, known.get(bundle.image) ?? bundle] as const);
    await buildIndex({ files: [catalogOf(new Map(again))], target: second });
    expect(readFileSync(second).equals(readFileSync(first))).toBe(true);
    index.close();
    rmSync(folder, { recursive: true });
  });
});
