import { describe, expect, test } from 'vitest';
import { formatJson } from '../../api/json.ts';
import type { Fields } from '../../api/untyped.ts';
import type { BundleBlob } from '../blob.ts';
import { versionRules } from '../testing/version-rules.ts';
import { decideAdd, type AddWishes } from './add.ts';
import { entriesOf } from './channel.ts';
import { packageDocuments, readDocumentFiles, type DocumentFile, type PackageDocuments } from './documents.ts';
import { editFiles, isIdle, type CatalogEdit } from './edit.ts';
import { decidePromotion } from './promote.ts';
import { decideRemove } from './remove.ts';

const PACKAGE = { schema: 'olm.package', name: 'gadget', defaultChannel: 'stable' };

function bundle(version: string, more: Partial<BundleBlob> = {}): BundleBlob {
  return {
    schema: 'olm.bundle',
    name: `gadget.v${version}`,
    package: 'gadget',
    image: `registry.example/gadget:v${version}`,
    properties: [{ type: 'olm.package', value: { packageName: 'gadget', version } }],
    relatedImages: [],
    ...more,
  };
}

function channel(name: string, entries: readonly object[]): Fields {
  return { schema: 'olm.channel', package: 'gadget', name, entries };
}

const entry = (version: string, edges: object = {}): object => ({ name: `gadget.v${version}`, ...edges });
const CHAIN = [entry('1.0.0'), entry('1.1.0', { replaces: 'gadget.v1.0.0' })];
const DOCUMENTS: readonly Fields[] = [PACKAGE, channel('stable', CHAIN), bundle('1.0.0'), bundle('1.1.0')];

/** Small enough for tests: every document of YAML is one line of JSON. */
const writeYaml = (value: Fields): string => `${formatJson(value)}\n`;

/** The texts of one catalog in several layouts. */
const LAYOUTS: Readonly<Record<string, (documents: readonly Fields[]) => ReadonlyMap<string, string>>> = {
  'JSON lines': (documents) => new Map([['a.json', documents.map((one) => `${formatJson(one)}\n`).join('')]]),
  'indented JSON': (documents) => new Map([['a.json', documents.map((one) => `${formatJson(one, 4)}\n`).join('')]]),
  'YAML documents': (documents) =>
    new Map([['a.yaml', documents.map((one) => `---\n# a note\n${formatJson(one, 2)}\n`).join('')]]),
  'a file for each document': (documents) =>
    new Map(documents.map((one, at) => [`part/${at}.yaml`, `# part ${at}\n\n${formatJson(one, 2)}\n`])),
};

type Files = ReadonlyMap<string, DocumentFile>;

function read(texts: ReadonlyMap<string, string>): Files {
  return readDocumentFiles(new Map([...texts].map(([path, text]) => [path, Buffer.from(text)])));
}

/** The texts after an edit. */
function carriedOut(
  texts: ReadonlyMap<string, string>,
  decide: (documents: PackageDocuments) => CatalogEdit,
): ReadonlyMap<string, string> {
  const files = read(texts);
  const edited = editFiles(files, decide(packageDocuments(files, 'gadget')), writeYaml);
  if (!edited.ok) throw new Error(`document ${edited.document.ordinal} cannot be edited`);
  const result = new Map(texts);
  for (const [path, text] of edited.files) {
    if (text === undefined) result.delete(path);
    else result.set(path, text);
  }
  return result;
}

/** `stable: gadget.v1.0.0, gadget.v1.1.0 replaces …` for each channel. */
function channelsIn(texts: ReadonlyMap<string, string>): readonly string[] {
  return [...packageDocuments(read(texts), 'gadget').channels].map(
    ([name, one]) =>
      `${name}: ${entriesOf(one)
        .map(({ name: own, ...edges }) =>
          [own, ...(Object.keys(edges).length > 0 ? [JSON.stringify(edges)] : [])].join(' '),
        )
        .join(', ')}`,
  );
}

function bundlesIn(texts: ReadonlyMap<string, string>): readonly string[] {
  return [...packageDocuments(read(texts), 'gadget').bundles.keys()];
}

