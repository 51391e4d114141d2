/** The rights that OLM had given an operator, as an uninstall deletes or leaves them: for previews and plans. */
import { describeOpen } from '../../../adoption/describe-open.ts';
import { findOpen } from '../../../adoption/open-hand-overs.ts';
import { findRemains, judgeUninstall, type JudgedUninstall } from '../../../adoption/removal.ts';
import type { Remains } from '../../../adoption/remains.ts';
import { isForbidden } from '../../../api/api-answers.ts';
import type { Cluster } from '../../../api/cluster.ts';
import { refOf } from '../../../api/object.ts';
import type { Subscription } from '../../../api/subscription.ts';
import type { AddedObject } from '../../../plan/model.ts';

/**
 * None for a user who may not read the backups, as most users of a namespace. Throws the other errors of the client, and
 * InputInvalid, not retried, for a backup that a person has damaged.
 *
 * @param kept The namespace of the manager, which keeps the backups.
 */
export async function findGiven(
  cluster: Pick<Cluster, 'get' | 'list'>,
  subscription: Subscription,
  kept: string,
  signal: AbortSignal,
): Promise<readonly Remains[]> {
  try {
    return await findRemains(cluster, subscription, { kept, signal });
  } catch (error) {
    if (isForbidden(error)) return [];
    throw error;
  }
}

/** For the preview of an uninstall. Throws as findGiven does. */
export async function judgeGiven(
  cluster: Pick<Cluster, 'get' | 'list'>,
  subscription: Subscription,
  kept: string,
  signal: AbortSignal,
): Promise<JudgedUninstall> {
  try {
    return await judgeUninstall(cluster, subscription, { kept, signal });
  } catch (error) {
    if (isForbidden(error)) return { rights: [] };
    throw error;
  }
}

/**
 * For the preview of an uninstall: a sentence for each hand-over from OLM that has not ended. For a user who may not read the
 * backups, by the status alone. Throws the other errors of the client.
 *
 * @param leaves Whether the objects of the operator stay
 */
export async function handOversFor(
  cluster: Pick<Cluster, 'list'>,
  subscription: Subscription,
  { kept, leaves, signal }: { readonly kept: string; readonly leaves: boolean; readonly signal: AbortSignal },
): Promise<readonly string[]> {
  const begun = await findOpen(cluster, subscription, { kept, signal }).catch((error: unknown) => {
    if (isForbidden(error)) return [];
    throw error;
  });
  return describeOpen(subscription, begun, leaves);
}

/** For the plan of an uninstall. Pure. */
export function asAdditions(given: readonly Remains[]): readonly AddedObject[] {
  const purpose = 'a right that OLM had given the operator';
  return given.flatMap(({ due, kept }): readonly AddedObject[] => [
    ...due.map((object) => ({ ref: refOf(object), change: 'deleted', purpose }) as const),
    ...kept.map(({ ref, why, named = why }) => ({ ref, change: 'unchanged', purpose: `${purpose}; it stays: ${named}` }) as const), // prettier-ignore
  ]);
}
