/**
 * The version that a Subscription applies to an operator that it adopts: its objects are known before anything is taken from
 * the other program. The bundle comes from the Catalog, as at any installation, so that a change which a person has made
 * to OLM's copy of it is seen. Nothing is written.
 */
import { ReasonedError } from '../../api/errors.ts';
import { keyOfObject } from '../../api/object.ts';
import type { Subscription } from '../../api/subscription.ts';
import { prepareObjects } from '../../apply/prepare.ts';
import { explainDecision } from '../../resolver/explain.ts';
import type { LoadRoom } from '../loads.ts';
import { unpackManifests } from '../manifests.ts';
import type { PinnedVersion } from './adoption/pinned.ts';
import { decideSubscription } from './decide.ts';
import type { SubscriptionDeps } from './deps.ts';
import { observeSubscription } from './observe.ts';
import { prepareNew } from './prepare.ts';
import { expiryOf } from './time-to-decide.ts';

/**
 * The version to which a Subscription is pinned, with its objects prepared for it, whose memory has the slot.
 *
 * @throws ReasonedError the reason why no Catalog has the version, retried with back-off, and as the preparation of a bundle
 */
export async function versionToAdopt(
  deps: SubscriptionDeps,
  pinned: Subscription,
  { slot, signal }: LoadRoom,
): Promise<PinnedVersion> {
  const { upgradePolicy, caches } = deps;
  const { namespace = '', name } = pinned.metadata;
  const server = await deps.server.get(signal);
  const found = observeSubscription(caches, { namespace, name }, { server, upgradePolicy, now: deps.now() });
  const facts = found && { ...found, subscription: pinned };
  const plan = facts && decideSubscription(facts, expiryOf(deps));
  if (facts === undefined || plan?.kind !== 'resolved') throw new Error(`Subscription ${keyOfObject(pinned)} is gone`);
  const { decision, action } = plan;
  if (action.do !== 'create') {
    const { reason, message, hint } = explainDecision(decision, pinned.spec.package);
    throw new ReasonedError({ reason, retry: 'backoff', message, ...(hint !== undefined && { hint }) });
  }
  const { manifests } = await prepareNew(deps, facts, { target: action.target, signal });
  await slot.take(manifests.weight, signal);
  const owner = { namespace, name };
  const options = { owner, package: pinned.spec.package, revision: name, installNamespace: namespace };
  const objects = prepareObjects(await unpackManifests(manifests), options);
  return { bundle: action.target.bundle.name, objects };
}