const NOT_STATED = { channels: [], skips: [] };
const adding =
  (added: BundleBlob, wishes: AddWishes = {}, stated: Partial<Parameters<typeof decideAdd>[1]['stated']> = {}) =>
  (documents: PackageDocuments): CatalogEdit =>
    decideAdd(documents, { bundle: added, stated: { ...NOT_STATED, ...stated } }, wishes, versionRules);

const EDITS = [
  {
    because: 'a new version replaces the head',
    decide: adding(bundle('1.2.0')),
    channels: [
      'stable: gadget.v1.0.0, gadget.v1.1.0 {"replaces":"gadget.v1.0.0"}, gadget.v1.2.0 {"replaces":"gadget.v1.1.0"}',
    ],
    bundles: ['gadget.v1.0.0', 'gadget.v1.1.0', 'gadget.v1.2.0'],
  },
  {
    because: 'the edges of the bundle count before the head',
    decide: adding(bundle('1.2.0'), {}, { replaces: 'gadget.v1.0.0', skips: ['gadget.v1.1.0'] }),
    channels: [
      'stable: gadget.v1.0.0, gadget.v1.1.0 {"replaces":"gadget.v1.0.0"}, gadget.v1.2.0 {"replaces":"gadget.v1.0.0","skips":["gadget.v1.1.0"]}',
    ],
    bundles: ['gadget.v1.0.0', 'gadget.v1.1.0', 'gadget.v1.2.0'],
  },
  {
    because: 'the edges of the author count before those of the bundle, in a channel that is new',
    decide: adding(
      bundle('1.2.0'),
      { channels: ['fast'], skipRange: '<1.2.0' },
      { channels: ['stable'], replaces: 'gadget.v1.0.0' },
    ),
    channels: [
      'stable: gadget.v1.0.0, gadget.v1.1.0 {"replaces":"gadget.v1.0.0"}',
      'fast: gadget.v1.2.0 {"skipRange":"<1.2.0"}',
    ],
    bundles: ['gadget.v1.0.0', 'gadget.v1.1.0', 'gadget.v1.2.0'],
  },
  {
    because: 'a version of one channel is put into a further one',
    decide: (documents: PackageDocuments) =>
      decidePromotion(documents, { version: '1.1.0', from: 'stable', to: 'lts' }, versionRules),
    channels: ['stable: gadget.v1.0.0, gadget.v1.1.0 {"replaces":"gadget.v1.0.0"}', 'lts: gadget.v1.1.0'],
    bundles: ['gadget.v1.0.0', 'gadget.v1.1.0'],
  },
  {
    because: 'the head is removed',
    decide: (documents: PackageDocuments) => decideRemove(documents, { version: '1.1.0' }),
    channels: ['stable: gadget.v1.0.0'],
    bundles: ['gadget.v1.0.0'],
  },
  {
    because: 'the version below the head is removed, and its users still reach the head',
    decide: (documents: PackageDocuments) => decideRemove(documents, { version: 'gadget.v1.0.0' }),
    channels: ['stable: gadget.v1.1.0 {"skips":["gadget.v1.0.0"]}'],
    bundles: ['gadget.v1.1.0'],
  },
  {
    because: 'the whole package is removed',
    decide: (documents: PackageDocuments) => decideRemove(documents, {}),
    channels: [],
    bundles: [],
  },
];

describe.each(Object.entries(LAYOUTS))('a catalog in %s', (_name, layout) => {
  test.each(EDITS)('is edited as data: $because', ({ decide, channels, bundles }) => {
    const after = carriedOut(layout(DOCUMENTS), decide);
    expect({ channels: channelsIn(after), bundles: bundlesIn(after) }).toEqual({ channels, bundles });
  });

  test.each(EDITS)('has nothing to change in a second run: $because', ({ decide }) => {
    const files = read(carriedOut(layout(DOCUMENTS), decide));
    expect(isIdle(decide(packageDocuments(files, 'gadget')))).toBe(true);
  });

  test.each(EDITS)('keeps each line that is about something else: $because', ({ decide }) => {
    const other = [
      { schema: 'olm.package', name: 'other', defaultChannel: 'stable' },
      { ...channel('stable', CHAIN), package: 'other' },
    ];
    const before = layout([...other, ...DOCUMENTS]);
    const after = carriedOut(before, decide);
    for (const [path, text] of layout(other)) {
      expect((after.get(path) ?? '').startsWith(text.trimEnd())).toBe(true);
    }
  });
});

