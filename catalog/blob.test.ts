import { describe, expect, it } from 'vitest';
import { ReasonedError } from '../api/errors.ts';
import { makeFiles, type BundleParts } from '../bundles/testing/bundle.ts';
import { buildBundleBlob, parseBundleDirectory, type BlobOptions, type BundleBlob } from './blob.ts';
import type { Property } from './model.ts';

const image = 'registry.example/gadget:v1.0.0';

function blobOf(parts: BundleParts = {}, manifests: BlobOptions['manifests'] = 'excerpt'): BundleBlob {
  return buildBundleBlob(parseBundleDirectory(makeFiles(parts)), { image, manifests });
}

/** The properties as lines `type value`, in their order. */
function stated({ properties }: BundleBlob): string[] {
  const shown = ({ type, value }: Property): string => `${type} ${JSON.stringify(value)}`;
  return properties.filter(({ type }) => type !== 'olm.csv.metadata').map(shown);
}

const IDENTITY = 'olm.package {"packageName":"gadget-operator","version":"1.0.0"}';

function crd(spec: object): object {
  return { apiVersion: 'apiextensions.k8s.io/v1', kind: 'CustomResourceDefinition', metadata: { name: 'x' }, spec };
}

describe('the entry of a bundle', () => {
  it('the entry of a bundle names the bundle, its package and its image', () => {
    expect(blobOf()).toMatchObject({
      schema: 'olm.bundle',
      name: 'gadget-operator.v1.0.0',
      package: 'gadget-operator',
      image,
    });
  });

  interface Case {
    readonly because: string;
    readonly parts: BundleParts;
    readonly properties: readonly string[];
  }
  const required = { required: [{ name: 'tools.example.com', version: 'v2', kind: 'Tool' }] };
  const cases: readonly Case[] = [
    { because: 'it states the package and the version', parts: {}, properties: [IDENTITY] },
    {
      because: 'every version of a CRD is an API',
      parts: {
        objects: [crd({ group: 'g', names: { kind: 'K' }, versions: [{ name: 'v1' }, { name: 'v2' }], version: 'v1' })],
      },
      properties: [
        'olm.gvk {"group":"g","kind":"K","version":"v1"}',
        'olm.gvk {"group":"g","kind":"K","version":"v2"}',
        IDENTITY,
      ],
    },
    {
      because: 'the group of a required CRD is part of its name',
      parts: { spec: { customresourcedefinitions: required } },
      properties: ['olm.gvk.required {"group":"example.com","kind":"Tool","version":"v2"}', IDENTITY],
    },
    {
      because: 'aggregated APIs are provided and required too',
      parts: {
        spec: {
          apiservicedefinitions: {
            owned: [{ group: 'a', version: 'v1', kind: 'A' }],
            required: [{ group: 'b', version: 'v1', kind: 'B' }],
          },
        },
      },
      properties: [
        'olm.gvk {"group":"a","kind":"A","version":"v1"}',
        'olm.gvk.required {"group":"b","kind":"B","version":"v1"}',
        IDENTITY,
      ],
    },
    {
      because: 'dependencies are requirements',
      parts: {
        files: {
          'metadata/dependencies.yaml': `dependencies:
- {type: olm.gvk, value: {group: g, kind: K, version: v1}}
- {type: olm.package, value: {packageName: tools, version: '>1.0.0'}}
- {type: olm.constraint, value: {failureMessage: no}}
`,
        },
      },
      properties: [
        'olm.constraint {"failureMessage":false}',
        'olm.gvk.required {"group":"g","kind":"K","version":"v1"}',
        IDENTITY,
        'olm.package.required {"packageName":"tools","versionRange":">1.0.0"}',
      ],
    },
    {
      because: 'dependencies are those of the first file of metadata/ that has some, whatever its name',
      parts: {
        files: {
          'metadata/created-at': 'a: [',
          'metadata/dependency.yaml': `dependencies:
- {type: olm.package, value: {packageName: tools, version: '>1.0.0'}}
`,
        },
      },
      properties: [IDENTITY, 'olm.package.required {"packageName":"tools","versionRange":">1.0.0"}'],
    },
    {
      because: 'dependencies that cannot be parsed are left out',
      parts: { files: { 'metadata/dependencies.yaml': 'dependencies: [' } },
      properties: [IDENTITY],
    },
    {
      because: 'a declared identity is the only one',
      parts: {
        files: { 'metadata/properties.yaml': 'properties:\n- {type: olm.package, value: {packageName: p}}\n' },
      },
      properties: ['olm.package {"packageName":"p"}'],
    },
    {
      because: 'an API that several places state counts once',
      parts: {
        objects: [crd({ group: 'g', names: { kind: 'K' }, versions: [{ name: 'v1' }] })],
        files: {
          'metadata/properties.yaml':
            'properties:\n- {type: olm.gvk, value: {kind: K, group: g, version: v1}}\n- {type: a, value: 1}\n- {type: a, value: 1}\n',
        },
      },
      properties: ['a 1', 'a 1', 'olm.gvk {"group":"g","kind":"K","version":"v1"}', IDENTITY],
    },
  ];

  it.each(cases)('$because', ({ parts, properties }) => {
    expect(stated(blobOf(parts))).toEqual(properties);
  });

  it('properties of an entry come from a file and an annotation, and keep integers beyond 2^53', () => {
    const blob = blobOf({
      metadata: { annotations: { 'olm.properties': '[{"type":"b","value":9007199254740993}]' } },
      files: { 'metadata/properties.yaml': 'properties:\n- {type: a, value: 1}\n' },
    });
    expect(blob.properties.slice(0, 2)).toEqual([
      { type: 'a', value: 1 },
      { type: 'b', value: 9007199254740993n },
    ]);
  });

  it('the entry of a bundle contains the whole manifests if requested', () => {
    const blob = blobOf({ objects: [crd({ group: '<&>' })] }, 'objects');
    const objects = blob.properties.filter(({ type }) => type === 'olm.bundle.object');
    const texts = objects.map(({ value }) => Buffer.from((value as { data: string }).data, 'base64').toString());
    expect(texts).toHaveLength(2);
    expect(texts.find((text) => text.includes('CustomResourceDefinition'))).toContain(String.raw`\u003c\u0026\u003e`);
    expect(blob.properties.some(({ type }) => type === 'olm.csv.metadata')).toBe(false);
  });

  it('by default, the entry has an excerpt for users, without the install strategy and the icon', () => {
    const blob = blobOf({ spec: { icon: [{ base64data: 'x', mediatype: 'y' }], keywords: ['gadget'], maturity: '' } });
    const value = blob.properties.at(-1)?.value as Record<string, unknown>;
    expect(value).toMatchObject({ displayName: 'Gadgets', keywords: ['gadget'], provider: {} });
    expect(Object.keys(value)).not.toContain('icon');
    expect(Object.keys(value)).not.toContain('install');
    expect(Object.keys(value)).not.toContain('maturity');
  });

  it("the entry names every image once: those of the CSV by their names, the bundle and the Deployments' images", () => {
    const pod = { containers: [{ image: 'r.example/c' }], initContainers: [{ image: 'r.example/b' }] };
    const { relatedImages } = blobOf({
      spec: { relatedImages: [{ name: 'one', image: 'r.example/c' }] },
      deployments: [{ name: 'd', spec: { template: { spec: pod } } }],
    });
    expect(relatedImages).toEqual([
      { name: '', image: 'r.example/b' },
      { name: 'one', image: 'r.example/c' },
      { name: '', image },
    ]);
  });
});

