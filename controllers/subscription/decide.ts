/**
 * Decides what a Subscription needs now. Pure: a function of the Subscription, its Revisions and the catalogs.
 *
 *   a version that failed is remembered → the resolver chooses the next bundle → an existing Revision of exactly that
 *   is made active, or a new one is made; approval, a window or a dependency may hold it back (hold.ts)
 *
 * A rollback after a failure is no special case: with the failed version excluded, the resolver chooses the version
 * that worked before, and its Revision exists.
 */
import type { Loss } from '../../api/repair.ts';
import type { Revision } from '../../api/revision.ts';
import type { Subscription } from '../../api/subscription.ts';
import type { CatalogBundle } from '../../catalog/model.ts';
import type { Choice, Decision, Refusal } from '../../resolver/decision.ts';
import { resolve } from '../../resolver/resolve.ts';
import { configHash } from '../config-hash.ts';
import { actionOfHeld, type Action, type HeldTarget, type Target } from './action.ts';
import { endsByItself } from './ends-by-itself.ts';
import { isGoodEnough } from './good-enough.ts';
import { findHold } from './hold.ts';
import { mayPull } from './images.ts';
import { isRevisionOf, lacksManifests, reconfigure, restoreLost, targetOf } from './installed-version.ts';
import { lossesOf } from './losses.ts';
import type { SubscriptionFacts } from './observe.ts';
import { isUnderPolicy } from './plan-hold.ts';
import { questionOf } from './question.ts';
import { haveSameBundle, isPublishedAgain, isSameBundle } from '../../api/same-bundle.ts';
import { staysUnderWay } from './under-way.ts';
import { isSuperseded, noteRollback, upgradeFailureOf, type UpgradeFailure } from './upgrade-failure.ts';
import type { Quarantined } from './quarantine.ts';
import { failsAtOf } from './failure.ts';
import { standingOf } from './standing.ts';

export type SubscriptionPlan = { readonly kind: 'uninstall' } | { readonly kind: 'suspended' } | ResolvedPlan;

export interface ResolvedPlan {
  readonly kind: 'resolved';
  readonly decision: Decision;
  readonly action: Action;
  readonly active: Revision | undefined;
  /** The Revision that works now. */
  readonly installed: Revision | undefined;
  /** The active Revision, if it has failed. */
  readonly failed: Revision | undefined;
  readonly quarantined: readonly Quarantined[];
  /** The upgrade that failed last, until it is superseded. */
  readonly failure: UpgradeFailure | undefined;
  /** The bundle that would be chosen if no version had failed; absent if none has. */
  readonly offered: CatalogBundle | undefined;
  /** Custom resources that were lost, until a person acknowledges the loss. */
  readonly losses: readonly Loss[];
  /** The highest number that a Revision has had; 0 if there was none. */
  readonly lastNumber: number;
  /** When the active Revision, which has become unhealthy, will have failed; absent if there is no such time. */
  readonly failsAt?: Date;
  /** Whether no bundle is chosen, and that ends without a person. */
  readonly endsByItself?: true;
  /** Whether the installed version could not be given what the spec requests of it. */
  readonly isLacking?: true;
}

/** The plan for a Subscription; `expired` returns whether the search takes too long by the clock. */
export function decideSubscription(facts: SubscriptionFacts, expired?: () => boolean): SubscriptionPlan {
  const { subscription } = facts;
  if (subscription.metadata.deletionTimestamp !== undefined) return { kind: 'uninstall' };
  if (subscription.spec.suspend) return { kind: 'suspended' };
  const { quarantined: known, ...situation } = standingOf(facts);
  const { installed } = situation;
  const quarantined = noteRollback({ ...situation, quarantined: known }, facts.now);
  const question = questionOf(facts, { installed, quarantined }, expired);
  const decision = resolve(question);
  const latest = upgradeFailureOf({ ...situation, quarantined });
  const failure = latest === undefined || isSuperseded(latest, decision, installed) ? undefined : latest;
  const offered = failure === undefined ? undefined : offeredIn(resolve({ ...question, quarantined: [] }));
  const action =
    decision.kind === 'none'
      ? actionWithoutAnswer(facts, decision, { ...situation, quarantined })
      : actionFor(facts, decision, { ...situation, quarantined });
  const losses = lossesOf(subscription, facts.revisions);
  const lastNumber = facts.nextNumber - 1;
  const failsAt = failsAtOf(facts);
  return {
    kind: 'resolved',
    decision,
    action,
    ...situation,
    quarantined,
    failure,
    offered,
    losses,
    lastNumber,
    ...(failsAt !== undefined && failsAt > facts.now && { failsAt }),
    ...(endsByItself(decision, facts) && { endsByItself: true }),
  };
}

function offeredIn(decision: Decision): CatalogBundle | undefined {
  return decision.kind === 'none' ? undefined : decision.bundle;
}

type RevisionStanding = Pick<ResolvedPlan, 'active' | 'installed' | 'failed' | 'quarantined'>;

/**
 * If no bundle is chosen, everything stays as it is, except that a version that was given up is replaced by the one that worked,
 * although the spec may ask for no rollback by now: that one is installed, and is to run. A configuration that failed is not: the
 * person who wrote it decides.
 */