const YAML = `# Maintained by the lighting team.

---
schema: olm.package
name: gadget
defaultChannel: stable   # never candidate
---
# What most users have.
schema: olm.channel
package: gadget
name: stable
entries:
  - name: gadget.v1.0.0
  - name: gadget.v1.1.0  # fixes the lamp
    replaces: gadget.v1.0.0
---
schema: olm.bundle
package: gadget
name: gadget.v1.0.0
image: registry.example/gadget:v1.0.0
properties:
- {type: olm.package, value: {packageName: gadget, version: 1.0.0}}
---
schema: olm.bundle
package: gadget
name: gadget.v1.1.0
image: registry.example/gadget:v1.1.0
properties:
- {type: olm.package, value: {packageName: gadget, version: 1.1.0}}
`;
const DEPRECATIONS = `---
schema: olm.deprecations
package: gadget
entries:
- reference: {schema: olm.bundle, name: gadget.v1.0.0} # old
  message: too old
- reference: {schema: olm.package}
  message: use lamp
`;

describe('a file that a person wrote', () => {
  const edited = (text: string, decide: (documents: PackageDocuments) => CatalogEdit): string | undefined =>
    carriedOut(new Map([['catalog.yaml', text]]), decide).get('catalog.yaml');

  test.each([
    {
      because: 'an entry and a document are added',
      text: YAML,
      decide: adding(bundle('1.2.0')),
      after: `${YAML.replace('lamp\n    replaces: gadget.v1.0.0\n', 'lamp\n    replaces: gadget.v1.0.0\n  - name: gadget.v1.2.0\n    replaces: gadget.v1.1.0\n')}---\n${writeYaml(bundle('1.2.0'))}`,
    },
    {
      because: 'the text does not end with a line break',
      text: YAML.trimEnd(),
      decide: adding(bundle('1.2.0'), { channels: ['fast'] }),
      after: `${YAML.replace(/---\nschema: olm.bundle/, `---\n${writeYaml(channel('fast', [{ name: 'gadget.v1.2.0' }]))}---\nschema: olm.bundle`)}---\n${writeYaml(bundle('1.2.0'))}`,
    },
    {
      because: 'an entry and a document are removed with the separator',
      text: YAML,
      decide: (documents: PackageDocuments) => decideRemove(documents, { version: '1.1.0' }),
      after: YAML.replace(/ {2}- name: gadget.v1.1.0[^]*?(?=---)/, '').replace(
        /---\nschema: olm.bundle\npackage: gadget\nname: gadget.v1.1.0[^]*$/,
        '',
      ),
    },
    {
      because: 'a deprecation of the removed bundle goes, the others stay',
      text: YAML + DEPRECATIONS,
      decide: (documents: PackageDocuments) => decideRemove(documents, { version: '1.0.0' }),
      after: `${YAML.replace('  - name: gadget.v1.0.0\n', '')
        .replace('    replaces: gadget.v1.0.0\n', '    skips:\n      - gadget.v1.0.0\n')
        .replace(
          /---\nschema: olm.bundle\npackage: gadget\nname: gadget.v1.0.0[^]*?(?=---)/,
          '',
        )}${DEPRECATIONS.replace(/- reference: \{schema: olm.bundle.*\n.*\n/, '')}`,
    },
    {
      because: 'the note at the top of the file is about the file, not about its first document',
      text: YAML.replace('\n\n---\n', '\n\n'),
      decide: (documents: PackageDocuments): CatalogEdit => ({
        changed: new Map(),
        removed: new Set([documents.head!]),
        added: [],
      }),
      after: YAML.replace(/---\nschema: olm.package[^]*?(?=---)/, ''),
    },
  ])('keeps everything else: $because', ({ text, decide, after }) => {
    expect(edited(text, decide)).toBe(after);
  });

  test('is not made if the document has a layout that cannot be edited', () => {
    const text = YAML.replace('entries:', 'entries: &all');
    const files = read(new Map([['catalog.yaml', text]]));
    const result = editFiles(files, adding(bundle('1.2.0'))(packageDocuments(files, 'gadget')), writeYaml);
    expect(result).toMatchObject({ ok: false, document: { ordinal: 2 } });
  });

  test('a package that is new gets a file of its own, with its default channel', () => {
    const after = carriedOut(
      new Map([['other.yaml', YAML.replaceAll('gadget', 'other')]]),
      adding(bundle('1.0.0'), {}, { channels: ['fast', 'slow'], defaultChannel: 'slow' }),
    );
    expect([...after.keys()]).toEqual(['other.yaml', 'gadget/catalog.yaml']);
    expect(channelsIn(after)).toEqual(['fast: gadget.v1.0.0', 'slow: gadget.v1.0.0']);
    expect(packageDocuments(read(after), 'gadget').head?.value).toMatchObject({
      name: 'gadget',
      defaultChannel: 'slow',
    });
  });
});

