/** Every parser of the folder with arbitrary input: it returns a result or refuses, and never fails in another way. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import fc from 'fast-check';
import { afterAll, describe, expect, it } from 'vitest';
import { runsOf } from '../e2e/lib/sample.ts';
import { ReasonedError } from '../api/errors.ts';
import { makeFiles } from '../bundles/testing/bundle.ts';
import { parseYaml } from '../bundles/yaml.ts';
import { buildBundleBlob, parseBundleDirectory, type BundleBlob } from './blob.ts';
import { createCatalogChecker } from './check/check.ts';
import type { Fields } from '../api/untyped.ts';
import { checkPreconditions } from './http/conditions.ts';
import { chooseEncoding } from './http/encoding.ts';
import { imageProblem } from '../bundles/image-reference.ts';
import { buildIndex } from './index/build.ts';
import { openIndex } from './index/open.ts';
import { DEFAULT_LIMITS } from './limits.ts';
import { parseKeys, parseMeaning } from './parse.ts';
import { buildRepositoryCatalog } from './repository/build.ts';
import { orderTags } from './repository/tags.ts';
import { parseDocuments } from './stream.ts';
import { BASIC_SCHEMA, basicImages, expandBasic } from './templates/basic.ts';
import { SEMVER_SCHEMA, expandSemver, semverImages } from './templates/semver.ts';
import { versionRules } from './testing/version-rules.ts';
import { catalogFilesOf } from './tree.ts';

const folder = mkdtempSync(join(tmpdir(), 'slipway-fuzz-'));
afterAll(() => rmSync(folder, { recursive: true }));

/** The result, or undefined if the input is refused for good with this reason; any other error fails the test. */
function answerOf<T>(reason: string, ask: () => T): T | undefined {
  try {
    return ask();
  } catch (error) {
    expect(error).toBeInstanceOf(ReasonedError);
    expect(error).toMatchObject({ reason, retry: 'never' });
    return undefined;
  }
}

const word = fc.oneof(
  fc.constantFrom('', 'a', 'b', 'gadget', 'gadget.v1', 'stable', '1.0.0', '__proto__', '>=1.0.0 <2.0.0'),
  fc.string({ maxLength: 8, unit: 'binary' }),
);
const anything = fc.oneof({ depthSize: 'small' }, word, fc.jsonValue({ maxDepth: 2 }), fc.constant(null));

/** An object with most of these fields, of the right type or any. */
function record(shape: Readonly<Record<string, fc.Arbitrary<unknown>>>): fc.Arbitrary<Fields> {
  const fields = Object.entries(shape).map(([name, value]) => {
    const spelling = fc.oneof({ weight: 9, arbitrary: fc.constant(name) }, fc.constant(name.toUpperCase()));
    const content = fc.oneof({ weight: 9, arbitrary: value }, anything);
    return fc.option(fc.tuple(spelling, content), { freq: 6, nil: undefined });
  });
  return fc.tuple(...fields).map((pairs) => Object.fromEntries(pairs.filter((pair) => pair !== undefined)) as Fields);
}

function list(item: fc.Arbitrary<unknown>): fc.Arbitrary<unknown> {
  return fc.array(fc.oneof({ weight: 9, arbitrary: item }, anything), { maxLength: 4 });
}

const identity = record({ packageName: word, version: word, release: word, group: word, kind: word });
const propertyTypes = fc.constantFrom('olm.package', 'olm.gvk', 'olm.csv.metadata', 'olm.bundle.object', 'x');
const property = record({ type: propertyTypes, value: identity });
const schemas = fc.constantFrom('olm.package', 'olm.channel', 'olm.bundle', 'olm.deprecations', 'x');
const blob = record({
  schema: schemas,
  name: word,
  package: word,
  defaultChannel: word,
  description: word,
  image: word,
  entries: list(
    record({
      name: word,
      replaces: word,
      skips: list(word),
      skipRange: word,
      message: word,
      reference: record({ schema: schemas, name: word }),
    }),
  ),
  properties: list(property),
  relatedImages: list(record({ name: word, image: word })),
});
const place = { path: 'fuzz.json', document: 1 };

