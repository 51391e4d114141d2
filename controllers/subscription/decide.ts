/**
 * Decides what a Subscription needs now. Pure: a function of the Subscription, its Revisions and the catalogs.
 *
 *   a version that failed is remembered → the resolver chooses the next bundle → an existing Revision of exactly that
 *   is made active, or a new one is made; approval, a window or a dependency may hold it back (hold.ts)
 *
 * A rollback after a failure is no special case: with the failed version excluded, the resolver chooses the version
 * that worked before, and its Revision exists.
 */
import { findCondition } from '../../api/conditions.ts';
import type { Reason } from '../../api/reasons.ts';
import type { Loss } from '../../api/repair.ts';
import type { Revision } from '../../api/revision.ts';
import type { Subscription } from '../../api/subscription.ts';
import type { CatalogBundle } from '../../catalog/model.ts';
import type { Choice, Decision, Refusal } from '../../resolver/decision.ts';
import { resolve } from '../../resolver/resolve.ts';
import { configHash } from '../config-hash.ts';
import { propertiesOf } from '../revision-properties.ts';
import type { Quarantined } from './failed-version.ts';
import type { Hold } from './held.ts';
import { currentConditions } from './history.ts';
import { findHold } from './hold.ts';
import { isInRange } from './in-range.ts';
import { lossesOf } from './losses.ts';
import type { SubscriptionFacts } from './observe.ts';
import { isUnderPolicy } from './plan-hold.ts';
import { questionOf, standingOf } from './question.ts';
import { haveSameBundle, isPublishedAgain, isSameBundle } from './same-bundle.ts';
import { isSuperseded, noteRollback, upgradeFailureOf, type UpgradeFailure } from './upgrade-failure.ts';

/** The bundle and configuration that should be active. */
export interface Target {
  readonly bundle: CatalogBundle;
  readonly catalog: string;
  readonly channel: string;
  readonly configHash: string;
}

export type Action =
  | { readonly do: 'nothing' }
  /** Pull, render and store a new Revision; it becomes active unless something holds it back. */
  | { readonly do: 'create'; readonly target: Target; readonly hold: Hold | undefined }
  /** Make an existing Revision the active one. */
  | { readonly do: 'activate'; readonly revision: Revision }
  /** The stored manifests are lost: render them again. */
  | { readonly do: 'restore'; readonly revision: Revision; readonly target: Target }
  /** Wait for the end of the hold, and request what is missing. */
  | { readonly do: 'await'; readonly revision: Revision; readonly hold: Hold };

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
      ? withoutAnswer(facts, situation, { decision, quarantined })
      : act(facts, decision, { ...situation, quarantined });
  const losses = lossesOf(subscription, facts.revisions);
  return { kind: 'resolved', decision, action, ...situation, quarantined, failure, offered, losses };
}

function offeredIn(decision: Decision): CatalogBundle | undefined {
  return decision.kind === 'none' ? undefined : decision.bundle;
}

type RevisionStanding = Pick<ResolvedPlan, 'active' | 'installed' | 'failed'>;

/**
 * If no bundle is chosen, everything stays as it is, except that a failed Revision is replaced by the one that worked. A
 * configuration that failed is not: the person who wrote it decides.
 */
function keep({ subscription }: SubscriptionFacts, { active, installed, failed }: RevisionStanding): Action {
  if (installed === undefined) return { do: 'nothing' };
  const isGivenUp = failed !== undefined && failed === active && !haveSameBundle(failed.spec, installed.spec);
  const goesBack = isGivenUp && subscription.spec.onFailure.strategy === 'Rollback';
  return goesBack || active === undefined ? { do: 'activate', revision: installed } : { do: 'nothing' };
}

interface NoAnswer {
  readonly decision: Refusal;
  readonly quarantined: readonly Quarantined[];
}

function withoutAnswer(
  facts: SubscriptionFacts,
  situation: RevisionStanding,
  { decision, quarantined }: NoAnswer,
): Action {
  const kept = keep(facts, situation);
  const { installed } = situation;
  const failedBefore = quarantined.some((one) => installed !== undefined && haveSameBundle(one, installed.spec));
  if (kept.do !== 'nothing' || failedBefore || !SILENT.has(decision.reason)) return kept;
  return reconfigure(facts, situation) ?? kept;
}

