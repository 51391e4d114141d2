/**
 * The Deployments whose Pods a hand-over would replace, and why: the API server is asked, by dry runs, for each Deployment
 * as Slipway would apply it. They are rendered from the live ClusterServiceVersion, so that no image is pulled.
 */
import { PROPERTIES } from '../../../adoption/olm-v0/properties.ts';
import { ANNOTATION } from '../../../api/names.ts';
import type { Cluster } from '../../../api/cluster.ts';
import { formatJson } from '../../../api/json.ts';
import { describeRef, groupKind, refOf, type KubeObject } from '../../../api/object.ts';
import type { Subscription } from '../../../api/subscription.ts';
import { fieldsOf, listOf, textOf } from '../../../api/untyped.ts';
import { keepLiveOrder } from '../../../apply/live-order.ts';
import { withUid } from '../../../apply/write.ts';
import { BUNDLE_ANNOTATION } from '../../../bundles/annotations.ts';
import { parseBundle, type Bundle } from '../../../bundles/parse.ts';
import { addCertificates } from '../../../controllers/revision/certificates/certificates.ts';
import { diffFields } from '../../../plan/fields.ts';
import { sideOf } from '../plan/side.ts';

/** A Deployment whose Pods are replaced. */
export interface TrialRestart {
  /** `Deployment.apps lights/beacon` */
  readonly deployment: string;
  /** The fields of its Pod template that differ, or the answer of the API server. */
  readonly why: readonly string[];
}

export interface HandOverTrial {
  /** The ClusterServiceVersion that OLM has installed. */
  readonly csv: KubeObject;
  /** Slipway's Subscription. */
  readonly wanted: KubeObject;
  readonly now: Date;
  readonly signal: AbortSignal;
}

/** @throws ReasonedError as the parser and the renderer do; the errors of the client that reads */
export async function restartsOf(
  cluster: Pick<Cluster, 'get' | 'apply'>,
  trial: HandOverTrial,
): Promise<readonly TrialRestart[]> {
  const restarts: TrialRestart[] = [];
  for (const object of await deploymentsOf(cluster, trial)) {
    const why = await differencesOf(cluster, object, trial.signal);
    if (why.length > 0) restarts.push({ deployment: describeRef(refOf(object)), why });
  }
  return restarts;
}

/** As the manager prepares them, certificates included. */
async function deploymentsOf(cluster: Pick<Cluster, 'get'>, trial: HandOverTrial): Promise<readonly KubeObject[]> {
  const { wanted, now, signal } = trial;
  const subscription = wanted as unknown as Subscription;
  const { name, namespace = '' } = wanted.metadata;
  const { objects } = sideOf(subscription, { bundle: await bundleOf(cluster, trial) });
  const owner = { namespace, name };
  const prepare = { owner, package: subscription.spec.package, revision: name, installNamespace: namespace };
  const handedOver: Pick<Cluster, 'get'> = {
    get: async (ref, until) => {
      const live = await cluster.get(ref, until);
      return live === undefined ? undefined : withAdoptBy(live, `${namespace}/${name}`);
    },
  };
  const certified =
    subscription.spec.certificates === 'CertManager'
      ? objects
      : await addCertificates(objects, { cluster: handedOver, prepare, inventory: [], now, settled: true, signal });
  return certified.filter((object) => groupKind(object) === 'Deployment.apps');
}

/** The manager uses the certificate of a Secret that is handed over. */
function withAdoptBy(live: KubeObject, adoptBy: string): KubeObject {
  const annotations = { ...live.metadata.annotations, [ANNOTATION.adoptBy]: adoptBy };
  return { ...live, metadata: { ...live.metadata, annotations } };
}

/** The bundle as far as its Deployments need it: the ClusterServiceVersion, and the CRDs that it owns. */
async function bundleOf(
  cluster: Pick<Cluster, 'get'>,
  { csv, wanted, signal }: Pick<HandOverTrial, 'csv' | 'wanted' | 'signal'>,
): Promise<Bundle> {
  const { apiVersion, kind, metadata, spec } = csv;
  const annotations = Object.entries(metadata.annotations ?? {}).filter(([key]) => !isOfOlm(key));
  const published = {
    apiVersion,
    kind,
    metadata: { name: metadata.name, annotations: Object.fromEntries(annotations) },
  };
  const owned = listOf(fieldsOf(fieldsOf(spec)['customresourcedefinitions'])['owned']);
  // Each version of a CRD is listed.
  const names = new Set(owned.map(({ name }) => textOf(name)));
  const crds = await Promise.all([...names].map((name) => cluster.get({ ...CRD, name }, signal)));
  const objects = [{ ...published, spec }, ...crds.flatMap((crd) => (crd === undefined ? [] : [withoutStatus(crd)]))];
  const packaged = { [BUNDLE_ANNOTATION.package]: textOf(fieldsOf(wanted['spec'])['package']) };
  const files = [
    ...objects.map((object, at) => [`manifests/${at}.json`, formatJson(object)] as const),
    ['metadata/annotations.yaml', formatJson({ annotations: packaged })] as const,
  ];
  return parseBundle(new Map(files.map(([path, text]) => [path, Buffer.from(text)])));
}

const CRD = { apiVersion: 'apiextensions.k8s.io/v1', kind: 'CustomResourceDefinition' };

function withoutStatus({ apiVersion, kind, metadata: { name }, spec }: KubeObject): KubeObject {
  return { apiVersion, kind, metadata: { name }, spec };
}

/** Whether OLM has added the annotation. */
function isOfOlm(key: string): boolean {
  return key.startsWith('olm.') || key === PROPERTIES;
}

async function differencesOf(
  cluster: Pick<Cluster, 'get' | 'apply'>,
  object: KubeObject,
  signal: AbortSignal,
): Promise<readonly string[]> {
  const live = await cluster.get(refOf(object), signal);
  if (live === undefined) return ['it does not exist, and is created'];
  const wanted = withUid(await keepLiveOrder(cluster, object, live, signal), live);
  const answer = await cluster.apply(wanted, { force: true, dryRun: true }, signal);
  const { fields, more } = diffFields(templateOf(live), templateOf(answer));
  const texts = fields.map(({ path, from, to }) => `${path}: ${from ?? 'absent'} becomes ${to ?? 'absent'}`);
  return [...texts, ...(more > 0 ? [`${more} further fields`] : [])];
}

function templateOf({ apiVersion, kind, metadata: { name }, spec }: KubeObject): KubeObject {
  return { apiVersion, kind, metadata: { name }, spec: { template: fieldsOf(spec)['template'] } };
}
