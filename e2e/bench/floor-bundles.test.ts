import { expect, test } from 'vitest';
import { parseBundle } from '../../bundles/parse.ts';
import { buildImage, type BuiltImage } from '../../oci/build.ts';
import { pullBundle, type GetBytes } from './floor-bundles.ts';
import { smallOperator } from './operators.ts';

const { files } = smallOperator().from;
const LABELS = {
  'operators.operatorframework.io.bundle.manifests.v1': 'manifests/',
  'operators.operatorframework.io.bundle.metadata.v1': 'metadata/',
};
const image = buildImage({ files: new Map([...files, ['Dockerfile', Buffer.from('FROM: [')]]), labels: LABELS });
const { manifest, config, layers } = image;
const REFERENCE = `registry.example:5000/team/beacon@${manifest.descriptor.digest}`;

test('the bundle of the floor has each object of the bundle that was published', async () => {
  const documents = await pullBundle(serving(image), REFERENCE);
  const { csv, crds, objects } = parseBundle(files);
  const published = [csv.manifest, ...crds, ...objects].map(({ object }) => object);
  expect(published.length).toBeGreaterThan(2);
  expect(documents).toEqual(expect.arrayContaining(published));
});

test('the floor reads no file outside of the folders that the labels of a bundle name', async () => {
  const elsewhere = buildImage({ files: new Map([['other/a.yaml', Buffer.from('a: 1')]]), labels: LABELS });
  expect(await pullBundle(serving(elsewhere), `registry.example/one@${elsewhere.manifest.descriptor.digest}`)).toEqual(
    [],
  );
});

test('the floor goes on if a file of a bundle is no YAML', async () => {
  const broken = buildImage({
    files: new Map([...files, ['manifests/broken.yaml', Buffer.from('a: [')]]),
    labels: LABELS,
  });
  const documents = await pullBundle(serving(broken), `registry.example/one@${broken.manifest.descriptor.digest}`);
  expect(documents).toHaveLength((await pullBundle(serving(image), REFERENCE)).length);
});

test.for([
  { part: 'manifest', digest: manifest.descriptor.digest },
  { part: 'configuration', digest: config.descriptor.digest },
  { part: 'layer', digest: layers[0]?.descriptor.digest ?? '' },
])('the floor refuses a bundle if the registry sends another $part', async ({ digest }) => {
  const get: GetBytes = async (path) => {
    const bytes = Buffer.from(await serving(image)(path));
    return path.endsWith(digest) ? Buffer.concat([bytes, Buffer.from(' ')]) : bytes;
  };
  await expect(pullBundle(get, REFERENCE)).rejects.toThrow(digest);
});

/** A registry with one image, whose paths end with the digests of its parts. */
function serving(built: BuiltImage): GetBytes {
  const contents = [built.manifest, built.config, ...built.layers];
  return async (path) => {
    const found = contents.find(({ descriptor }) => path.endsWith(`/${descriptor.digest}`));
    if (found === undefined) throw new Error(`no content at ${path}`);
    return found.bytes;
  };
}
