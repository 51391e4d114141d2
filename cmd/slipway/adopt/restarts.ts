/**
 * The Deployments whose Pods a hand-over would replace, rendered from the version as it is published; if that cannot be read
 * from here, from OLM's ClusterServiceVersion, which a person may have changed.
 */
import { PROPERTIES } from '../../../adoption/olm-v0/properties.ts';
import { CRD } from '../../../api/crd-kind.ts';
import type { Cluster } from '../../../api/cluster.ts';
import { formatJson } from '../../../api/json.ts';
import type { KubeObject } from '../../../api/object.ts';
import type { Subscription } from '../../../api/subscription.ts';
import { fieldsOf, listOf, textOf } from '../../../api/untyped.ts';
import { BUNDLE_ANNOTATION } from '../../../bundles/annotations.ts';
import { parseBundle, type Bundle } from '../../../bundles/parse.ts';
import { restartsOf as restartsOfObjects, type TrialRestart } from '../../../controllers/hand-over-trial.ts';
import { sideOf } from '../plan/side.ts';
import type { PublishedBundle } from './published.ts';

export interface LiveTrial {
  /** The ClusterServiceVersion that OLM has installed. */
  readonly csv: KubeObject;
  /** Slipway's Subscription. */
  readonly wanted: KubeObject;
  readonly published: PublishedBundle;
  readonly now: Date;
  readonly signal: AbortSignal;
}

/** @throws ReasonedError as the parser and the renderer do; the errors of the client that reads */
export async function restartsOf(
  cluster: Pick<Cluster, 'get' | 'apply'>,
  trial: LiveTrial,
): Promise<readonly TrialRestart[]> {
  const { wanted, now, signal } = trial;
  const objects = await objectsOf(cluster, trial);
  return restartsOfObjects(cluster, { subscription: wanted as unknown as Subscription, objects, now, signal });
}

/** The objects that Slipway would install, as far as the bundle is known. Throws as restartsOf does. */
export async function objectsOf(cluster: Pick<Cluster, 'get'>, trial: LiveTrial): Promise<readonly KubeObject[]> {
  const { wanted, published } = trial;
  const bundle = published.kind === 'known' ? published.bundle : await bundleOf(cluster, trial);
  return sideOf(wanted as unknown as Subscription, { bundle }).objects;
}

/** A sentence if the version as published was not compared. Pure. */
export function caveatOf(published: PublishedBundle): readonly string[] {
  if (published.kind !== 'unknown') return [];
  return [
    `the version as it is published cannot be read here, so OLM's ClusterServiceVersion is compared: a change that a person has made in it, or in a ConfigMap or Secret of the bundle, is undone and is not seen (${published.why})`,
  ];
}

/** The bundle as far as its Deployments need it: the ClusterServiceVersion, and the CRDs that it owns. */
async function bundleOf(
  cluster: Pick<Cluster, 'get'>,
  { csv, wanted, signal }: Pick<LiveTrial, 'csv' | 'wanted' | 'signal'>,
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

function withoutStatus({ apiVersion, kind, metadata: { name }, spec }: KubeObject): KubeObject {
  return { apiVersion, kind, metadata: { name }, spec };
}

/** Whether OLM has added the annotation. */
function isOfOlm(key: string): boolean {
  return key.startsWith('olm.') || key === PROPERTIES;
}
