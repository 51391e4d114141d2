import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { Catalog } from '../../api/catalog.ts';
import { buildImage, pushImage, type ImageInput } from '../../oci/build.ts';
import { startFakeRegistry, type FakeRegistry } from '../../oci/testing/fake-registry.ts';
import { parseReference } from '../../oci/reference.ts';
import { createRegistry } from '../../oci/registry.ts';
import { catalogReference, pullCatalog, resolveCatalog } from './pull.ts';

const client = createRegistry();
const { signal } = new AbortController();
const LABEL = 'operators.operatorframework.io.index.configs.v1';
let registry: FakeRegistry;

beforeAll(async () => {
  registry = await startFakeRegistry();
});
afterAll(async () => {
  client.close();
  await registry.close();
});

const TEXT = new Map([
  ['configs/a/catalog.json', Buffer.from('{"schema":"a"}')],
  ['elsewhere/catalog.json', Buffer.from('{"schema":"b"}')],
]);

/** Pushes an image; returns its reference by digest. */
async function publish(input: Partial<ImageInput>): Promise<string> {
  const digest = await pushImage(client, registry.reference('hub:v1'), buildImage({ files: TEXT, ...input }));
  return `${registry.host}/hub@${digest}`;
}

function catalog(source: Catalog['spec']['source']): Catalog {
  const spec = { source, priority: 0, suspend: false };
  return { apiVersion: 'slipway.dev/v1alpha1', kind: 'Catalog', metadata: { name: 'hub' }, spec };
}

async function pathsIn(digest: string): Promise<readonly string[]> {
  const { files } = await pullCatalog(client, digest, signal);
  const paths: string[] = [];
  for await (const { path } of files) paths.push(path);
  return paths;
}

describe('an image that is no catalog', () => {
  const BUNDLE = { 'operators.operatorframework.io.bundle.package.v1': 'gadget' };

  test('an image that is no catalog is rejected by its labels, with the package of its bundle', async () => {
    const digest = await publish({ labels: BUNDLE });
    await expect(pullCatalog(client, digest, signal)).rejects.toMatchObject({
      reason: 'CatalogInvalid',
      retry: 'never',
      message: expect.stringContaining('gadget'),
    });
  });

  test.each([
    { because: 'its labels also name a catalog folder', labels: { ...BUNDLE, [LABEL]: '/configs' } },
    { because: 'it has no labels, and may be a catalog nevertheless', labels: {} },
  ])('an image that is no catalog is recognized only by its content: $because', async ({ labels }) => {
    const source = await pullCatalog(client, await publish({ labels }), signal);
    expect(source.seemsToBe).toEqual(expect.any(String));
  });
});

describe('the reference of a Catalog', () => {
  test('the reference of a Catalog is that of its image', () => {
    expect(catalogReference(catalog({ image: { ref: 'r.example/hub:v1' } }))).toEqual(
      parseReference('r.example/hub:v1'),
    );
  });

  test.each([
    { because: 'the source has no image', source: {}, reason: 'InvalidSpec' },
    { because: 'the text is no reference', source: { image: { ref: 'http://hub' } }, reason: 'ReferenceInvalid' },
  ])('the reference of a Catalog is rejected for good if $because', ({ source, reason }) => {
    expect(() => catalogReference(catalog(source))).toThrow(expect.objectContaining({ reason, retry: 'never' }));
  });

  test('the reference of a Catalog is resolved to a digest, and keeps its tag', async () => {
    const digest = await publish({});
    const found = await resolveCatalog(client, registry.reference('hub:v1'), signal);
    expect(found).toBe(`${registry.host}/hub:v1@${digest.slice(digest.indexOf('@') + 1)}`);
  });
});

describe('the files of a catalog image', () => {
  test.each([
    { because: 'no label names a folder', labels: {}, paths: ['configs/a/catalog.json'] },
    { because: 'a label names a folder', labels: { [LABEL]: '/elsewhere' }, paths: ['elsewhere/catalog.json'] },
    { because: 'a label names a folder that does not exist', labels: { [LABEL]: '/nowhere' }, paths: [] },
  ])('the files of a catalog image are $paths if $because', async ({ labels, paths }) => {
    expect(await pathsIn(await publish({ labels }))).toEqual(paths);
  });

  test('files that the registry does not have are an error to retry', async () => {
    const gone = `${registry.host}/hub@sha256:${'0'.repeat(64)}`;
    await expect(pullCatalog(client, gone, signal)).rejects.toMatchObject({
      reason: 'ImageNotFound',
      retry: 'backoff',
    });
  });
});

describe('the time at which an image was built', () => {
  test.each([
    { because: 'its configuration has it', created: '2026-01-02T03:04:05Z', is: '2026-01-02T03:04:05Z' },
    { because: 'fractions of seconds are dropped', created: '2026-01-02T03:04:05.999Z', is: '2026-01-02T03:04:05Z' },
    { because: 'it was built in another time zone', created: '2026-01-02T03:04:05+02:00', is: '2026-01-02T01:04:05Z' },
    { because: 'the epoch is no time', created: '1970-01-01T00:00:00Z', is: undefined },
    { because: 'the zero time of a language is no time', created: '0001-01-01T00:00:00Z', is: undefined },
    { because: 'its configuration has no valid time', created: 'yesterday', is: undefined },
  ])('the time of build is $is: $because', async ({ created, is }) => {
    expect((await pullCatalog(client, await publish({ created }), signal)).created).toBe(is);
  });
});
