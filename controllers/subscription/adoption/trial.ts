/** Whether Slipway can go on with an operator of OLM, before anything is changed. Sends only reads and dry runs. */
import type { Cluster } from '../../../api/cluster.ts';
import { describeRestarts, restartsOf } from '../../hand-over-trial.ts';
import { describeOverwritten, describeRefusedSettings, overwrittenOf } from '../../overwritten.ts';
import { requireRights, type ToTakeOver } from './account-rights.ts';
import { accountOf } from './acting.ts';
import type { DepartureOptions } from './departure.ts';
import { pinnedTo } from './pinned.ts';

export interface AdoptionTrial {
  /** The version that OLM has installed. */
  readonly version: string;
  /** Name of the bundle that OLM has installed; absent: it is known by its version only. */
  readonly bundle?: string;
  /** The writes of the hand-over on objects of OLM; only read for a Subscription with an account. */
  readonly takesOver: (account: Cluster) => Promise<ToTakeOver>;
}

/**
 * That Catalogs have another bundle, or the Pods and the edits of ConfigMaps and Secrets that it would replace, unless spec.adopt
 * allows that. That the version can be installed at all, and that an account may do it, is known then too. Throws as `render` and
 * requireRights do, and the errors of the client.
 */
export async function obstacleTo(
  { client, subscription, render, now, signal }: DepartureOptions,
  { version, bundle, takesOver }: AdoptionTrial,
): Promise<string | undefined> {
  const pinned = pinnedTo(subscription, version);
  const rendered = await render(pinned);
  if (bundle !== undefined && rendered.bundle !== bundle)
    return `OLM has installed bundle ${bundle}, and Slipway would install ${rendered.bundle}. Set spec.catalog to the Catalog that has the same one`;
  const acting = accountOf(client, subscription);
  const { objects } = rendered;
  if (subscription.spec.serviceAccountName !== undefined) {
    const { patches, deletes } = await takesOver(acting);
    await requireRights(acting, { patches, deletes: [...deletes, ...objects] }, signal);
  }
  const { restarts, overwrites } = subscription.spec.adopt ?? {};
  const trial = { subscription: pinned, objects, now: now(), signal };
  const replaced = restarts === 'Allow' ? [] : describeRestarts(await restartsOf(acting, trial));
  if (replaced.length > 0) return `${replaced.join('; ')}. ${REMEDY_OF_RESTARTS}`;
  const overwritten = await overwrittenOf(acting, trial);
  const refused = describeRefusedSettings(overwritten);
  if (refused.length > 0) return `${refused.join('; ')}. ${REMEDY_OF_REFUSALS}`;
  const edited = overwrites === 'Allow' ? [] : describeOverwritten(overwritten);
  return edited.length === 0 ? undefined : `${edited.join('; ')}. ${REMEDY_OF_OVERWRITES}`;
}

const REMEDY_OF_RESTARTS =
  'Undo the change that the fields name; if the restart is acceptable, set spec.adopt.restarts to Allow';
const REMEDY_OF_REFUSALS = 'Undo the edit, or have the policy that the message names admit the object';
const REMEDY_OF_OVERWRITES =
  'Copy the entries, which no backup holds, to where the operator reads them after that, and set spec.adopt.overwrites to Allow';
