/** The marks of parts that the console does not keep of an object, as they are too large for it. Pure. */
import type { KubeObject } from '../../api/object.ts';
import { itemsOf, textOf } from '../../api/untyped.ts';

/** Paths of fields: `spec.config`. The API server keeps no such field, so no user can write it. */
const LEFT_OUT = 'leftOut';

export function markLeftOut<Kept extends KubeObject>(object: Kept, paths: readonly string[]): Kept {
  return paths.length === 0 ? object : { ...object, [LEFT_OUT]: paths };
}

export function leftOutOf(object: object): readonly string[] {
  return itemsOf((object as Pick<KubeObject, string>)[LEFT_OUT]).map(textOf);
}
