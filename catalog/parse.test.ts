import { describe, expect, it } from 'vitest';
import { ReasonedError } from '../api/errors.ts';
import type { Fields } from '../api/untyped.ts';
import { DEFAULT_LIMITS } from './limits.ts';
import { parseKeys, parseMeaning } from './parse.ts';
import { parseDocuments } from './stream.ts';

const place = { path: 'catalog.yaml', document: 2 };

function meaning(document: Fields) {
  return parseMeaning(parseKeys(document, place), document);
}

describe('the keys of a document', () => {
  it.each([
    { because: 'as they are documented', document: { schema: 's', package: 'p', name: 'n' } },
    { because: 'in any case', document: { Schema: 's', PACKAGE: 'p', Name: 'n' } },
    { because: 'with letters that fold to them', document: { ſchema: 's', pacKage: 'p', name: 'n' } },
  ])('the keys of a document are found $because', ({ document }) => {
    expect(parseKeys(document, place)).toEqual({ schema: 's', package: 'p', name: 'n' });
  });

  it.each([
    { because: 'the schema is missing', document: { name: 'n' } },
    { because: 'the schema is empty', document: { schema: '' } },
    { because: 'the schema is no text', document: { schema: 7 } },
    { because: 'the name is null', document: { schema: 's', name: null } },
    { because: 'two keys differ in case only', document: { schema: 's', Schema: 's' } },
    { because: 'two other keys differ in case only', document: { schema: 's', x: 1, X: 2 } },
  ])('a document is refused where $because', ({ document }) => {
    expect(() => parseKeys(document as Fields, place)).toThrow(ReasonedError);
    expect(() => parseKeys(document as Fields, place)).toThrow(/catalog\.yaml, document 2/);
  });
});

