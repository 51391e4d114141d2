import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { runsOf } from '../e2e/lib/sample.ts';
import { ReasonedError } from '../api/errors.ts';
import { parseBundle } from './parse.ts';
import { makeBundle, makeCrd, makeDeployment, makeFiles, type BundleParts } from './testing/bundle.ts';

describe('a bundle', () => {
  it('a bundle has the package, channels and default channel of its annotations', () => {
    const { annotations, ...bundle } = makeBundle({
      files: {
        'metadata/annotations.yaml': [
          'Annotations:',
          '  operators.operatorframework.io.bundle.package.v1: 7',
          '  operators.operatorframework.io.bundle.channels.v1: stable, fast',
          '  operators.operatorframework.io.bundle.channel.default.v1: stable',
        ].join('\n'),
      },
    });
    expect(bundle).toMatchObject({ package: '7', channels: ['stable', ' fast'], defaultChannel: 'stable' });
    expect(annotations.size).toBe(3);
  });

  it('a bundle keeps CRDs and other objects apart, in the order of files and documents', () => {
    const { crds, objects } = makeBundle({
      files: {
        'manifests/b.yaml': 'kind: Secret\nmetadata: {name: s2}\n---\nkind: Secret\nmetadata: {name: s1}\n',
        'manifests/a.txt': JSON.stringify(makeCrd()),
        'manifests/.hidden': 'apiVersion: v1\nkind: ConfigMap\nmetadata: {name: c}\n',
      },
    });
    expect(crds.map(({ file }) => file)).toEqual(['manifests/a.txt']);
    expect(objects.map(({ file, document, object }) => `${file} ${document} ${object.metadata.name}`)).toEqual([
      'manifests/.hidden 1 c',
      'manifests/b.yaml 1 s2',
      'manifests/b.yaml 2 s1',
    ]);
  });

  it.each([
    { name: '.DS_Store', bytes: '\0\0\0\u0001Bud1', because: 'the desktop of macOS leaves it in each folder' },
    { name: '._csv.yaml', bytes: Uint8Array.of(0, 5, 22, 7, 0xff, 0xfe), because: 'macOS keeps attributes in it' },
    { name: '.csv.yaml.swp', bytes: 'b0VIM 9.0\0\0', because: 'an editor was killed' },
    { name: '.gitignore', bytes: '*.swp\n', because: 'its YAML is broken' },
    { name: '.notes', bytes: 'to do\n', because: 'it holds no object' },
    { name: '.half.yaml', bytes: 'kind: Secret\nmetadata: {name: a}\n---\nkind: [\n', because: 'the rest is broken' },
  ])('a hidden file that cannot be read has no objects: $name, $because', ({ name, bytes }) => {
    const content = typeof bytes === 'string' ? new TextEncoder().encode(bytes) : bytes;
    const bundle = parseBundle(new Map([...makeFiles(), [`manifests/${name}`, content]]));
    expect(bundle).toEqual(makeBundle());
    expect(thrown(() => parseBundle(new Map([...makeFiles(), [`manifests/x${name}`, content]])))).toMatchObject({
      reason: 'BundleInvalid',
    });
  });

  it('a hidden folder has no objects: an editor keeps copies of the manifests in it', () => {
    const copy = new TextEncoder().encode('kind: Secret\nmetadata: {name: a}\n');
    const read = (folder: string): unknown =>
      parseBundle(new Map([...makeFiles(), [`manifests/${folder}/copy.yaml`, copy]]));
    expect(read('.ipynb_checkpoints')).toEqual(makeBundle());
    expect(thrown(() => read('copies'))).toMatchObject({ reason: 'BundleInvalid' });
  });

  it('lists are split into items, nested ones too, and items without a kind get that of the list', () => {
    const list = {
      apiVersion: 'v1',
      kind: 'List',
      items: [
        { apiVersion: 'v1', kind: 'SecretList', items: [{ metadata: { name: 'a' } }] },
        { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'b' } },
      ],
    };
    const { objects } = makeBundle({
      objects: [list, { kind: 'SecretList', items: [] }, { kind: 'List', items: null }],
    });
    expect(objects.map(({ object }) => `${object.kind} ${object.metadata.name}`)).toEqual(['Secret a', 'ConfigMap b']);
  });

  it('a CSV in a list is found, and the other items of the list too', () => {
    const csv = {
      apiVersion: 'operators.coreos.com/v1alpha1',
      kind: 'ClusterServiceVersion',
      metadata: { name: 'hidden' },
      spec: { install: { strategy: 'deployment' } },
    };
    const list = {
      apiVersion: 'v1',
      kind: 'List',
      items: [csv, { apiVersion: 'v1', kind: 'Pod', metadata: { name: 'p' } }],
    };
    const bundle = makeBundle({ files: { 'manifests/z.json': JSON.stringify(list) } });
    expect(bundle.csv.name).toBe('hidden');
    expect(bundle.objects.map(({ object }) => object.kind)).toEqual(['Pod']);
  });

  it('a bundle keeps the published data beside the typed views', () => {
    const { objects } = makeBundle({ files: { 'manifests/x.yaml': 'kind: Secret\ntype: Opaque\n' } });
    expect(objects[0]?.raw).toEqual({ kind: 'Secret', type: 'Opaque' });
    expect(objects[0]?.object).toEqual({ apiVersion: '', kind: 'Secret', metadata: { name: '' }, type: 'Opaque' });
  });

  it('the CSV is read whatever its apiVersion is; of several the last one counts', () => {
    const csv = (name: string): string =>
      `apiVersion: any/v9\nkind: ClusterServiceVersion\nmetadata: {name: ${name}}\nspec: {install: {strategy: deployment}}\n`;
    const bundle = makeBundle({ files: { 'manifests/csv.yaml': `${csv('first.v1')}---\n${csv('second.v1')}` } });
    expect(bundle.csv.name).toBe('second.v1');
  });

  it('properties of the file are added to those of the CSV, also in the annotation that Pods get', () => {
    const bundle = makeBundle({
      metadata: { annotations: { 'olm.properties': '[{"type": "olm.maxOpenShiftVersion", "value": "4.18"}]' } },
      files: { 'metadata/properties.yaml': 'properties:\n- type: x\n  value: {b: <1>, a: 12345678901234567890}\n' },
    });
    expect(bundle.properties).toEqual([
      { type: 'olm.maxOpenShiftVersion', value: '4.18' },
      { type: 'x', value: { a: 12345678901234567890n, b: '<1>' } },
    ]);
    expect(bundle.csv.annotations['olm.properties']).toBe(
      '[{"type":"olm.maxOpenShiftVersion","value":"4.18"},{"type":"x","value":{"a":12345678901234567890,"b":"\\u003c1\\u003e"}}]',
    );
  });

  it('a bundle has no dependencies if their file cannot be parsed, and records why', () => {
    const broken = makeBundle({ files: { 'metadata/dependencies.yaml': 'dependencies: [' } });
    expect(broken).toMatchObject({ dependencies: [], dependenciesError: expect.stringContaining('dependencies.yaml') });
    const good = makeBundle({
      files: {
        'metadata/dependencies.yaml': 'dependencies:\n- {type: olm.package, value: {packageName: a, version: 1}}\n',
      },
    });
    expect(good.dependencies).toEqual([{ type: 'olm.package', value: { packageName: 'a', version: 1 } }]);
  });

  const DEPENDENCIES = 'dependencies:\n- {type: olm.package, value: {packageName: a, version: 1}}\n';
  it.each([
    { because: 'the name is misspelt', files: { 'metadata/dependency.yaml': DEPENDENCIES } },
    { because: 'the name has another ending', files: { 'metadata/dependencies.yml': DEPENDENCIES } },
    {
      because: 'the file of the usual name has none',
      files: { 'metadata/dependencies.yaml': 'dependencies: []\n', 'metadata/more.yaml': DEPENDENCIES },
    },
    {
      because: 'other files are no YAML, or no maps',
      files: { 'metadata/a.txt': 'a: [', 'metadata/b.yaml': '- dependencies\n', 'metadata/c.yaml': DEPENDENCIES },
    },
    {
      because: 'they are beside the annotations',
      files: {
        'metadata/annotations.yaml': `annotations: {operators.operatorframework.io.bundle.package.v1: p}\n${DEPENDENCIES}`,
      },
    },
  ])('a bundle has its dependencies whatever their file is called, as in opm: $because', ({ files }) => {
    expect(makeBundle({ files }).dependencies).toEqual([
      { type: 'olm.package', value: { packageName: 'a', version: 1 } },
    ]);
  });

  it('an annotation that no tool reads may hold a list or a map', () => {
    const name = 'operators.operatorframework.io.bundle.package.v1';
    const annotations = `annotations: {${name}: p, example.com/list: [a], example.com/map: {a: b}, example.com/number: 1}`;
    const bundle = makeBundle({ files: { 'metadata/annotations.yaml': annotations } });
    expect(Object.fromEntries(bundle.annotations)).toEqual({ [name]: 'p', 'example.com/number': '1' });
  });

  it('annotations and properties are read from files of other names, if none has the usual one', () => {
    const files = new Map(makeFiles());
    files.set('metadata/bundle.yml', files.get('metadata/annotations.yaml') ?? new Uint8Array());
    files.delete('metadata/annotations.yaml');
    files.set('metadata/props.yaml', new TextEncoder().encode('properties: [{type: x, value: 1}]\n'));
    expect(parseBundle(files)).toMatchObject({ package: 'gadget-operator', properties: [{ type: 'x', value: 1 }] });
  });

  it('each file is read once, and of those in metadata/ only the first document', () => {
    const first = 'x: 1\n---\ndependencies: [{type: x, value: 1}]\n---\ny: [\n';
    const files = new CountedFiles(makeFiles({ files: { 'metadata/a.yaml': first, 'metadata/b.yaml': 'z: 1\n' } }));
    expect(parseBundle(files).dependencies).toEqual([]);
    expect(files.reads).toEqual([...files.keys()].map(() => 1));
  });

  it('numbers, quantities and times are read unchanged', () => {
    const text = 'kind: ConfigMap\nmetadata: {name: c}\nbig: 9223372036854775807\nq: 1024Mi\nt: 2024-01-01T00:00:00Z\n';
    const { objects } = makeBundle({ files: { 'manifests/c.yaml': text } });
    expect(objects[0]?.object).toMatchObject({ big: 9223372036854775807n, q: '1024Mi', t: '2024-01-01T00:00:00Z' });
  });
});

