/** What is refused of a bundle before a Revision is made of it, with a registry that is played. */
import { expect, test } from 'vitest';
import { tinyBundle } from '../../e2e/lib/tiny-operator.ts';
import { buildImage } from '../../oci/build.ts';
import { parseManifest } from '../../oci/manifest.ts';
import type { ImageSource } from '../../oci/source.ts';
import { prepareBundle } from './prepare-bundle.ts';
import { subscription } from './testdata/facts.ts';

const IMAGE = 'registry.example/gadget:v1';
const plain = tinyBundle({ name: 'gadget', version: '1.0.0', kind: 'Gadget' });
const sample = { apiVersion: 'tiny.example/v1', kind: 'Gadget', metadata: { name: 'first' } };

/** A registry that has this one image. */
function registryOf(files: ReadonlyMap<string, Uint8Array>, labels: Readonly<Record<string, string>>): ImageSource {
  const built = buildImage({ files, labels });
  return {
    async pullManifest() {
      const { bytes, descriptor } = built.manifest;
      const manifest = parseManifest(bytes, descriptor.mediaType, { what: IMAGE, byDigest: false });
      return { bytes, digest: descriptor.digest, mediaType: descriptor.mediaType, manifest };
    },
    async *pullBlob(_reference, { digest }) {
      const found = [built.config, ...built.layers].find(({ descriptor }) => descriptor.digest === digest);
      if (found !== undefined) yield found.bytes;
    },
  };
}

test.each([
  {
    because: 'it holds an object of a kind that it defines itself',
    files: new Map([...plain, ['manifests/first.json', Buffer.from(JSON.stringify(sample))]]),
    labels: {},
    reason: 'BundleUnsupported',
  },
  {
    because: 'the image is that of a catalog',
    files: new Map([['configs/index.json', Buffer.from('{}')]]),
    labels: { 'operators.operatorframework.io.index.configs.v1': '/configs' },
    reason: 'BundleInvalid',
  },
])('$reason, never retried: $because', async ({ files, labels, reason }) => {
  const wanted = { subscription: subscription(), image: IMAGE };
  const prepared = prepareBundle(registryOf(files, labels), wanted, new AbortController().signal);
  await expect(prepared).rejects.toMatchObject({ reason, retry: 'never' });
});

test('a bundle of usual kinds is prepared', async () => {
  const wanted = { subscription: subscription(), image: IMAGE };
  const { manifests } = await prepareBundle(registryOf(plain, {}), wanted, new AbortController().signal);
  expect(manifests.objects).toBeGreaterThan(2);
});
