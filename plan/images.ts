/** Finds the images that objects name: in containers, in volumes and in variables for related images. Pure. */
import { compareText } from '../api/compare-text.ts';
import { ReasonedError } from '../api/errors.ts';
import { describeRef, refOf, type KubeObject } from '../api/object.ts';
import { listOf, textOf } from '../api/untyped.ts';
import { parseReference, withoutScheme } from '../oci/reference.ts';
import type { ImagesChange, PlannedImage } from './model.ts';
import { containersOf, imagesIn, podsOf } from './pods.ts';

/** The images that only one side names. */
export function compareImages(before: readonly KubeObject[], after: readonly KubeObject[]): ImagesChange {
  const [old, next] = [imagesOf(before), imagesOf(after)];
  return { added: missingIn(old, next), removed: missingIn(next, old) };
}

function missingIn(known: Images, images: Images): readonly PlannedImage[] {
  return [...images]
    .filter(([image]) => !known.has(image))
    .map(([image, usedBy]) => ({ image, ...placeOf(image), usedBy: [...usedBy].sort() }))
    .toSorted((a, b) => compareText(a.image, b.image));
}

/** Users by image. */
export type Images = ReadonlyMap<string, ReadonlySet<string>>;

/** Variables by which operators are given the images of the programs that they run. */
const RELATED_IMAGE = /^RELATED_IMAGE_/;

/** Users of each image that Pods of the objects run, and of each that a variable hands to an operator. */
export function imagesOf(objects: readonly KubeObject[]): Images {
  const images = new Map<string, Set<string>>();
  const add = (image: string, user: string): void => {
    images.set(image, (images.get(image) ?? new Set()).add(user));
  };
  for (const { object, spec } of objects.flatMap(podsOf)) {
    const user = (place: string): string => `${describeRef(refOf(object))}: ${place}`;
    for (const { place, image } of imagesIn(spec)) add(image, user(place));
    for (const { place, container } of containersOf(spec))
      for (const { name, value } of listOf(container['env']))
        if (RELATED_IMAGE.test(textOf(name)) && textOf(value) !== '')
          add(withoutScheme(textOf(value)), user(`${place}.env[${textOf(name)}]`));
  }
  return images;
}

/** The registries of all images of some objects. */
export function registriesOf(objects: readonly KubeObject[]): ReadonlySet<string> {
  return new Set([...imagesOf(objects).keys()].flatMap((image) => placeOf(image).registry ?? []));
}

function placeOf(image: string): Pick<PlannedImage, 'registry' | 'digest'> {
  try {
    const { registry, digest } = parseReference(image);
    return { registry, ...(digest !== undefined && { digest }) };
  } catch (error) {
    if (error instanceof ReasonedError) return {};
    throw error;
  }
}
