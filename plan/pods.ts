/** Finds the Pods that objects make, whatever kind of workload makes them. Pure. */
import { fieldsOf, listOf, textOf, type Fields } from '../api/untyped.ts';
import { groupKind, type KubeObject } from '../api/object.ts';

/** The Pods of one workload. */
export interface PodsOfWorkload {
  readonly object: KubeObject;
  /** The template that new Pods are made from; the object itself for a Pod. */
  readonly template: Fields;
  readonly spec: Fields;
}

const WITH_TEMPLATE: ReadonlySet<string> = new Set([
  'DaemonSet.apps',
  'Deployment.apps',
  'Job.batch',
  'ReplicaSet.apps',
  'ReplicationController',
  'StatefulSet.apps',
]);

/** The Pods of an object; none for an object that makes none. */
export function podsOf(object: KubeObject): readonly PodsOfWorkload[] {
  const template = templateOf(object);
  return template === undefined ? [] : [{ object, template, spec: fieldsOf(template['spec']) }];
}

function templateOf(object: KubeObject): Fields | undefined {
  const kind = groupKind(object);
  if (kind === 'Pod') return object;
  const spec = fieldsOf(object['spec']);
  if (WITH_TEMPLATE.has(kind)) return fieldsOf(spec['template']);
  return kind === 'CronJob.batch' ? fieldsOf(fieldsOf(fieldsOf(spec['jobTemplate'])['spec'])['template']) : undefined;
}

/** The object with its Pods changed; the same object if it makes none. */
export function withPods(object: KubeObject, change: (spec: Fields) => Fields): KubeObject {
  const kind = groupKind(object);
  if (kind === 'Pod') return { ...object, spec: change(fieldsOf(object['spec'])) };
  const spec = fieldsOf(object['spec']);
  if (WITH_TEMPLATE.has(kind)) return { ...object, spec: withTemplate(spec, change) };
  if (kind !== 'CronJob.batch') return object;
  const jobTemplate = fieldsOf(spec['jobTemplate']);
  const job = { ...jobTemplate, spec: withTemplate(fieldsOf(jobTemplate['spec']), change) };
  return { ...object, spec: { ...spec, jobTemplate: job } };
}

function withTemplate(spec: Fields, change: (pod: Fields) => Fields): Fields {
  const template = fieldsOf(spec['template']);
  return { ...spec, template: { ...template, spec: change(fieldsOf(template['spec'])) } };
}

/** A container with its place in the Pod. */
export interface PlacedContainer {
  /** `containers[manager]` */
  readonly place: string;
  readonly container: Fields;
}

const CONTAINER_LISTS = ['initContainers', 'containers', 'ephemeralContainers'] as const;

/** An image with its place in the Pod. */
export interface PlacedImage {
  /** `containers[manager]`, or `volumes[models]` for an image that is mounted. */
  readonly place: string;
  readonly image: string;
}

/** All images that a node pulls for a Pod. */
export function imagesIn(spec: Fields): readonly PlacedImage[] {
  const run = containersOf(spec).map(({ place, container }) => ({ place, image: textOf(container['image']) }));
  const mounted = listOf(spec['volumes']).map((volume) => ({
    place: `volumes[${textOf(volume['name'])}]`,
    image: textOf(fieldsOf(volume['image'])['reference']),
  }));
  return [...run, ...mounted].filter(({ image }) => image !== '');
}

/** All containers of a Pod. */
export function containersOf(spec: Fields): readonly PlacedContainer[] {
  return CONTAINER_LISTS.flatMap((list) =>
    listOf(spec[list]).map((container) => ({ place: `${list}[${textOf(container['name'])}]`, container })),
  );
}
