/** The rights that OLM had given an operator, as an uninstall deletes or leaves them: for previews and plans. */
import { findRemains } from '../../../adoption/olm-v0/removal.ts';
import type { Remains } from '../../../adoption/olm-v0/remains.ts';
import { isForbidden } from '../../../api/api-answers.ts';
import type { Cluster } from '../../../api/cluster.ts';
import { describeRef, refOf } from '../../../api/object.ts';
import type { Subscription } from '../../../api/subscription.ts';
import type { AddedObject } from '../../../plan/model.ts';
import type { GivenByOlm } from '../../../report/uninstall-preview.ts';

/**
 * None for a user who may not read the backups, as most users of a namespace. Throws the other errors of the client, and
 * InputInvalid, not retried, for a backup that a person has damaged.
 *
 * @param kept The namespace of the manager, which keeps the backups.
 */
export async function findGiven(
  cluster: Pick<Cluster, 'get' | 'list'>,
  { metadata: { namespace = '', name }, spec }: Subscription,
  kept: string,
  signal: AbortSignal,
): Promise<readonly Remains[]> {
  try {
    return await findRemains(cluster, { namespace, name, kept, package: spec.package }, signal);
  } catch (error) {
    if (isForbidden(error)) return [];
    throw error;
  }
}

/** For the preview of an uninstall. Pure. */
export function inNames(given: readonly Remains[]): GivenByOlm {
  return {
    deleted: given.flatMap(({ due }) => due.map((object) => describeRef(refOf(object)))),
    stays: given.flatMap(({ kept }) =>
      kept.map(({ ref, why }) => `${describeRef(ref)}, which OLM had given the operator: ${why}`),
    ),
  };
}

/** For the plan of an uninstall. Pure. */
export function asAdditions(given: readonly Remains[]): readonly AddedObject[] {
  const purpose = 'a right that OLM had given the operator';
  return given.flatMap(({ due, kept }): readonly AddedObject[] => [
    ...due.map((object) => ({ ref: refOf(object), change: 'deleted', purpose }) as const),
    ...kept.map(({ ref, why }) => ({ ref, change: 'unchanged', purpose: `${purpose}; it stays: ${why}` }) as const),
  ]);
}