describe('an edit is refused', () => {
  const several = channel('stable', [...CHAIN, entry('1.3.0')]);
  test.each([
    {
      because: 'the name has other content',
      documents: DOCUMENTS,
      decide: adding(bundle('1.1.0', { image: 'other' })),
      message: /has gadget\.v1\.1\.0 with other content/,
    },
    {
      because: 'the version has another name',
      documents: DOCUMENTS,
      decide: adding(bundle('1.1.0', { name: 'gadget-1' })),
      message: /has version 1\.1\.0 under the name gadget\.v1\.1\.0/,
    },
    {
      because: 'the entry has other edges',
      documents: DOCUMENTS,
      decide: adding(bundle('1.1.0'), { replaces: 'gadget.v0.9.0' }),
      message: /has gadget\.v1\.1\.0 with other edges/,
    },
    {
      because: 'the head is higher',
      documents: DOCUMENTS,
      decide: adding(bundle('1.0.5')),
      message: /gadget\.v1\.1\.0, is higher than gadget\.v1\.0\.5/,
    },
    {
      because: 'no head is the only one',
      documents: [PACKAGE, several, bundle('1.3.0')],
      decide: adding(bundle('1.4.0')),
      message: /has several heads: gadget\.v1\.1\.0, gadget\.v1\.3\.0/,
    },
    {
      because: 'the default channel would be empty',
      documents: [
        PACKAGE,
        channel('stable', [entry('1.0.0')]),
        channel('fast', [entry('2.0.0')]),
        bundle('1.0.0'),
        bundle('2.0.0'),
      ],
      decide: (documents: PackageDocuments) => decideRemove(documents, { version: '1.0.0' }),
      message: /last bundle of "stable", the default channel/,
    },
    {
      because: 'the channel to remove from does not exist',
      documents: DOCUMENTS,
      decide: (documents: PackageDocuments) => decideRemove(documents, { version: '1.0.0', channels: ['beta'] }),
      message: /has no channel "beta"/,
    },
    {
      because: 'the channel to promote from does not exist',
      documents: DOCUMENTS,
      decide: (documents: PackageDocuments) =>
        decidePromotion(documents, { version: '1.0.0', from: 'beta', to: 'stable' }, versionRules),
      message: /has no channel "beta"/,
    },
    {
      because: 'the channel to promote from lacks the version',
      documents: DOCUMENTS,
      decide: (documents: PackageDocuments) =>
        decidePromotion(documents, { version: '9.0.0', from: 'stable', to: 'fast' }, versionRules),
      message: /has no version 9\.0\.0/,
    },
    {
      because: 'the channel to promote to is ahead',
      documents: [...DOCUMENTS, channel('fast', [entry('2.0.0')]), bundle('2.0.0')],
      decide: (documents: PackageDocuments) =>
        decidePromotion(documents, { version: '1.1.0', from: 'stable', to: 'fast' }, versionRules),
      message: /gadget\.v2\.0\.0, is higher than gadget\.v1\.1\.0/,
    },
    {
      because: 'the channel to promote to has several heads',
      documents: [PACKAGE, channel('fast', [entry('2.0.0')]), several, bundle('2.0.0')],
      decide: (documents: PackageDocuments) =>
        decidePromotion(documents, { version: '2.0.0', from: 'fast', to: 'stable' }, versionRules),
      message: /"stable" has several heads/,
    },
  ])('$because', ({ documents, decide, message }) => {
    const files = read(LAYOUTS['JSON lines']!(documents));
    const decided = (): CatalogEdit => decide(packageDocuments(files, 'gadget'));
    expect(decided).toThrow(
      expect.objectContaining({ reason: 'InputInvalid', message: expect.stringMatching(message) }),
    );
  });
});

