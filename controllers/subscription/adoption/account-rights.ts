/**
 * Whether the account of a Subscription has the rights by which an operator is taken over: to change the objects that OLM has
 * marked, and to delete those that its version brings. Asked by dry runs before the first step, since an adoption that stands
 * still in the middle leaves an operator that neither program manages.
 */
import type { Cluster } from '../../../api/cluster.ts';
import { ReasonedError } from '../../../api/errors.ts';
import { refOf, type KubeObject } from '../../../api/object.ts';
import { refusalToDelete } from '../../../apply/take-over.ts';

/** A merge patch of an object. */
export interface ObjectPatch {
  readonly object: KubeObject;
  readonly patch: Readonly<Record<string, unknown>>;
}

export interface ToTakeOver {
  /** The very patches of the hand-over: that of a role is refused to an account that does not hold its rights. */
  readonly patches: readonly ObjectPatch[];
  /** The objects that the hand-over deletes, and those of the version that is installed. */
  readonly deletes: readonly KubeObject[];
}

/** @throws ReasonedError Forbidden, retried with back-off, which names the right; the other errors of the client */
export async function requireRights(
  account: Cluster,
  { patches, deletes }: ToTakeOver,
  signal: AbortSignal,
): Promise<void> {
  for (const { object, patch } of patches) await account.patch(refOf(object), patch, { dryRun: true }, signal);
  for (const object of deletes) {
    const live = await account.get(refOf(object), signal);
    const refusal = live && (await refusalToDelete(account, live, signal));
    if (refusal !== undefined) throw new ReasonedError(refusal.failure);
  }
}
