/**
 * Adds to the objects of a Revision the pull secrets that policies offer for the images of its Pods: a copy of each in the
 * operator's namespace, and its name in the Pods. The copies are applied like all other objects, so that the inventory,
 * repair, pruning and removal cover them. They are not part of the stored manifests: a roll-out and the hash of a plan are
 * the same with and without them. Pure.
 */
import { createHash } from 'node:crypto';
import { ReasonedError } from '../../../api/errors.ts';
import { ANNOTATION } from '../../../api/names.ts';
import type { InventoryEntry } from '../../../apply/inventory.ts';
import { prepareObjects, type PrepareOptions } from '../../../apply/prepare.ts';
import type { KubeObject } from '../../../api/object.ts';
import { listOf, textOf, type Fields } from '../../../api/untyped.ts';
import { parseReference } from '../../../oci/reference.ts';
import { imagesIn, podsOf, withPods } from '../../../plan/pods.ts';
import type { PullSecretOffers, SourceSecret } from './offers.ts';

const NAME = 'slipway-pull-';

/** @param objects Prepared. */
export function addPullSecrets(
  objects: readonly KubeObject[],
  offers: Pick<PullSecretOffers, 'of'>,
  prepare: PrepareOptions,
): readonly KubeObject[] {
  const used = new Map<string, SourceSecret>();
  const equipped = objects.map((object) => {
    // A Pod reads Secrets of its own namespace only, and the operator has one.
    if (object.metadata.namespace !== prepare.installNamespace) return object;
    const images = podsOf(object).flatMap(({ spec }) =>
      imagesIn(spec).flatMap(({ image }) => repositoryOf(image) ?? []),
    );
    const sources = images.flatMap((image) => offers.of(image, prepare.installNamespace));
    for (const source of sources) used.set(copyName(prepare, source), source);
    const names = new Set(sources.map((source) => copyName(prepare, source)));
    return names.size === 0 ? object : withPods(object, (spec) => withNames(spec, [...names]));
  });
  if (used.size === 0) return objects;
  const copies = [...used].map(([name, source]) => copyOf(source, { name, namespace: prepare.installNamespace }));
  return [...equipped, ...prepareObjects(copies, prepare)];
}

/** Whether the Subscription has a copy in the cluster. */
export function hasCopies(inventory: readonly InventoryEntry[]): boolean {
  return inventory.some(isCopy);
}

/** Whether an object of an inventory is a copy. */
export function isCopy({ apiVersion, kind, name }: Pick<InventoryEntry, 'apiVersion' | 'kind' | 'name'>): boolean {
  return apiVersion === 'v1' && kind === 'Secret' && name.startsWith(NAME);
}

/** One for each operator: two of one namespace are installed and removed by themselves. */
function copyName({ owner }: PrepareOptions, { name }: SourceSecret): string {
  const hash = createHash('sha256').update(`${owner.name}/${name}`).digest('hex').slice(0, 10);
  return `${NAME}${owner.name.slice(0, 200)}-${hash}`;
}

function copyOf(
  { version, dockerConfig }: SourceSecret,
  { name, namespace }: { readonly name: string; readonly namespace: string },
): KubeObject {
  return {
    apiVersion: 'v1',
    kind: 'Secret',
    metadata: { name, namespace, annotations: { [ANNOTATION.copiedFrom]: version } },
    type: 'kubernetes.io/dockerconfigjson',
    data: { '.dockerconfigjson': dockerConfig },
  };
}

/** Undefined for a text that names no image: the Pod fails by itself, with the message of the node. */
function repositoryOf(image: string): string | undefined {
  try {
    const { registry, repository } = parseReference(image);
    return `${registry}/${repository}`;
  } catch (error) {
    if (error instanceof ReasonedError) return undefined;
    throw error;
  }
}

function withNames(spec: Fields, names: readonly string[]): Fields {
  const own = listOf(spec['imagePullSecrets']);
  const missing = names.filter((name) => !own.some((one) => textOf(one['name']) === name));
  return { ...spec, imagePullSecrets: [...own, ...missing.map((name) => ({ name }))] };
}