describe('a promotion', () => {
  test('keeps skips and skipRange, and replaces the head of the other channel', () => {
    const candidate = channel('candidate', [
      ...CHAIN,
      entry('1.2.0', { replaces: 'gadget.v1.1.0', skips: ['gadget.v1.1.1'], skipRange: '<1.2.0' }),
    ]);
    const documents = [
      PACKAGE,
      channel('stable', [entry('1.0.0')]),
      candidate,
      ...['1.0.0', '1.1.0', '1.2.0'].map((one) => bundle(one)),
    ];
    const after = carriedOut(LAYOUTS['indented JSON']!(documents), (found) =>
      decidePromotion(found, { version: '1.2.0', from: 'candidate', to: 'stable' }, versionRules),
    );
    expect(channelsIn(after)[0]).toBe(
      'stable: gadget.v1.0.0, gadget.v1.2.0 {"replaces":"gadget.v1.0.0","skips":["gadget.v1.1.1"],"skipRange":"<1.2.0"}',
    );
  });
});

describe('a removal', () => {
  const documents = [
    PACKAGE,
    channel('stable', [
      ...CHAIN,
      entry('1.2.0', { replaces: 'gadget.v1.1.0', skips: ['gadget.v1.1.1'], skipRange: '>=1.0.5 <1.2.0' }),
      entry('1.3.0', { replaces: 'gadget.v1.2.0', skips: ['gadget.v1.2.1'] }),
    ]),
    channel('fast', [entry('1.2.0'), entry('1.3.0', { skips: ['gadget.v1.2.0'] })]),
    ...['1.0.0', '1.1.0', '1.2.0', '1.3.0'].map((one) => bundle(one)),
  ];
  test('hands the edges of a version on to the one that replaced it', () => {
    const after = carriedOut(LAYOUTS['JSON lines']!(documents), (found) => decideRemove(found, { version: '1.2.0' }));
    expect(channelsIn(after)).toEqual([
      'stable: gadget.v1.0.0, gadget.v1.1.0 {"replaces":"gadget.v1.0.0"}, gadget.v1.3.0 {"replaces":"gadget.v1.1.0","skips":["gadget.v1.2.1","gadget.v1.1.1","gadget.v1.2.0"],"skipRange":">=1.0.5 <1.2.0"}',
      'fast: gadget.v1.3.0 {"skips":["gadget.v1.2.0"]}',
    ]);
    expect(bundlesIn(after)).not.toContain('gadget.v1.2.0');
  });

  test('from one channel leaves the bundle and the other channels', () => {
    const after = carriedOut(LAYOUTS['JSON lines']!(documents), (found) =>
      decideRemove(found, { version: '1.2.0', channels: ['fast'] }),
    );
    expect(channelsIn(after)[0]).toContain('gadget.v1.2.0 ');
    expect(channelsIn(after)[1]).toBe('fast: gadget.v1.3.0 {"skips":["gadget.v1.2.0"]}');
    expect(bundlesIn(after)).toContain('gadget.v1.2.0');
  });

  test('of the last bundle of a channel that is not the default removes the channel', () => {
    const other = [...documents, channel('lts', [entry('1.0.0')])];
    const after = carriedOut(LAYOUTS['JSON lines']!(other), (found) =>
      decideRemove(found, { version: '1.0.0', channels: ['lts'] }),
    );
    expect(channelsIn(after).map((one) => one.split(':', 1)[0])).toEqual(['stable', 'fast']);
  });
});

describe('files that cannot be read are refused', () => {
  test.each([
    { because: 'JSON is followed by YAML', text: '{"schema":"x"}\n---\nschema: y\n' },
    { because: 'the JSON is cut off', text: '{"schema":"x"' },
    { because: 'the YAML is defective', text: 'schema: [\n' },
    { because: 'a document is no object', text: '- a\n' },
    { because: 'text stands behind a separator', text: 'schema: x\n--- y\n' },
  ])('$because', ({ text }) => {
    expect(() => read(new Map([['a', text]]))).toThrow(expect.objectContaining({ reason: 'CatalogInvalid' }));
  });
});
