/** Makes one of two objects of one identity: a bundle may bring a ServiceAccount that its permissions ask for as well. */
import { describeRef, refOf, type KubeObject } from '../../api/object.ts';

/** Removes duplicates: of several objects with one identity, the last one counts, in the position of the first. */
export function oneOfEach(objects: readonly KubeObject[]): readonly KubeObject[] {
  const byIdentity = new Map<string, KubeObject>();
  for (const object of objects) byIdentity.set(describeRef(refOf(object)), object);
  return [...byIdentity.values()];
}
