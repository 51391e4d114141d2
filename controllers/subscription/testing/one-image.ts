/** A registry with the image of one bundle, and a reconciler of Subscriptions that pulls from it. */
import { tinyBundle } from '../../../e2e/lib/tiny-operator.ts';
import { CATALOG, type Catalog } from '../../../api/catalog.ts';
import { parseObject } from '../../../api/kind.ts';
import { API_VERSION } from '../../../api/names.ts';
import { keyOfObject, type KubeObject } from '../../../api/object.ts';
import type { Revision } from '../../../api/revision.ts';
import type { Subscription } from '../../../api/subscription.ts';
import type { CatalogIndex } from '../../../catalog/index/open.ts';
import type { FakeCluster } from '../../../kube/testing/fake-cluster.ts';
import { silentLog } from '../../../kube/log.ts';
import { buildImage } from '../../../oci/build.ts';
import { parseManifest } from '../../../oci/manifest.ts';
import type { ImageSource } from '../../../oci/source.ts';
import { NO_POLICIES } from '../../registry-policies.ts';
import type { SubscriptionDeps } from '../deps.ts';
import { createSubscriptionReconciler } from '../reconcile.ts';
import { catalog, NOW } from './facts.ts';

const built = buildImage({ files: tinyBundle({ name: 'gadget', version: '1.0.0' }) });

/** The reference of the image: the bundle `gadget` 1.0.0. */
export const IMAGE = `registry.example/gadget@${built.manifest.descriptor.digest}`;

/** A registry that has this one image. */
export const registry: ImageSource = {
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

/** The caches of a cluster in which the Catalog `main` offers these versions, the last one with the image. */
export function offering(
  cluster: FakeCluster,
  { versions, image }: { readonly versions: readonly string[]; readonly image?: string },
): SubscriptionDeps['caches'] {
  const content = catalog({ versions }).content('gadget');
  const bundles = content?.bundles.map((one) =>
    image !== undefined && one.version === versions.at(-1) ? { ...one, image } : one,
  );
  const index = {
    package: (name: string) => (name === 'gadget' ? { ...content, bundles } : undefined),
    providersOf: () => [],
    packages: () => [],
  } as unknown as CatalogIndex;
  return {
    ...cachesOf(cluster),
    catalogs: { list: () => [MAIN] },
    content: { get: () => ({ digest: 'd', index }) },
  };
}

/** The Catalog, without demands of its own. */
export const MAIN = parseObject(CATALOG, {
  apiVersion: API_VERSION,
  kind: 'Catalog',
  metadata: { name: 'main' },
  spec: { source: { image: { ref: 'registry.example/catalog:1' } } },
}) as Catalog;

function cachesOf(cluster: FakeCluster): SubscriptionDeps['caches'] {
  const subscriptions = (): readonly Subscription[] =>
    cluster.objects().filter(({ kind }) => kind === 'Subscription') as Subscription[];
  const find = <Found extends KubeObject>(objects: readonly Found[], key: string): Found | undefined =>
    objects.find((object) => keyOfObject(object) === key);
  return {
    subscriptions: { get: (key) => find(subscriptions(), key), list: subscriptions },
    revisions: { get: (key) => find(revisionsOf(cluster), key), byIndex: () => revisionsOf(cluster) },
    catalogs: { list: () => [] },
    content: { get: () => undefined },
    namespaces: { get: () => undefined },
  };
}

/** One reconcile of `ops/gadget`, whose caches show the cluster as it is. */
export function reconcileOf(cluster: FakeCluster, given: Partial<SubscriptionDeps> = {}): () => Promise<unknown> {
  const run = createSubscriptionReconciler({
    caches: cachesOf(cluster),
    cluster,
    server: { get: async () => ({ providedKinds: [] }) },
    bundles: () => registry,
    catalogOf: () => undefined,
    checkSignatures: async () => undefined,
    policies: NO_POLICIES,
    record: () => undefined,
    now: () => NOW,
    decisionSeconds: 5,
    ...given,
  });
  return () => run({ namespace: 'ops', name: 'gadget' }, { signal: new AbortController().signal, log: silentLog });
}

export function revisionsOf(cluster: FakeCluster): readonly Revision[] {
  return cluster.objects().filter(({ kind }) => kind === 'Revision') as Revision[];
}