/** A text with pieces cut out, repeated, swapped for others, or bytes changed. */
function damaged(text: string): fc.Arbitrary<Buffer> {
  const original = Buffer.from(text);
  const position = fc.nat({ max: original.length });
  const noise = fc.oneof(
    fc.uint8Array({ maxLength: 6 }),
    fc
      .constantFrom('{', '}', '[', ']', '"', ',', ':', '\n', '---\n', '*a ', '&a ', '- ', '<<: ', '!!x ', '\\u', '0')
      .map((piece) => Buffer.from(piece)),
  );
  const change = fc.tuple(position, position, noise);
  return fc.array(change, { minLength: 1, maxLength: 5 }).map((changes) =>
    changes.reduce((bytes, [from, to, piece]) => {
      const [start, end] = [from % (bytes.length + 1), to % (bytes.length + 1)];
      return Buffer.concat([
        bytes.subarray(0, start),
        piece,
        bytes.subarray(end - start < 40 ? end : start + 1),
      ]).subarray(0, 4 * original.length);
    }, original),
  );
}

const JSON_CATALOG = [
  { schema: 'olm.package', name: 'gadget', defaultChannel: 'stable' },
  { schema: 'olm.channel', package: 'gadget', name: 'stable', entries: [{ name: 'a', skips: ['b'] }] },
  {
    schema: 'olm.bundle',
    package: 'gadget',
    name: 'a',
    image: 'registry.example/a:1',
    properties: [
      { type: 'olm.package', value: { packageName: 'gadget', version: '1.0.0' } },
      { type: 'olm.csv.metadata', value: { annotations: { x: '"\\é' } } },
    ],
  },
]
  .map((document) => JSON.stringify(document))
  .join('\n');
const YAML_CATALOG = `schema: olm.package
name: gadget
defaultChannel: &c stable
---
schema: olm.channel
package: gadget
name: *c
entries: [{name: a, skips: [b]}, {<<: {name: c}, replaces: a}]
--- # more
schema: olm.bundle
package: gadget
name: a
properties:
- type: olm.package
  value: {packageName: gadget, version: "1.0.0"}
`;

describe('documents', () => {
  it('any documents are parsed, or refused', () => {
    fc.assert(
      fc.property(blob, (document) => {
        const keys = answerOf('CatalogInvalid', () => parseKeys(document, place));
        if (keys !== undefined) expect(parseMeaning(keys, document).problems).toBeInstanceOf(Array);
      }),
      { numRuns: runsOf(1000) },
    );
  });

  it('any documents are checked by every rule, or refused', () => {
    fc.assert(
      fc.property(fc.array(blob, { maxLength: 6 }), (documents) => {
        const checker = createCatalogChecker(versionRules);
        for (const document of documents) answerOf('CatalogInvalid', () => checker.add(document, place));
        for (const { message, advice } of checker.finish()) expect(message.length * advice.length).toBeGreaterThan(0);
      }),
      { numRuns: runsOf(500) },
    );
  });

  it('any documents give an index that answers every query, in their order', async () => {
    const target = join(folder, 'documents.db');
    await fc.assert(
      fc.asyncProperty(fc.array(blob, { maxLength: 6 }), async (documents) => {
        const valid = documents.filter((document) => answerOf('CatalogInvalid', () => parseKeys(document, place)));
        const lines = valid.map((document) => `${JSON.stringify(document)}\n`);
        await buildIndex({ files: [{ path: 'a', content: Buffer.from(lines.join('')) }], target });
        const index = openIndex(target);
        for (const { name, bundles } of index.packages()) {
          expect(index.package(name)?.bundles.length).toBeLessThanOrEqual(bundles);
        }
        expect(Buffer.concat([...index.blobs()]).toString()).toBe(Buffer.from(lines.join('')).toString());
        index.close();
      }),
      { numRuns: runsOf(100) },
    );
  });
});