describe('a bundle without an entry', () => {
  it.each([
    { because: 'it has no ClusterServiceVersion', files: { 'manifests/csv.yaml': 'kind: Service\n' } },
    { because: 'it names no package', files: { 'metadata/annotations.yaml': 'annotations: {}\n' } },
    { because: 'a manifest is no YAML', files: { 'manifests/x.yaml': 'a: [' } },
    {
      because: 'its properties are no JSON',
      files: {},
      metadata: { annotations: { 'olm.properties': '[{' } },
    },
    {
      because: 'its properties have a number of hundreds of digits, which no catalog may have',
      files: {},
      metadata: { annotations: { 'olm.properties': `[{"type":"a","value":${'9'.repeat(2000)}}]` } },
    },
  ])('$because', (parts) => {
    expect(() => blobOf(parts)).toThrow(ReasonedError);
    expect(() => blobOf(parts)).toThrow(expect.objectContaining({ reason: 'BundleInvalid', retry: 'never' }));
  });

  it('a bundle with more files than an installation takes has no entry', () => {
    const files = Object.fromEntries(Array.from({ length: 1001 }, (_, at) => [`manifests/${at}.yaml`, '']));
    expect(() => blobOf({ files })).toThrow(expect.objectContaining({ reason: 'BundleTooLarge', retry: 'never' }));
  });

  it.each(['metadata/properties.yaml', 'metadata/dependencies.yaml', 'manifests/more.yaml'])(
    'a bundle whose aliases make %s a hundred times as long is refused as too large',
    (path) => {
      const list = path.slice(path.indexOf('/') + 1, path.indexOf('.'));
      const long = `a: &x ${'x'.repeat(100_000)}\n${list}:\n${'- {type: t, value: *x}\n'.repeat(100)}`;
      expect(() => blobOf({ files: { [path]: long } })).toThrow(expect.objectContaining({ reason: 'BundleTooLarge' }));
    },
  );

  it('hidden files and files in deeper folders are ignored', () => {
    const files = { 'manifests/.x.yaml': 'a: [', 'manifests/deeper/x.yaml': 'a: [', 'tests/x.yaml': 'a: [' };
    expect(blobOf({ files })).toEqual(blobOf());
  });
});
