/**
 * Decides what a Subscription needs now. Pure: a function of the Subscription, its Revisions and the catalogs.
 *
 *   a version that failed is remembered → the resolver says what comes next → an existing Revision of exactly
 *   that is made active, or a new one is made; approval, a window or a dependency may hold it back (hold.ts)
 *
 * Going back after a failure is no case of its own: with the failed version out of the question, the resolver
 * answers with what worked before, and the Revision of that exists.
 */
import { findCondition } from '../../api/conditions.ts';
import { ANNOTATION } from '../../api/names.ts';
import type { Reason } from '../../api/reasons.ts';
import type { Loss } from '../../api/repair.ts';
import type { Revision } from '../../api/revision.ts';
import { STATUS_LIMITS, type Subscription } from '../../api/subscription.ts';
import type { CatalogBundle } from '../../catalog/model.ts';
import type { Choice, Decision, Refusal } from '../../resolver/decision.ts';
import type { Installed, ResolveInput, Wanted } from '../../resolver/input.ts';
import { resolve } from '../../resolver/resolve.ts';
import { configHash, outcomeHash } from '../config-hash.ts';
import { propertiesOf } from '../revision-properties.ts';
import { describeFailure, type Quarantined } from './failed-version.ts';
import { activeOf, failedOf, installedOf } from './history.ts';
import { findHold, type Hold } from './hold.ts';
import { isInRange } from './in-range.ts';
import { lossesOf } from './losses.ts';
import type { SubscriptionFacts } from './observe.ts';
import { isSuperseded, noteRollback, upgradeFailureOf, type UpgradeFailure } from './upgrade-failure.ts';

/** What exactly is to be active. */
export interface Target {
  readonly bundle: CatalogBundle;
  readonly catalog: string;
  readonly channel: string;
  readonly configHash: string;
}

export type Action =
  | { readonly do: 'nothing' }
  /** Pull, render and store a new Revision; it becomes active unless something holds it. */
  | { readonly do: 'create'; readonly target: Target; readonly approved: boolean; readonly hold: Hold | undefined }
  /** Make an existing Revision the active one. */
  | { readonly do: 'activate'; readonly revision: Revision }
  /** The stored manifests are lost: render them again. */
  | { readonly do: 'restore'; readonly revision: Revision; readonly target: Target }
  /** What holds it is seen to, or waited for. */
  | { readonly do: 'await'; readonly revision: Revision; readonly hold: Hold };

export type SubscriptionPlan = { readonly kind: 'uninstall' } | { readonly kind: 'suspended' } | ResolvedPlan;

export interface ResolvedPlan {
  readonly kind: 'resolved';
  readonly decision: Decision;
  readonly action: Action;
  readonly active: Revision | undefined;
  /** What works now. */
  readonly installed: Revision | undefined;
  /** The active Revision, where it has failed. */
  readonly failed: Revision | undefined;
  readonly quarantined: readonly Quarantined[];
  /** The upgrade that failed last, until it is superseded. */
  readonly failure: UpgradeFailure | undefined;
  /** What would be chosen if no version had failed; absent if none has. */
  readonly offered: CatalogBundle | undefined;
  /** Custom resources that were lost, until a person acknowledges it. */
  readonly losses: readonly Loss[];
}

/** What a Subscription needs now; `expired` says whether the search for it takes too long by the clock. */
export function decideSubscription(facts: SubscriptionFacts, expired?: () => boolean): SubscriptionPlan {
  const { subscription } = facts;
  if (subscription.metadata.deletionTimestamp !== undefined) return { kind: 'uninstall' };
  if (subscription.spec.suspend) return { kind: 'suspended' };
  const failed = failedOf(subscription, facts.revisions, facts.now);
  const installed = installedOf(subscription, facts.revisions, failed);
  const situation = { active: activeOf(facts.revisions), installed, failed };
  const known = quarantine(facts, failed, installed);
  const quarantined = noteRollback({ ...situation, quarantined: known }, facts.now);
  const question: ResolveInput = {
    wanted: wantedOf(subscription),
    ...(installed !== undefined && { installed: describeInstalled(installed) }),
    catalogs: facts.catalogs,
    quarantined: quarantined.map(({ bundle }) => bundle),
    cluster: facts.cluster,
    ...(expired !== undefined && { expired }),
  };
  const decision = resolve(question);
  const latest = upgradeFailureOf({ ...situation, quarantined });
  const failure = latest === undefined || isSuperseded(latest, decision) ? undefined : latest;
  const offered = failure === undefined ? undefined : offeredIn(resolve({ ...question, quarantined: [] }));
  const action =
    decision.kind === 'none'
      ? withoutAnswer(facts, situation, { decision, quarantined })
      : act(facts, decision, situation);
  const losses = lossesOf(subscription, facts.revisions);
  return { kind: 'resolved', decision, action, ...situation, quarantined, failure, offered, losses };
}

function offeredIn(decision: Decision): CatalogBundle | undefined {
  return decision.kind === 'none' ? undefined : decision.bundle;
}

function wantedOf({ spec }: Subscription): Wanted {
  const { package: name, channel, version, edges, dependencies, catalog, catalogSelector } = spec;
  return {
    package: name,
    edges,
    dependencies,
    catalogSelector,
    ...(channel !== undefined && { channel }),
    ...(version !== undefined && { version }),
    ...(catalog !== undefined && { catalog }),
  };
}

/** What is installed, by its Revision. */
export function describeInstalled({ spec }: Revision): Installed {
  const { bundle, version, release, catalog, channel, image } = spec;
  return {
    bundle,
    version,
    catalog,
    image,
    ...(release !== undefined && { release }),
    ...(channel !== undefined && { channel }),
  };
}