describe('files', () => {
  it.each([
    { form: 'JSON', text: JSON_CATALOG },
    { form: 'YAML', text: YAML_CATALOG },
  ])('of damaged $form are documents on one line each, or refused', ({ text }) => {
    fc.assert(
      fc.property(damaged(text), (bytes) => {
        answerOf('CatalogInvalid', () => {
          for (const document of parseDocuments('catalog', bytes, DEFAULT_LIMITS)) {
            const line = Buffer.from(document.bytes).toString();
            expect(line).not.toContain('\n');
            expect(JSON.parse(line)).toBeInstanceOf(Object);
          }
        });
      }),
      { numRuns: runsOf(1500) },
    );
  });

  it('any patterns leave files out, or are refused', () => {
    const piece = fc.constantFrom(
      '*',
      '**',
      '/',
      '?',
      '[',
      ']',
      '!',
      '#',
      '\\',
      'a',
      'b',
      '\n',
      '{',
      ' ',
      '.',
      '[a-',
      '$',
    );
    const patterns = fc.array(piece, { maxLength: 30 }).map((pieces) => pieces.join(''));
    const path = fc.stringMatching(/^[ab.\\*[\] ]{1,6}(\/[ab]{1,20}){0,12}$/);
    fc.assert(
      fc.property(patterns, fc.uniqueArray(path, { maxLength: 5 }), (text, paths) => {
        const files = new Map(['.indexignore', ...paths].map((name) => [name, Buffer.from(text)]));
        const kept = answerOf('CatalogInvalid', () => [...catalogFilesOf(files)].map((file) => file.path)) ?? [];
        for (const name of kept) expect(paths).toContain(name);
      }),
      { numRuns: runsOf(1500) },
    );
  });
});

describe('bundles and templates', () => {
  const files = makeFiles({
    objects: [{ apiVersion: 'apiextensions.k8s.io/v1', kind: 'CustomResourceDefinition', spec: { group: 'g' } }],
    metadata: { annotations: { 'olm.properties': '[{"type":"x","value":1}]' } },
    files: { 'metadata/dependencies.yaml': 'dependencies:\n- type: olm.gvk\n  value: {group: g, kind: K}\n' },
  });

  it.each([...files.keys()])('a bundle whose %s is damaged has an entry, or is refused', (path) => {
    fc.assert(
      fc.property(damaged(Buffer.from(files.get(path)!).toString()), (bytes) => {
        const changed = new Map([...files, [path, bytes]]);
        for (const manifests of ['objects', 'excerpt'] as const) {
          const made = answerOf('BundleInvalid', () =>
            buildBundleBlob(parseBundleDirectory(changed), { image: 'r.example/g', manifests }),
          );
          if (made !== undefined) expect(made.schema).toBe('olm.bundle');
        }
      }),
      { numRuns: runsOf(200) },
    );
  });

  it.each([100, 5000, 200_000])('properties nested %i deep in an annotation are refused or read', (depth) => {
    const nested = `[{"type":"x","value":${'['.repeat(depth)}${']'.repeat(depth)}}]`;
    const bundle = makeFiles({ metadata: { annotations: { 'olm.properties': nested } } });
    const made = answerOf('BundleInvalid', () =>
      buildBundleBlob(parseBundleDirectory(bundle), { image: 'r.example/g', manifests: 'excerpt' }),
    );
    expect(made !== undefined).toBe(depth < 200);
  });

  const known: BundleBlob = {
    schema: 'olm.bundle',
    name: 'gadget.v1',
    package: 'gadget',
    image: 'a',
    properties: [{ type: 'olm.package', value: { packageName: 'gadget', version: '1.0.0' } }],
    relatedImages: [],
  };
  const bundles = new Map(['a', 'b', 'gadget'].map((image) => [image, { ...known, image, name: image }]));
  const images = record({ bundles: list(record({ image: word })) });

  it('a basic template is expanded, or refused', () => {
    const template = record({ schema: fc.constant(BASIC_SCHEMA), entries: list(blob) });
    fc.assert(
      fc.property(template, (one) => {
        answerOf('CatalogInvalid', () => basicImages(one));
        answerOf('CatalogInvalid', () => expandBasic(one, bundles));
      }),
      { numRuns: runsOf(500) },
    );
  });

  it('a semver template is expanded, or refused', () => {
    const shape = {
      schema: fc.constant(SEMVER_SCHEMA),
      generateMajorChannels: fc.boolean(),
      stable: images,
      fast: images,
    };
    fc.assert(
      fc.property(record(shape), (one) => {
        answerOf('CatalogInvalid', () => semverImages(one));
        answerOf('CatalogInvalid', () => expandSemver(one, bundles, versionRules));
      }),
      { numRuns: runsOf(500) },
    );
  });

  it('damaged YAML of a template never does more than that', () => {
    const text = 'schema: olm.semver\ngenerateMajorChannels: true\nstable:\n  bundles:\n  - image: a\n  - image: b\n';
    fc.assert(
      fc.property(damaged(text), (bytes) => {
        let value: unknown;
        try {
          value = parseYaml(bytes)[0]?.value;
        } catch {
          return; // not YAML any more
        }
        if (typeof value === 'object' && value !== null && !Array.isArray(value)) {
          answerOf('CatalogInvalid', () => expandSemver(value as Fields, bundles, versionRules));
        }
      }),
      { numRuns: runsOf(300) },
    );
  });
});

