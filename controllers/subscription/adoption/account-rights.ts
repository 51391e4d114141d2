/**
 * Whether the account of a Subscription has the rights by which an operator is taken over: to change the objects that OLM has
 * marked, and to delete those that its version brings. Asked by dry runs before the first step, since an adoption that stands
 * still in the middle leaves an operator that neither program manages.
 */
import { collectInventory, tieFactsOf } from '../../../adoption/olm-v0/inventory.ts';
import { handOver } from '../../../adoption/olm-v0/marks.ts';
import { operatorOf, type OlmSurvey } from '../../../adoption/olm-v0/survey.ts';
import type { Cluster } from '../../../api/cluster.ts';
import { ReasonedError } from '../../../api/errors.ts';
import { refOf, type KubeObject } from '../../../api/object.ts';
import { refusalToDelete } from '../../../apply/take-over.ts';

export interface ToTakeOver {
  readonly survey: OlmSurvey;
  /** `<namespace>/<name>` of Slipway's Subscription. */
  readonly adoptBy: string;
  /** The objects of the version that is installed. */
  readonly objects: readonly KubeObject[];
}

/** @throws ReasonedError Forbidden, retried with back-off, which names the right; the other errors of the client */
export async function requireRights(
  account: Cluster,
  { survey, adoptBy, objects }: ToTakeOver,
  signal: AbortSignal,
): Promise<void> {
  const { own } = await collectInventory(account, tieFactsOf(survey, operatorOf(survey)), signal);
  // The very patch: that of a role is refused to an account that does not hold its rights.
  for (const object of own) await account.patch(refOf(object), handOver(object, adoptBy), { dryRun: true }, signal);
  for (const object of objects) {
    const live = await account.get(refOf(object), signal);
    const refusal = live && (await refusalToDelete(account, live, signal));
    if (refusal !== undefined) throw new ReasonedError(refusal.failure);
  }
}