describe('the content of a document', () => {
  it('a channel has its entries, with field names in any case', () => {
    const document = {
      schema: 'olm.channel',
      name: ' stable',
      package: 'p',
      Entries: [
        { Name: 'b', replaces: 'a', skips: ['x'], SKIPRANGE: '<1.0.0' },
        { name: 'c', replaces: '', skips: null },
      ],
    };
    expect(meaning(document)).toEqual({
      kind: 'channel',
      channel: {
        name: ' stable',
        entries: [
          { name: 'b', replaces: 'a', skips: ['x'], skipRange: '<1.0.0' },
          { name: 'c', skips: [] },
        ],
      },
      problems: [],
    });
  });

  it('a bundle has its version from olm.package, and no bulky properties', () => {
    const document = {
      schema: 'olm.bundle',
      name: 'b',
      package: 'p',
      image: 'i',
      properties: [
        { type: 'olm.package', value: { packageName: 'p', version: '1.0.0', release: '2' } },
        { type: 'olm.bundle.object', value: { data: 'eA==' } },
        { type: 'olm.csv.metadata', value: {} },
        { type: 'anything', value: [1] },
      ],
      relatedImages: [{ name: 'a', image: 'x' }, { image: 'y' }],
    };
    expect(meaning(document)).toEqual({
      kind: 'bundle',
      bundle: {
        name: 'b',
        package: 'p',
        version: '1.0.0',
        release: '2',
        image: 'i',
        inlined: true,
        properties: [document.properties[0], document.properties[3]],
        relatedImages: [
          { name: 'a', image: 'x' },
          { name: '', image: 'y' },
        ],
      },
      problems: [],
    });
  });

  it('deprecations have their subjects', () => {
    const reference = { schema: 'olm.bundle', name: 'b' };
    const document = {
      schema: 'olm.deprecations',
      package: 'p',
      entries: [
        { reference, message: 'm' },
        { reference: { schema: 'olm.package', name: 'p' }, message: 'n' },
      ],
    };
    expect(meaning(document)).toEqual({
      kind: 'deprecations',
      deprecations: [
        { schema: 'olm.bundle', name: 'b', message: 'm' },
        { schema: 'olm.package', message: 'n' },
      ],
      problems: [],
    });
  });

  it('a document of an unknown schema is kept', () => {
    expect(meaning({ schema: 'custom', entries: 7 })).toEqual({ kind: 'other', problems: [] });
  });

  it.each([
    { because: 'entries are a text', document: { schema: 'olm.channel', name: 'c', package: 'p', entries: 'x' } },
    { because: 'an entry is a number', document: { schema: 'olm.channel', name: 'c', package: 'p', entries: [7] } },
    { because: 'an entry has no name', document: { schema: 'olm.channel', name: 'c', package: 'p', entries: [{}] } },
    ...[{ replaces: 7 }, { skipRange: 0.1 }, { skips: 'a' }, { skips: ['a', 7] }].map((edge) => ({
      because: `an edge is left out: ${JSON.stringify(edge)}`,
      document: { schema: 'olm.channel', name: 'c', package: 'p', entries: [{ name: 'b', ...edge }] },
    })),
    { because: 'a bundle has no properties', document: { schema: 'olm.bundle', name: 'b', package: 'p' } },
    { because: 'the default channel is a number', document: { schema: 'olm.package', name: 'p', defaultChannel: 4.1 } },
    { because: 'a description is a list', document: { schema: 'olm.package', name: 'p', description: [] } },
    ...[{ version: 1 }, { version: '1.0.0', release: 1 }, { version: '1.0.0', packageName: true }].map((value) => ({
      because: `the identity of a bundle is no text: ${JSON.stringify(value)}`,
      document: { schema: 'olm.bundle', name: 'b', package: 'p', properties: [{ type: 'olm.package', value }] },
    })),
    {
      because: 'the image of a bundle is an object',
      document: {
        schema: 'olm.bundle',
        name: 'b',
        package: 'p',
        image: {},
        properties: [{ type: 'olm.package', value: { version: '1.0.0' } }],
      },
    },
    { because: 'a property is null', document: { schema: 'olm.bundle', name: 'b', package: 'p', properties: [null] } },
    {
      because: 'a deprecation has no subject',
      document: { schema: 'olm.deprecations', package: 'p', entries: [{ message: 'm' }] },
    },
  ])('data that cannot be parsed is named: $because', ({ document }) => {
    expect(meaning(document).problems).not.toEqual([]);
  });
});

describe('the version of Kubernetes that a bundle needs', () => {
  const metadata = (value: object): object => ({
    schema: 'olm.bundle',
    name: 'a.v1',
    package: 'a',
    properties: [{ type: 'olm.csv.metadata', value }],
  });

  it.each([
    { because: 'the excerpt has it', value: { minKubeVersion: '1.20.0' }, needs: ['1.20.0'] },
    { because: 'the excerpt lacks it', value: { maturity: 'alpha' }, needs: [] },
    { because: 'it is empty', value: { minKubeVersion: '' }, needs: [] },
    {
      because: 'a text that mentions it is no key',
      value: { annotations: { x: '{"minKubeVersion":"9.0.0"}' } },
      needs: [],
    },
    {
      because: 'a text that mentions it does not hide the key',
      value: { annotations: { x: '{"minKubeVersion":"9.0.0"}' }, minKubeVersion: '1.20.0' },
      needs: ['1.20.0'],
    },
  ])('a bundle needs Kubernetes $needs where $because', ({ value, needs }) => {
    for (const text of [JSON.stringify(metadata(value)), JSON.stringify(metadata(value), undefined, 2)]) {
      const [document] = parseDocuments('a.json', Buffer.from(text), DEFAULT_LIMITS);
      const read = meaning(document?.value ?? {});
      expect(read.kind === 'bundle' ? read.bundle.properties : undefined).toEqual(
        needs.map((version) => ({ type: 'slipway.minKubeVersion', value: version })),
      );
    }
  });
});
