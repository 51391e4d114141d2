/** A Revision whose manifests were lost, down to the Secrets, with a simulated registry. */
import { beforeAll, expect, test } from 'vitest';
import { createFakeCluster, type FakeCluster } from '../../kube/testing/fake-cluster.ts';
import { sampleCrd } from '../../apply/testing/sample-objects.ts';
import { FINALIZER } from '../../api/names.ts';
import { keyOfObject, type KubeObject } from '../../api/object.ts';
import type { Revision } from '../../api/revision.ts';
import type { Subscription } from '../../api/subscription.ts';
import { tinyBundle } from '../../e2e/lib/tiny-operator.ts';
import { silentLog } from '../../kube/log.ts';
import { buildImage } from '../../oci/build.ts';
import { parseManifest } from '../../oci/manifest.ts';
import type { ImageSource } from '../../oci/source.ts';
import { problemOf } from '../genuine.ts';
import { manifestSecrets } from '../manifest-secrets.ts';
import { describeManifests, loadManifests, packManifests, type PackedManifests } from '../manifests.ts';
import { prepareBundle } from './prepare-bundle.ts';
import type { SubscriptionDeps } from './deps.ts';
import { NO_POLICIES } from '../registry-policies.ts';
import { createSubscriptionReconciler } from './reconcile.ts';
import { NOW, revision, subscription } from './testing/facts.ts';

const built = buildImage({ files: tinyBundle({ name: 'gadget', version: '1.0.0' }) });
const IMAGE = `registry.example/gadget@${built.manifest.descriptor.digest}`;
const owner = subscription({ metadata: { finalizers: [FINALIZER] } });
let packed: PackedManifests;

/** A registry with this one image. */
const registry: ImageSource = {
  async pullManifest() {
    const { bytes, descriptor } = built.manifest;
    const manifest = parseManifest(bytes, descriptor.mediaType, { what: IMAGE, byDigest: true });
    return { bytes, digest: descriptor.digest, mediaType: descriptor.mediaType, manifest };
  },
  async *pullBlob(_reference, { digest }) {
    const found = [built.config, ...built.layers].find(({ descriptor }) => descriptor.digest === digest);
    if (found !== undefined) yield found.bytes;
  },
};

beforeAll(async () => {
  ({ manifests: packed } = await prepareBundle(
    registry,
    { subscription: owner, image: IMAGE },
    new AbortController().signal,
  ));
});

/** Reconciles once, with the active Revision gadget-1 that misses the given manifests. */
async function reconcile(described: PackedManifests, ...there: readonly KubeObject[]): Promise<FakeCluster> {
  const lost = revision({
    image: IMAGE,
    manifests: describeManifests('gadget-1', described),
    reason: 'ManifestsMissing',
    firstReadyTime: '2026-05-01T10:00:00Z',
  });
  const cluster = createFakeCluster();
  cluster.put({ apiVersion: 'v1', kind: 'Namespace', metadata: { name: 'ops' } });
  cluster.put(sampleCrd('Revision', { group: 'slipway.dev' }));
  for (const object of [owner, lost, ...there]) cluster.put(object);
  const subscriptions = (): readonly Subscription[] =>
    cluster.objects().filter(({ kind }) => kind === 'Subscription') as Subscription[];
  const find = <Found extends KubeObject>(objects: readonly Found[], key: string): Found | undefined =>
    objects.find((object) => keyOfObject(object) === key);
  const run = createSubscriptionReconciler({
    caches: {
      subscriptions: { get: (key) => find(subscriptions(), key), list: subscriptions },
      revisions: { get: (key) => find(revisionsOf(cluster), key), byIndex: () => revisionsOf(cluster) },
      catalogs: { list: () => [] },
      content: { get: () => undefined },
      namespaces: { get: () => undefined },
    },
    cluster,
    server: { get: async () => ({ providedKinds: [] }) },
    bundles: () => registry,
    catalogOf: () => undefined,
    checkSignatures: async () => undefined,
    policies: NO_POLICIES,
    record: () => undefined,
    now: () => NOW,
  } satisfies SubscriptionDeps);
  await run({ namespace: 'ops', name: 'gadget' }, { signal: new AbortController().signal, log: silentLog });
  return cluster;
}

function revisionsOf(cluster: FakeCluster): readonly Revision[] {
  return cluster.objects().filter(({ kind }) => kind === 'Revision') as Revision[];
}

test('lost manifests are rendered again, without any catalog', async () => {
  const cluster = await reconcile(packed);
  const [restored] = revisionsOf(cluster) as [Revision];
  expect((await loadManifests(cluster, restored)).length).toBe(packed.objects);
});

test('a Revision that has backed off gets a request to read its restored manifests', async () => {
  const [restored] = revisionsOf(await reconcile(packed)) as [Revision];
  expect(restored.metadata.annotations?.['slipway.dev/reconcile-requested-at']).toBe(NOW.toISOString());
});

test('restored manifests replace the content that another writer put into the Secret', async () => {
  const one = revision({ manifests: describeManifests('gadget-1', packed) });
  const swapped = manifestSecrets(one, packed.pieces).map((secret) => ({ ...secret, data: { manifests: 'eA==' } }));
  const cluster = await reconcile(packed, ...swapped);
  const [restored] = revisionsOf(cluster) as [Revision];
  expect((await loadManifests(cluster, restored)).length).toBe(packed.objects);
});

test('if the bundle renders differently now, a new Revision is made of it, to be activated in its turn', async () => {
  const cluster = await reconcile(
    await packManifests([{ apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'x' } }]),
  );
  const [lost, made] = revisionsOf(cluster) as [Revision, Revision];
  expect(made).toMatchObject({
    metadata: { name: 'gadget-2' },
    spec: { bundle: lost.spec.bundle, configHash: lost.spec.configHash, approved: true, state: 'Archived' },
  });
  expect(problemOf(made, owner)).toBeUndefined();
  expect((await loadManifests(cluster, made)).length).toBe(packed.objects);
  await expect(loadManifests(cluster, lost)).rejects.toMatchObject({ reason: 'ManifestsMissing' });
});