describe('repositories', () => {
  const tag = fc.oneof(
    fc.stringMatching(/^v?[0-2]\.[0-2]\.[0-2](-rc\.[0-2])?(_[0-2])?$/),
    fc.string({ unit: 'binary', maxLength: 12 }),
    fc.constantFrom('1.0.0', 'v1.0.0', 'latest', '9'.repeat(300), '1.0.0_', '1.0.0-', '٣.0.0', '1'.repeat(100_000)),
  );

  it('any tags are ordered; each version is there once, lower ones first', () => {
    fc.assert(
      fc.property(fc.array(tag, { maxLength: 20 }), (tags) => {
        const { versions } = orderTags(tags, versionRules);
        for (const [index, { version }] of versions.entries()) {
          const next = versions[index + 1];
          if (next !== undefined) expect(versionRules.compareBundleVersions(version, next.version)).toBeLessThan(0);
        }
      }),
      { numRuns: runsOf(500) },
    );
  });

  it('any bundles behind the tags make a valid catalog', () => {
    const version = fc.constantFrom('1.0.0', '1.1.0', '2.0.0-rc.1', '1.0.0+1', 'x', '');
    const bundle = fc.record({
      name: fc.constantFrom('a', 'b', 'c'),
      package: fc.constantFrom('gadget', 'other'),
      version,
    });
    const tags = fc.array(fc.tuple(tag, bundle), { maxLength: 8 });
    fc.assert(
      fc.property(tags, (pairs) => {
        const described = new Map(pairs);
        const { versions } = orderTags([...described.keys()], versionRules);
        const { documents } = buildRepositoryCatalog(
          [
            {
              repository: 'registry.example/gadget',
              versions: versions.map((one) => ({ ...one, bundle: blobOf(described.get(one.tag)!) })),
            },
          ],
          versionRules,
        );
        const checker = createCatalogChecker(versionRules);
        for (const document of documents) checker.add(document, place);
        const errors = checker.finish().filter(({ severity }) => severity === 'error');
        expect(errors.map(({ rule }) => rule)).toEqual(documents.length === 0 ? ['NoPackages'] : []);
      }),
      { numRuns: runsOf(500) },
    );
  });

  function blobOf({
    name,
    package: packageName,
    version,
  }: {
    name: string;
    package: string;
    version: string;
  }): BundleBlob {
    const image = `registry.example/gadget@sha256:${'0'.repeat(64)}`;
    const properties = [{ type: 'olm.package', value: { packageName, version } }];
    return { schema: 'olm.bundle', name, package: packageName, image, properties, relatedImages: [] };
  }
});

describe('texts of a request and of references', () => {
  const text = fc.oneof(
    fc.string({ unit: 'binary', maxLength: 30 }),
    fc
      .array(fc.constantFrom('gzip', 'zstd', ';q=', '0.5', ',', '*', 'W/', '"', 'a', ':', '@', '/', '-', '.', '_', 'A'))
      .map((pieces) => pieces.join('')),
    fc.constantFrom(
      'a'.repeat(100_000),
      '-'.repeat(100_000),
      'a-'.repeat(50_000),
      '"'.repeat(100_001),
      'A.'.repeat(50_000),
    ),
  );

  it('any texts of a request are answered', () => {
    fc.assert(
      fc.property(text, text, (one, other) => {
        expect(['identity', 'gzip', 'zstd']).toContain(chooseEncoding(one));
        const headers = {
          'if-none-match': one,
          'if-match': other,
          'if-modified-since': one,
          'if-unmodified-since': other,
        };
        expect([304, 412, undefined]).toContain(checkPreconditions(headers, { etag: 'W/"a"', modified: new Date(0) }));
        const problem = imageProblem(one);
        expect(problem === undefined || problem.length > 0).toBe(true);
      }),
      { numRuns: runsOf(1000) },
    );
  });
});