function actionToKeep({ active, installed, failed, quarantined }: RevisionStanding): Action {
  if (installed === undefined) return { do: 'nothing' };
  const isFailure = failed !== undefined && failed === active && !haveSameBundle(failed.spec, installed.spec);
  const goesBack = isFailure && quarantined.some((one) => haveSameBundle(one, failed.spec));
  return goesBack || active === undefined ? { do: 'activate', revision: installed } : { do: 'nothing' };
}

/** The installed version needs no catalog: it is still repaired, and a new configuration of it is still applied. */
function actionWithoutAnswer(facts: SubscriptionFacts, refusal: Refusal, situation: RevisionStanding): Action {
  if (isGoodEnough(facts.subscription, refusal, situation.installed)) return actionToStay(facts, situation);
  const kept = actionToKeep(situation);
  return kept.do === 'nothing' ? (restoreLost(facts, situation) ?? kept) : kept;
}

/** The version that works is made active again, repaired, and gets the configuration that the spec requests. */
function actionToStay(facts: SubscriptionFacts, situation: RevisionStanding): Action {
  const kept = actionToKeep(situation);
  if (kept.do !== 'nothing') return kept;
  const { installed, quarantined } = situation;
  const failedBefore = quarantined.some((one) => installed !== undefined && haveSameBundle(one, installed.spec));
  const changed = failedBefore ? undefined : reconfigure(facts, situation);
  return restoreLost(facts, situation) ?? changed ?? kept;
}

function actionFor(facts: SubscriptionFacts, choice: Choice, situation: RevisionStanding): Action {
  const { subscription, revisions } = facts;
  const { active, installed } = situation;
  const { next: bundle, catalog, channel } = choice;
  const target: Target = { bundle, catalog, channel, configHash: configHash(subscription) };
  const existing = revisions.findLast((revision) => isRevisionOf(revision, target));
  if (choice.keepsContent === true || hasFailedAgain(bundle, existing, situation))
    return actionToStay(facts, situation);
  if (existing !== undefined && lacksManifests(existing)) return { do: 'restore', revision: existing, target };
  if (existing !== undefined && existing === active) return { do: 'nothing' };
  const isFree = isApproved(subscription, active, bundle) && !isUnderPolicy(facts, { next: bundle, installed });
  // A person's approval lasts; that of the rules counts at the moment when it is asked for.
  const approved = existing?.spec.approved === true || isFree;
  const hold = findHold(facts, { choice, existing, active, installed, approved });
  if (hold !== undefined) return actionWhileHeld(facts, { target, existing, hold }, situation);
  const underWay = staysUnderWay(choice, { ...facts, ...situation });
  const onward = underWay && actionUnderWay(facts, underWay);
  if (onward !== undefined) return onward;
  return existing === undefined ? actionToMake(target, situation) : { do: 'activate', revision: existing };
}

/**
 * During a roll-out only lost manifests are rendered again. If they now render differently, a newer Revision holds them.
 * Undefined if they cannot be rendered: no progress deadline would end the wait for them.
 */
function actionUnderWay(facts: SubscriptionFacts, active: Revision): Action | undefined {
  if (!lacksManifests(active)) return { do: 'nothing' };
  const target = targetOf(active);
  const newest = facts.revisions.findLast((one) => isRevisionOf(one, target)) ?? active;
  if (newest !== active) return { do: 'activate', revision: newest };
  return mayPull(facts, target) ? { do: 'restore', revision: active, target } : undefined;
}

/**
 * The version that works gets what the spec requests of it, however long the next one waits. If it cannot have that, as the
 * configuration may be meant for the next one, the next one waits all the same.
 */
function actionWhileHeld(facts: SubscriptionFacts, held: HeldTarget, situation: RevisionStanding): Action {
  const { installed } = situation;
  const isNext = installed !== undefined && !isSameBundle(held.target.bundle, installed.spec);
  const first = isNext ? actionToStay(facts, situation) : actionToKeep(situation);
  if (first.do === 'nothing') return actionOfHeld(held);
  return first.do === 'create' || first.do === 'restore' ? { ...first, meanwhile: held } : first;
}

/**
 * A new Revision needs a registry, and the one that worked does not: after a failure that one goes first, and a new
 * configuration of it follows. If a newer version cannot be made, that one is made active instead.
 */
function actionToMake(target: Target, situation: RevisionStanding): Action {
  const back = actionToKeep(situation);
  if (back.do !== 'activate') return { do: 'create', target, hold: undefined };
  const isReturn = situation.active !== undefined && isSameBundle(target.bundle, back.revision.spec);
  return isReturn ? back : { do: 'create', target, hold: undefined, instead: back.revision };
}

/**
 * Whether the installed bundle was published again with a content that failed: its name is not barred, since it works. If the
 * catalog names the image by a tag, only the Revision shows the content.
 */
function hasFailedAgain(
  bundle: CatalogBundle,
  existing: Revision | undefined,
  { installed, quarantined }: RevisionStanding,
): boolean {
  if (installed === undefined) return false;
  const isOther = existing !== undefined && !haveSameBundle(existing.spec, installed.spec);
  return isOther
    ? quarantined.some((one) => haveSameBundle(one, existing.spec))
    : isPublishedAgain(bundle, installed.spec) && quarantined.some((one) => isSameBundle(bundle, one));
}

/** Approval is about bundles: a new configuration of the same one was made by the user, and needs none. */
function isApproved({ spec }: Subscription, active: Revision | undefined, bundle: CatalogBundle): boolean {
  return spec.approval === 'Automatic' || (active !== undefined && isSameBundle(bundle, active.spec));
}
