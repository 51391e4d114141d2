/**
 * The images of an operator: those of its containers and image volumes, and those that it names in variables for its
 * operands.
 */
import { fieldsOf, textOf } from '../../api/untyped.ts';
import type { Container, CsvDeployment, Named, PodSpec } from '../bundle.ts';

export interface RelatedImage {
  readonly name: string;
  readonly image: string;
}

/** A variable with this beginning names an image that the operator starts, as OLM's tools have it. */
const RELATED = 'RELATED_IMAGE_';

/** The images that nodes mount as volumes, named after the volumes. */
export function mountedImages({ volumes }: Pick<PodSpec, 'volumes'>): readonly RelatedImage[] {
  const mounted = (volumes ?? []).map((volume) => ({ name: volume.name, image: referenceIn(volume) }));
  return mounted.filter(({ image }) => image !== '');
}

function referenceIn(volume: Named): string {
  return textOf(fieldsOf(volume['image'])['reference']);
}

/** Each image once, named after its container, volume or variable. */
export function imagesOf(deployments: readonly CsvDeployment[]): readonly RelatedImage[] {
  const containers = deployments.flatMap(({ spec }) => {
    const { initContainers = [], containers: own } = spec.template.spec;
    return [...initContainers, ...(own ?? [])];
  });
  const found = containers.flatMap(({ name, image, env = [] }) => [
    ...(image === undefined || image === '' ? [] : [{ name, image }]),
    ...env.flatMap((variable) => {
      const { value } = variable;
      if (!variable.name.startsWith(RELATED) || typeof value !== 'string') return [];
      return [{ name: variable.name.slice(RELATED.length).toLowerCase().replaceAll('_', '-'), image: value }];
    }),
  ]);
  const known = new Set(found.map(({ image }) => image));
  const mounted = deployments.flatMap(({ spec }) => mountedImages(spec.template.spec));
  const all = [...found, ...mounted.filter(({ image }) => !known.has(image))];
  return withOwnNames([...new Map(all.map((one) => [one.image, one])).values()]);
}

/** Two containers named `manager` of different images get a number each. */
function withOwnNames(images: readonly RelatedImage[]): readonly RelatedImage[] {
  const seen = new Map<string, number>();
  return images.map(({ name, image }) => {
    const count = (seen.get(name) ?? 0) + 1;
    seen.set(name, count);
    return { name: count === 1 ? name : `${name}-${count}`, image };
  });
}

/** The container with its images by digest, as far as digests are known. */
export function withDigest(container: Container, digests: ReadonlyMap<string, string>): Container {
  if (digests.size === 0) return container;
  const { image = '', env } = container;
  const pinned = digests.get(image);
  return {
    ...container,
    ...(pinned !== undefined && { image: pinned }),
    ...(env !== undefined && {
      env: env.map((variable) => {
        const digest = variable.name.startsWith(RELATED) ? digests.get(String(variable['value'])) : undefined;
        return digest === undefined ? variable : { ...variable, value: digest };
      }),
    }),
  };
}

/** The volume with its image by digest, if it has one whose digest is known. */
export function withMountedDigest(volume: Named, digests: ReadonlyMap<string, string>): Named {
  const pinned = digests.get(referenceIn(volume));
  return pinned === undefined ? volume : { ...volume, image: { ...fieldsOf(volume['image']), reference: pinned } };
}

/** Whether the reference names content that never changes. */
export function isPinned(image: string): boolean {
  return image.includes('@');
}
