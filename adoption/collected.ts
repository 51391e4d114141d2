/**
 * Cluster-scoped objects that the garbage collector may delete with an object of neither OLM nor Slipway. The apply refuses to take
 * them over, so a hand-over refuses before OLM has given the operator up. Pure.
 */
import { describeRef, refOf, type KubeObject, type OwnerReference } from '../api/object.ts';
import { nameOwners } from '../apply/planted.ts';

/** The first of them, and what to do; undefined if there is none. */
export function describeCollected(
  objects: readonly KubeObject[],
  isOfOlm: (owner: OwnerReference) => boolean,
): string | undefined {
  for (const object of objects) {
    const { namespace, ownerReferences = [] } = object.metadata;
    const others = namespace === undefined ? ownerReferences.filter((one) => !isOfOlm(one)) : [];
    if (others.length > 0) {
      return `the garbage collector may delete ${describeRef(refOf(object))} with an owner that is not of OLM: ${nameOwners(others)}. Find out who has set these owners, and remove them from metadata.ownerReferences first`;
    }
  }
  return undefined;
}