/** Counts how often each file is read. */
class CountedFiles extends Map<string, Uint8Array> {
  readonly #counts = new Map<string, number>();

  override get(path: string): Uint8Array | undefined {
    this.#counts.set(path, (this.#counts.get(path) ?? 0) + 1);
    return super.get(path);
  }

  get reads(): readonly number[] {
    return [...this.keys()].map((path) => this.#counts.get(path) ?? 0);
  }
}

interface Refused extends BundleParts {
  readonly because: string;
  readonly reason: string;
  /** Texts that the message must contain. */
  readonly names: readonly string[];
}

const object = (text: string): BundleParts => ({ files: { 'manifests/x.yaml': text } });

const REFUSED: readonly Refused[] = [
  {
    because: 'one document of several is broken',
    reason: 'BundleInvalid',
    names: ['manifests/x.yaml', 'document 2'],
    ...object('kind: Secret\nmetadata: {name: a}\n---\nkind: [\n'),
  },
  {
    because: 'a document is no object',
    reason: 'BundleInvalid',
    names: ['manifests/x.yaml', 'document 1'],
    ...object('- a\n'),
  },
  {
    because: 'an object has no kind',
    reason: 'BundleInvalid',
    names: ['x.yaml', 'no kind'],
    ...object('apiVersion: v1\n'),
  },
  {
    because: 'its kind is misspelt',
    reason: 'BundleInvalid',
    names: ['x.yaml', '"Kind"'],
    ...object('Kind: Secret\n'),
  },
  { because: 'its kind is a number', reason: 'BundleInvalid', names: ['x.yaml', 'no kind'], ...object('kind: 7\n') },
  {
    because: 'its name is a number',
    reason: 'BundleInvalid',
    names: ['x.yaml', 'metadata.name'],
    ...object('kind: Secret\nmetadata: {name: 7}\n'),
  },
  {
    because: 'its metadata is a list',
    reason: 'BundleInvalid',
    names: ['x.yaml'],
    ...object('kind: Secret\nmetadata: []\n'),
  },
  {
    because: 'its apiVersion is a map',
    reason: 'BundleInvalid',
    names: ['x.yaml', 'apiVersion'],
    ...object('kind: Secret\napiVersion: {a: 1}\n'),
  },
  {
    because: 'an item of a list is no object',
    reason: 'BundleInvalid',
    names: ['x.yaml'],
    ...object('kind: List\nitems: [1]\n'),
  },
  {
    because: 'a file lies in a folder below manifests/',
    reason: 'BundleInvalid',
    names: ['manifests/a/b.yaml'],
    files: { 'manifests/a/b.yaml': 'kind: Secret' },
  },
  {
    because: 'there is no CSV',
    reason: 'BundleInvalid',
    names: ['ClusterServiceVersion'],
    files: { 'manifests/csv.yaml': '' },
  },
  {
    because: 'the name of the package is a list',
    reason: 'BundleInvalid',
    names: ['metadata/annotations.yaml', 'package.v1'],
    files: { 'metadata/annotations.yaml': 'annotations: {operators.operatorframework.io.bundle.package.v1: [p]}' },
  },
  {
    because: 'the annotations are no map',
    reason: 'BundleInvalid',
    names: ['metadata/annotations.yaml'],
    files: { 'metadata/annotations.yaml': 'annotations: [1]' },
  },
  {
    because: 'it has another format',
    reason: 'BundleUnsupported',
    names: ['helm'],
    files: {
      'metadata/annotations.yaml': 'annotations: {operators.operatorframework.io.bundle.mediatype.v1: helm}',
    },
  },
  {
    because: 'a field of the CSV has another type',
    reason: 'BundleInvalid',
    names: ['manifests/csv.yaml', 'gadget-operator.v1.0.0', 'spec.installModes[0].supported'],
    spec: { installModes: [{ type: 'AllNamespaces', supported: 'yes' }] },
  },
  {
    because: 'a quantity is invalid',
    reason: 'BundleInvalid',
    names: ['containers[0].resources.limits.cpu', 'a quantity'],
    deployments: [
      {
        name: 'd',
        spec: { template: { spec: { containers: [{ name: 'c', resources: { limits: { cpu: 'lots' } } }] } } },
      },
    ],
  },
  {
    because: 'the properties are no JSON',
    reason: 'BundleInvalid',
    names: ['olm.properties'],
    metadata: { annotations: { 'olm.properties': '[' } },
  },
  {
    because: 'a number in the properties has hundreds of digits',
    reason: 'BundleInvalid',
    names: ['olm.properties'],
    metadata: { annotations: { 'olm.properties': `[{"type": "a", "value": ${'9'.repeat(401)}}]` } },
  },
  {
    because: 'a property has no type',
    reason: 'BundleInvalid',
    names: ['metadata/properties.yaml', 'entry 1'],
    files: { 'metadata/properties.yaml': 'properties: [{value: 1}]' },
  },
  {
    because: 'a file is nested too deeply',
    reason: 'BundleTooLarge',
    names: ['manifests/x.yaml'],
    ...object(`kind: ${'['.repeat(100_000)}`),
  },
  {
    because: 'aliases multiply',
    reason: 'BundleTooLarge',
    names: ['manifests/x.yaml'],
    ...object(
      Array.from(
        { length: 12 },
        (_, i) => `a${i}: &a${i} [${i === 0 ? 'x' : `${`*a${i - 1},`.repeat(9)}*a${i - 1}`}]`,
      ).join('\n'),
    ),
  },
  {
    because: 'it has too many objects',
    reason: 'BundleTooLarge',
    names: ['1000 objects'],
    ...object(`kind: List\nitems: [${'{kind: Secret, metadata: {name: a}},'.repeat(1001)}]`),
  },
  {
    because: 'the CSV has too many webhooks',
    reason: 'BundleTooLarge',
    names: ['manifests/csv.yaml', 'spec.webhookdefinitions'],
    spec: { webhookdefinitions: Array.from({ length: 1001 }, () => ({})) },
  },
  {
    because: 'the CSV has too many containers',
    reason: 'BundleTooLarge',
    names: ['manifests/csv.yaml', 'containers'],
    deployments: ['a', 'b'].map((name) =>
      makeDeployment(name, { containers: Array.from({ length: 501 }, () => null) }),
    ),
  },
  {
    because: 'it has too many documents',
    reason: 'BundleTooLarge',
    names: ['manifests/x.yaml'],
    ...object('---\nkind: Secret\n'.repeat(2000)),
  },
  {
    because: 'a file of metadata/ is larger than any that is published',
    reason: 'BundleTooLarge',
    names: ['metadata/annotations.yaml'],
    files: { 'metadata/annotations.yaml': `annotations: {}\n# ${'x'.repeat(1 << 20)}` },
  },
  {
    because: 'it has too many files',
    reason: 'BundleTooLarge',
    names: ['1000 files'],
    files: Object.fromEntries(Array.from({ length: 1001 }, (_, index) => [`manifests/f${index}.yaml`, ''])),
  },
  {
    because: 'its files have too many values together',
    reason: 'BundleTooLarge',
    names: ['values together'],
    files: Object.fromEntries(Array.from({ length: 2 }, (_, index) => [`manifests/f${index}`, '{},'.repeat(300_000)])),
  },
  {
    because: 'its files are too large together',
    reason: 'BundleTooLarge',
    names: ['bytes together'],
    files: Object.fromEntries(
      Array.from({ length: 5 }, (_, index) => [`manifests/f${index}`, `# ${'x'.repeat(7 << 20)}`]),
    ),
  },
];

describe('a bundle is refused with its reason, never to be retried', () => {
  it.each(REFUSED)('a bundle is refused when $because', ({ reason, names, ...parts }) => {
    const error = thrown(() => makeBundle(parts));
    expect(error).toBeInstanceOf(ReasonedError);
    expect(error).toMatchObject({ reason, retry: 'never' });
    for (const name of names) expect((error as Error).message).toContain(name);
  });

  it('a bundle without annotations is refused', () => {
    const files = new Map(makeFiles());
    files.delete('metadata/annotations.yaml');
    expect(thrown(() => parseBundle(files))).toMatchObject({ reason: 'BundleInvalid' });
  });
});

describe('keys that mean something to JavaScript', () => {
  it('keys with a meaning in JavaScript are ordinary keys, in annotations, labels and data', () => {
    const nasty = '{"__proto__": "x", "constructor": "y", "hasOwnProperty": "z"}';
    const bundle = makeBundle({
      files: {
        'metadata/annotations.yaml': `annotations: ${nasty}`,
        'manifests/x.yaml': `{"kind": "Secret", "metadata": {"name": "a", "labels": ${nasty}}, "data": ${nasty}}`,
      },
    });
    expect(bundle.annotations.get('__proto__')).toBe('x');
    expect(Object.keys(bundle.objects[0]?.object.metadata.labels ?? {})).toEqual([
      '__proto__',
      'constructor',
      'hasOwnProperty',
    ]);
    expect(bundle.package).toBe('');
    expect(({} as Record<string, unknown>)['x']).toBeUndefined();
  });
});

describe('any files', () => {
  it('any files are a bundle or refused with a reason, and cause no other error', () => {
    const snippet = fc.constantFrom(
      'a: 1\n',
      '- b\n',
      'kind: Secret\n',
      'kind: List\nitems:\n',
      'metadata:\n',
      '  name: x\n',
      '  - kind: Role\n',
      'spec:\n',
      '  install: {strategy: deployment}\n',
      '---\n',
      '? [a]\n',
      '<<: *a\n',
      '&a ',
      '*a',
      '!!binary ',
      '"',
      "'",
      '{',
      ']',
      '|\n',
      '>-\n',
      '\t',
      '\r\n',
      '\u0000',
      '\uFEFF',
      '...\n',
      '%YAML 1.1\n',
      '\\',
      '~\n',
      '.inf\n',
      '1e999\n',
      ': ',
      'kind: ClusterServiceVersion\n',
      'kind: CustomResourceDefinition\n',
    );
    const text = fc.oneof(
      fc.string(),
      fc.array(snippet, { maxLength: 30 }).map((parts) => parts.join('')),
    );
    const bytes = fc.oneof(
      text.map((value) => new TextEncoder().encode(value)),
      fc.uint8Array({ maxLength: 200 }),
    );
    fc.assert(
      fc.property(bytes, bytes, bytes, (manifest, properties, dependencies) => {
        const files = new Map(makeFiles());
        files.set('manifests/x.yaml', manifest);
        files.set('metadata/properties.yaml', properties);
        files.set('metadata/dependencies.yaml', dependencies);
        const error = thrown(() => parseBundle(files));
        return error === undefined || error instanceof ReasonedError;
      }),
      { numRuns: runsOf(2000) },
    );
  });

  it('any CSV has the right types, or the error names the wrong field', () => {
    const value = fc.jsonValue({ maxDepth: 3 });
    const field = fc.constantFrom('install', 'installModes', 'webhookdefinitions', 'icon', 'customresourcedefinitions');
    fc.assert(
      fc.property(field, value, (name, data) => {
        const error = thrown(() => makeBundle({ spec: { [name]: data } }));
        return error === undefined || (error instanceof ReasonedError && error.message.includes(`spec.${name}`));
      }),
      { numRuns: runsOf(1000) },
    );
  });
});

function thrown(action: () => unknown): unknown {
  try {
    action();
  } catch (error) {
    return error;
  }
  return undefined;
}
