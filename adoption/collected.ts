/**
 * Cluster-scoped objects that the garbage collector deletes with an object of neither OLM nor Slipway. The apply refuses to take
 * them over, so a hand-over refuses before OLM has given the operator up. Pure.
 */
import { describeRef, refOf, type KubeObject, type OwnerReference } from '../api/object.ts';

/** The first of them, and what to do; undefined if there is none. */
export function describeCollected(
  objects: readonly KubeObject[],
  isOfOlm: (owner: OwnerReference) => boolean,
): string | undefined {
  for (const object of objects) {
    const { namespace, ownerReferences = [] } = object.metadata;
    const owner = namespace === undefined ? ownerReferences.find((one) => !isOfOlm(one)) : undefined;
    if (owner !== undefined)
      return `the garbage collector deletes ${describeRef(refOf(object))} with its owner ${owner.kind} ${owner.name}, which is not of OLM. Find out who has set that owner, and remove it from metadata.ownerReferences first`;
  }
  return undefined;
}
