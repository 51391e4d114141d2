/** The bundles that are rejected before a Revision is made of them, with a simulated registry. */
import { describe, expect, test } from 'vitest';
import type { KubeObject } from '../../api/object.ts';
import { tinyBundle } from '../../e2e/lib/tiny-operator.ts';
import { buildImage } from '../../oci/build.ts';
import { parseManifest } from '../../oci/manifest.ts';
import type { ImageSource } from '../../oci/source.ts';
import { CONFIG_BOUNDS } from '../bounded-config.ts';
import { prepareBundle, type PreparedBundle } from './prepare-bundle.ts';
import { subscription } from './testing/facts.ts';

const IMAGE = 'registry.example/gadget:v1';
const plain = tinyBundle({ name: 'gadget', version: '1.0.0', kind: 'Gadget' });
const sample = { apiVersion: 'tiny.example/v1', kind: 'Gadget', metadata: { name: 'first' } };

/** The plain bundle, with an object. */
function withFile(object: object): ReadonlyMap<string, Uint8Array> {
  return new Map([...plain, ['manifests/first.json', Buffer.from(JSON.stringify(object))]]);
}

/** A registry with this one image. */
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
    because: 'it holds an object of a kind that another bundle defines',
    files: withFile({ ...sample, apiVersion: 'other.example/v1' }),
    labels: {},
    reason: 'BundleUnsupported',
  },
  {
    because: 'its CRD does not serve the version of its object',
    files: withFile({ ...sample, apiVersion: 'tiny.example/v2' }),
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

test('a configuration beyond the bounds is InvalidSpec before anything is pulled', async () => {
  const one = subscription();
  const config = { labels: { a: 'x'.repeat(CONFIG_BOUNDS.characters + 1) } };
  const wanted = { subscription: { ...one, spec: { ...one.spec, config } }, image: 'not a reference' };
  const prepared = prepareBundle(registryOf(plain, {}), wanted, new AbortController().signal);
  await expect(prepared).rejects.toMatchObject({ reason: 'InvalidSpec', retry: 'never' });
});

test('a bundle of usual kinds is prepared', async () => {
  const wanted = { subscription: subscription(), image: IMAGE };
  const { manifests } = await prepareBundle(registryOf(plain, {}), wanted, new AbortController().signal);
  expect(manifests.objects).toBeGreaterThan(2);
});

describe('an object of a kind that the bundle itself defines', () => {
  const prepare = (files: ReadonlyMap<string, Uint8Array>): Promise<PreparedBundle> =>
    prepareBundle(registryOf(files, {}), { subscription: subscription(), image: IMAGE }, new AbortController().signal);

  test('an object of a kind that the bundle itself defines is installed', async () => {
    const [with1, without] = await Promise.all([prepare(withFile(sample)), prepare(plain)]);
    expect(with1.manifests.objects).toBe(without.manifests.objects + 1);
    expect(with1.leftOut).toEqual([]);
  });

  test('an object of a kind that the bundle itself defines is left out and named if its CRD rejects it', async () => {
    const schema = {
      openAPIV3Schema: { type: 'object', required: ['spec'], properties: { spec: { type: 'object' } } },
    };
    const crd = JSON.parse(Buffer.from(plain.get('manifests/crd.json') ?? []).toString()) as KubeObject;
    const versions = [{ name: 'v1', served: true, storage: true, schema }];
    const strict = { ...crd, spec: { ...(crd['spec'] as object), versions } };
    const files = new Map([...withFile(sample), ['manifests/crd.json', Buffer.from(JSON.stringify(strict))]]);
    const [prepared, without] = await Promise.all([prepare(files), prepare(plain)]);
    expect(prepared.manifests.objects).toBe(without.manifests.objects);
    expect(prepared.leftOut).toMatchObject([{ ref: { kind: 'Gadget', name: 'first' }, message: '"spec" is missing' }]);
  });
});

describe('a certificate that the manager issues', () => {
  /** The plain bundle, with a webhook. */
  function withWebhook(): ReadonlyMap<string, Uint8Array> {
    const csv = JSON.parse(Buffer.from(plain.get('manifests/csv.json') ?? []).toString()) as KubeObject;
    const webhook = {
      generateName: 'check.gadget.example',
      type: 'ValidatingAdmissionWebhook',
      deploymentName: 'gadget',
      containerPort: 443,
      targetPort: 9443,
      webhookPath: '/check',
      admissionReviewVersions: ['v1'],
      sideEffects: 'None',
      failurePolicy: 'Fail',
      rules: [{ apiGroups: [''], apiVersions: ['v1'], operations: ['CREATE'], resources: ['configmaps'] }],
    };
    const spec = { ...(csv['spec'] as object), webhookdefinitions: [webhook] };
    return new Map([...plain, ['manifests/csv.json', Buffer.from(JSON.stringify({ ...csv, spec }))]]);
  }

  test.each([
    { files: withWebhook(), certificates: 'Manager', foreseen: 1, because: 'the API server calls its webhook' },
    { files: withWebhook(), certificates: 'CertManager', foreseen: 0, because: 'cert-manager issues it' },
    { files: plain, certificates: 'Manager', foreseen: 0, because: 'nothing calls it' },
  ] as const)('is foreseen $foreseen times if $because', async ({ files, certificates, foreseen }) => {
    const { spec, ...rest } = subscription();
    let times = 0;
    const wanted = {
      subscription: { ...rest, spec: { ...spec, certificates } },
      image: IMAGE,
      foreseeCertificates: () => void (times += 1),
    };
    const prepared = await prepareBundle(registryOf(files, {}), wanted, new AbortController().signal);
    expect([times, prepared.certificates.length]).toEqual([foreseen, foreseen]);
  });
});
