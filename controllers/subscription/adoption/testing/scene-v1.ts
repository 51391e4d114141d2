/** An operator that OLM v1 has installed, in a cluster in memory, with OLM and the garbage collector played by hand. */
import { EXTENSION, RELEASE_TYPE } from '../../../../adoption/olm-v1/kinds.ts';
import { extensionOf, type Changes } from '../../../../adoption/olm-v1/testing/extension.ts';
import type { KubeObject, ObjectRef } from '../../../../api/object.ts';
import { fieldsOf, textOf } from '../../../../api/untyped.ts';
import { createFakeCluster, type FakeCluster, type FakeOptions } from '../../../../kube/testing/fake-cluster.ts';
import { Adopter, crdOf, DEPLOYMENT, object, OWN } from './scene.ts';

export const EXTENSION_REF: ObjectRef = { ...EXTENSION, name: 'gadget' };
export const RELEASE: ObjectRef = { apiVersion: 'v1', kind: 'Secret', namespace: 'olmv1-system', name: 'release-1' };
export const CRD: ObjectRef = {
  apiVersion: 'apiextensions.k8s.io/v1',
  kind: 'CustomResourceDefinition',
  name: 'gadgets.example.com',
};
export const BACKUP_V1: ObjectRef = {
  apiVersion: 'v1',
  kind: 'Secret',
  namespace: 'slipway-system',
  name: 'slipway-adoption-v1.gadget',
};
export const SPEC_V1 = {
  package: 'gadget-operator',
  certificates: 'Manager',
  approval: 'Automatic',
  adopt: { from: 'OLMv1', clusterExtension: 'gadget' },
};
/** The finalizers of OLM, and the one by which the collector orphans. */
const THEIRS = ['olm.operatorframework.io/cleanup-unpack-cache', 'orphan'];

const labels = {
  'olm.operatorframework.io/owner-kind': 'ClusterExtension',
  'olm.operatorframework.io/owner-name': 'gadget',
};

/** OLM has installed version 1.0.0 in `ops`, and Slipway's Subscription asks for it. */
export function clusterOfV1(
  spec: object = SPEC_V1,
  { extension = {}, ...options }: FakeOptions & { readonly extension?: Changes } = {},
): FakeCluster {
  const cluster = createFakeCluster(options);
  cluster.put(crdOf(EXTENSION));
  const metadata = { finalizers: THEIRS.slice(0, 1), generation: 1 };
  const progressing = { observedGeneration: 1 };
  const live = cluster.put(extensionOf({ ...extension, metadata, progressing: { ...progressing, ...extension.progressing } })); // prettier-ignore
  const owner = { ...EXTENSION, name: 'gadget', uid: live.metadata.uid, controller: true };
  const owned = { labels, ownerReferences: [owner] };
  const plural = { group: 'example.com', scope: 'Namespaced', names: { kind: 'Gadget', plural: 'gadgets' } };
  const release = { owner: 'operator-controller', type: 'index', name: 'gadget' };
  for (const one of [
    ...['ops', 'slipway-system', 'olmv1-system'].map((name) => object({ apiVersion: 'v1', kind: 'Namespace', name })),
    object(DEPLOYMENT, { spec: {} }, owned),
    object(CRD, { spec: { ...plural, versions: [{ name: 'v1', served: true, storage: true, schema: {} }] } }, owned),
    object(RELEASE, { type: RELEASE_TYPE }, { labels: release }),
    object(OWN, { spec, status: {} }, { uid: 'own', generation: 1 }),
  ])
    cluster.put(one);
  return cluster;
}

/** OLM acts on the spec of a ClusterExtension, and takes its finalizers off one that is being deleted. */
function playOlmV1(cluster: FakeCluster): void {
  const live = cluster.objects().find(({ kind }) => kind === EXTENSION.kind);
  if (live === undefined) return;
  cluster.change(EXTENSION_REF, (one) => (one.metadata.deletionTimestamp === undefined ? settled(one) : released(one)));
}

function settled(extension: KubeObject): KubeObject {
  const status = fieldsOf(extension['status']);
  const conditions = (status['conditions'] as readonly object[]).map((one) => ({
    ...one,
    observedGeneration: extension.metadata.generation,
  }));
  return { ...extension, status: { ...status, conditions } };
}

function released(extension: KubeObject): KubeObject {
  const finalizers = extension.metadata.finalizers?.filter((one) => !THEIRS.includes(one)) ?? [];
  return { ...extension, metadata: { ...extension.metadata, finalizers } };
}

/** A manager beside OLM v1, whose Catalog has the bundle that OLM has installed. */
export function adopterOfV1(): Adopter {
  const adopter = new Adopter();
  adopter.bundle = 'gadget-operator.v1.0.0';
  adopter.olm = playOlmV1;
  return adopter;
}

/** `spec.source.catalog.version`; empty if it has none. */
export function versionOfExtension(extension: KubeObject | undefined): string {
  return textOf(fieldsOf(fieldsOf(fieldsOf(extension?.['spec'])['source'])['catalog'])['version']);
}