/** Reasons of catalogs that do not answer, or may not be used. */
export const SILENT: ReadonlySet<Reason> = new Set([
  'CatalogUnavailable',
  'CatalogNotFound',
  'CatalogNotAllowed',
  'PackageNotFound',
]);

/** The installed version needs no catalog: it is still repaired, and a new configuration of it is still applied. */
function reconfigure(
  { subscription, revisions }: SubscriptionFacts,
  { active, installed }: RevisionStanding,
): Action | undefined {
  if (installed === undefined || installed !== active || !isInRange(subscription, installed)) return undefined;
  const { catalog, channel = '' } = installed.spec;
  const target: Target = { bundle: bundleOf(installed), catalog, channel, configHash: configHash(subscription) };
  const existing = revisions.findLast((revision) => isRevisionOf(revision, target));
  if (existing === undefined) return { do: 'create', target, hold: undefined };
  if (lacksManifests(existing)) return { do: 'restore', revision: existing, target };
  return existing === active ? undefined : { do: 'activate', revision: existing };
}

/** The bundle as far as its Revision has kept it. */
export function bundleOf(revision: Revision): CatalogBundle {
  const { bundle: name, package: packageName, version, release, image } = revision.spec;
  const properties = propertiesOf(revision);
  return {
    name,
    package: packageName,
    version,
    image,
    properties,
    relatedImages: [],
    ...(release !== undefined && { release }),
  };
}

function act(facts: SubscriptionFacts, choice: Choice, situation: ActStanding): Action {
  const { subscription, revisions } = facts;
  const { active, installed } = situation;
  const { next: bundle, catalog, channel } = choice;
  const target: Target = { bundle, catalog, channel, configHash: configHash(subscription) };
  const existing = revisions.findLast((revision) => isRevisionOf(revision, target));
  if (hasFailedAgain(bundle, existing, situation)) return stay(facts, situation);
  if (existing !== undefined && lacksManifests(existing)) return { do: 'restore', revision: existing, target };
  if (existing !== undefined && existing === active) return { do: 'nothing' };
  const isFree = isApproved(subscription, active, bundle) && !isUnderPolicy(facts, { next: bundle, installed });
  // A person's approval lasts; that of the rules counts at the moment when it is asked for.
  const approved = existing?.spec.approved === true || isFree;
  const hold = findHold(facts, { choice, existing, active, installed, approved });
  if (existing === undefined) return { do: 'create', target, hold };
  if (hold === undefined) return { do: 'activate', revision: existing };
  const back = keep(facts, situation);
  return back.do === 'nothing' ? { do: 'await', revision: existing, hold } : back;
}

type ActStanding = RevisionStanding & Pick<ResolvedPlan, 'quarantined'>;

/**
 * Whether the installed bundle was published again with a content that failed: its name is not barred, since it works. If the
 * catalog names the image by a tag, only the Revision shows the content.
 */
function hasFailedAgain(
  bundle: CatalogBundle,
  existing: Revision | undefined,
  { installed, quarantined }: ActStanding,
): boolean {
  if (installed === undefined) return false;
  const isOther = existing !== undefined && !haveSameBundle(existing.spec, installed.spec);
  return isOther
    ? quarantined.some((one) => haveSameBundle(one, existing.spec))
    : isPublishedAgain(bundle, installed.spec) && quarantined.some((one) => isSameBundle(bundle, one));
}

/** With the version that works: it is made active again, repaired, and its manifests are restored. */
function stay(facts: SubscriptionFacts, situation: RevisionStanding): Action {
  const kept = keep(facts, situation);
  return kept.do === 'nothing' ? (reconfigure(facts, situation) ?? kept) : kept;
}

/** Approval is about bundles: a new configuration of the same one was made by the user, and needs none. */
function isApproved({ spec }: Subscription, active: Revision | undefined, bundle: CatalogBundle): boolean {
  return spec.approval === 'Automatic' || (active !== undefined && isSameBundle(bundle, active.spec));
}

/** Whether a Revision is exactly the target. */
function isRevisionOf(revision: Revision, { bundle, configHash: hash }: Target): boolean {
  const { metadata, spec } = revision;
  return metadata.deletionTimestamp === undefined && spec.configHash === hash && isSameBundle(bundle, spec);
}

/** As it reports in its present state: archived, it loads nothing, and may report what another Revision has put right. */
function lacksManifests(revision: Revision): boolean {
  return findCondition(currentConditions(revision), 'Ready')?.reason === 'ManifestsMissing';
}