/**
 * The bundles that failed and are not tried again: as known, and the one that fails now if there is something to go back
 * to. A person lifts an entry by asking for a reconcile, or by changing a field of the spec that can change the outcome.
 */
function quarantine(
  { subscription, now }: SubscriptionFacts,
  failed: Revision | undefined,
  installed: Revision | undefined,
): readonly Quarantined[] {
  const known = (subscription.status?.quarantined ?? []).filter((entry) => !isLifted(entry, subscription));
  const goesBack = subscription.spec.onFailure.strategy === 'Rollback' && installed !== undefined;
  if (failed === undefined || !goesBack || known.some(({ bundle }) => bundle === failed.spec.bundle)) return known;
  return [...known, { ...describeFailure(failed, now), specHash: outcomeHash(subscription) }].slice(
    -STATUS_LIMITS.quarantined,
  );
}

/** Entries of the release before carry no hash: any change of the spec lifts those. */
function isLifted({ specHash }: Quarantined, subscription: Subscription): boolean {
  const { metadata, status } = subscription;
  const requested = metadata.annotations?.[ANNOTATION.reconcileRequestedAt];
  if (status?.lastHandledReconcileAt !== requested) return true;
  return specHash === undefined
    ? status?.observedGeneration !== metadata.generation
    : specHash !== outcomeHash(subscription);
}

type Situation = Pick<ResolvedPlan, 'active' | 'installed' | 'failed'>;

/** Without an answer everything stays as it is, but what failed gives way to what worked. */
function keep({ subscription }: SubscriptionFacts, { active, installed, failed }: Situation): Action {
  const goesBack = failed !== undefined && failed === active && subscription.spec.onFailure.strategy === 'Rollback';
  const orphaned = active === undefined && installed !== undefined;
  return installed !== undefined && (goesBack || orphaned)
    ? { do: 'activate', revision: installed }
    : { do: 'nothing' };
}

interface NoAnswer {
  readonly decision: Refusal;
  readonly quarantined: readonly Quarantined[];
}

function withoutAnswer(facts: SubscriptionFacts, situation: Situation, { decision, quarantined }: NoAnswer): Action {
  const kept = keep(facts, situation);
  const { installed } = situation;
  const failedBefore = quarantined.some(({ bundle }) => bundle === installed?.spec.bundle);
  if (kept.do !== 'nothing' || failedBefore || !SILENT.has(decision.reason)) return kept;
  return reconfigure(facts, situation) ?? kept;
}

/** Reasons of catalogs that do not answer, or may not be asked. */
export const SILENT: ReadonlySet<Reason> = new Set([
  'CatalogUnavailable',
  'CatalogNotFound',
  'CatalogNotAllowed',
  'PackageNotFound',
]);

/** What is installed needs no catalog: it is repaired, and another configuration of it is made, all the same. */
function reconfigure(
  { subscription, revisions }: SubscriptionFacts,
  { active, installed }: Situation,
): Action | undefined {
  if (installed === undefined || installed !== active || !isInRange(subscription, installed)) return undefined;
  const { catalog, channel = '' } = installed.spec;
  const target: Target = { bundle: bundleOf(installed), catalog, channel, configHash: configHash(subscription) };
  const existing = revisions.findLast((revision) => isRevisionOf(revision, target));
  if (existing === undefined) return { do: 'create', target, approved: true, hold: undefined };
  if (lacksManifests(existing)) return { do: 'restore', revision: existing, target };
  return existing === active ? undefined : { do: 'activate', revision: existing };
}

/** What a Revision has kept of its bundle. */
function bundleOf(revision: Revision): CatalogBundle {
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

function act(facts: SubscriptionFacts, choice: Choice, situation: Situation): Action {
  const { subscription, revisions } = facts;
  const { active } = situation;
  const { next: bundle, catalog, channel } = choice;
  const target: Target = { bundle, catalog, channel, configHash: configHash(subscription) };
  const existing = revisions.findLast((revision) => isRevisionOf(revision, target));
  if (existing !== undefined && lacksManifests(existing)) return { do: 'restore', revision: existing, target };
  if (existing !== undefined && existing === active) return { do: 'nothing' };
  const approved = existing?.spec.approved ?? isApproved(subscription, active, bundle);
  const hold = findHold(facts, choice, approved);
  if (existing === undefined) return { do: 'create', target, approved, hold };
  if (hold === undefined) return { do: 'activate', revision: existing };
  const back = keep(facts, situation);
  return back.do === 'nothing' ? { do: 'await', revision: existing, hold } : back;
}

/** Approval is about versions: another configuration of the same bundle is the person's own doing. */
function isApproved({ spec }: Subscription, active: Revision | undefined, { name }: CatalogBundle): boolean {
  return spec.approval === 'Automatic' || active?.spec.bundle === name;
}

/** Whether a Revision is exactly what is wanted; a bundle that was published anew under the same name is another. */
export function isRevisionOf({ spec, metadata }: Revision, { bundle, configHash: hash }: Target): boolean {
  const digest = /@(?<digest>sha256:[a-f0-9]{64})$/.exec(bundle.image)?.groups?.['digest'];
  const sameImage = digest === undefined || spec.image.endsWith(digest);
  return (
    metadata.deletionTimestamp === undefined && spec.bundle === bundle.name && spec.configHash === hash && sameImage
  );
}

function lacksManifests({ status }: Revision): boolean {
  return findCondition(status?.conditions, 'Ready')?.reason === 'ManifestsMissing';
}
