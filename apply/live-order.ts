/**
 * Keeps the Pod template of a live Deployment that OLM v0 has made. OLM adds the volumes of certificates in another order
 * than the renderer of bundles, and no annotation with the properties of the bundle; a Pod template that differs in nothing
 * else would restart all Pods. Pure, but for the read of a template that a watch does not keep.
 */
import type { Cluster } from '../api/cluster.ts';
import { groupKind, refOf, type KubeObject } from '../api/object.ts';
import { fieldsOf, listOf, textOf, type Fields } from '../api/untyped.ts';

/** The volumes of certificates, which every Deployment with webhooks or aggregated APIs has. */
const CERTIFICATES = ['webhook-cert', 'apiservice-cert'];

/** The object to apply to a live one; a read only for a Deployment with the volumes of certificates, or the annotation. */
export async function keepLiveOrder(
  cluster: Pick<Cluster, 'get'>,
  object: KubeObject,
  live: KubeObject,
  signal: AbortSignal,
): Promise<KubeObject> {
  if (!followsLive(object)) return object;
  const whole = needsRead(object, live) ? await cluster.get(refOf(object), signal) : live;
  if (whole === undefined) return object;
  const kept = isWithout(PROPERTIES, whole) ? withoutProperties(object) : object;
  return hasCertificates(kept) ? inOrderOf(kept, whole) : kept;
}

/** Whether the object to apply depends on the template of the live one, which a watch does not keep. */
export function needsRead(object: KubeObject, live: KubeObject): boolean {
  return followsLive(object) && fieldsOf(live['spec'])['template'] === undefined;
}

function followsLive(object: KubeObject): boolean {
  return groupKind(object) === 'Deployment.apps' && (hasCertificates(object) || hasProperties(object));
}

/** The properties of the bundle, which OLM v0 writes under another name. */
const PROPERTIES = 'olm.properties';
/** On every Pod template of OLM v0. */
const OF_OLM = 'olm.operatorGroup';

function hasProperties(object: KubeObject): boolean {
  return annotationsOf(object)[PROPERTIES] !== undefined;
}

function isWithout(annotation: string, live: KubeObject): boolean {
  const annotations = annotationsOf(live);
  return annotations[OF_OLM] !== undefined && annotations[annotation] === undefined;
}

function withoutProperties(object: KubeObject): KubeObject {
  const spec = fieldsOf(object['spec']);
  const template = fieldsOf(spec['template']);
  const { [PROPERTIES]: _, ...annotations } = annotationsOf(object);
  const metadata = { ...fieldsOf(template['metadata']), annotations };
  return { ...object, spec: { ...spec, template: { ...template, metadata } } };
}

function annotationsOf(object: KubeObject): Fields {
  const { metadata } = fieldsOf(fieldsOf(object['spec'])['template']);
  return fieldsOf(fieldsOf(metadata)['annotations']);
}

function hasCertificates(object: KubeObject): boolean {
  const names = new Set(listOf(podOf(object)['volumes']).map(({ name }) => textOf(name)));
  return CERTIFICATES.every((name) => names.has(name));
}

/** The object with volumes and mounts in the order of the live one; those that it lacks come last. */
function inOrderOf(object: KubeObject, live: KubeObject): KubeObject {
  const [pod, livePod] = [podOf(object), podOf(live)];
  const spec = fieldsOf(object['spec']);
  const template = fieldsOf(spec['template']);
  const containers = listOf(pod['containers']).map((container) => {
    const twin = listOf(livePod['containers']).find(({ name }) => name === container['name']);
    return orderedAs(container, fieldsOf(twin), 'volumeMounts', 'mountPath');
  });
  const ordered = { ...orderedAs(pod, livePod, 'volumes', 'name'), containers };
  return { ...object, spec: { ...spec, template: { ...template, spec: ordered } } };
}

/** With the items of one list in the order in which the other object has items of the same key. */
function orderedAs(fields: Fields, live: Fields, list: string, key: string): Fields {
  if (fields[list] === undefined) return fields;
  const places = new Map(listOf(live[list]).map((item, place) => [textOf(item[key]), place]));
  const placeOf = (item: Fields): number => places.get(textOf(item[key])) ?? places.size;
  return { ...fields, [list]: listOf(fields[list]).toSorted((a, b) => placeOf(a) - placeOf(b)) };
}

function podOf(object: KubeObject): Fields {
  return fieldsOf(fieldsOf(fieldsOf(object['spec'])['template'])['spec']);
}
