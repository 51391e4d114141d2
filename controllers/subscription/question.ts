/** The question of a Subscription for the resolver, from its spec, its Revisions and the facts around it. Pure. */
import { hasWorked, type Revision } from '../../api/revision.ts';
import type { Subscription } from '../../api/subscription.ts';
import { STATUS_LIMITS } from '../../api/subscription-status.ts';
import type { CatalogBundle } from '../../catalog/model.ts';
import { graphIn } from '../../resolver/catalogs.ts';
import type { CatalogSource, ClusterFacts, Installed, ResolveInput, Wanted } from '../../resolver/input.ts';
import { outcomeHash } from '../config-hash.ts';
import { requestOf } from '../request-of.ts';
import { describeFailure, type Quarantined } from './failed-version.ts';
import { activeOf, failedOf, installedOf } from './history.ts';
import { failedNames, haveSameBundle } from '../../api/same-bundle.ts';
import { isNewer } from './upgrade-failure.ts';

/** How the Revisions of a Subscription stand. */
export interface Standing {
  readonly active: Revision | undefined;
  /** The Revision that works now. */
  readonly installed: Revision | undefined;
  /** The active Revision, if it has failed. */
  readonly failed: Revision | undefined;
  readonly quarantined: readonly Quarantined[];
}

interface StandingFacts {
  readonly subscription: Subscription;
  readonly revisions: readonly Revision[];
  readonly now: Date;
}

/**
 * The standing, with a version that fails now among the failed ones. Nothing goes back to a version that failed before: if
 * no other one has worked, the active one stays installed, and is only unhealthy.
 */
export function standingOf(facts: StandingFacts): Standing {
  const { subscription, revisions, now } = facts;
  const active = activeOf(revisions);
  const known = (subscription.status?.quarantined ?? []).filter((entry) => !isLifted(entry, subscription));
  const candidates = revisions.filter((one) => one === active || !known.some((bad) => haveSameBundle(bad, one.spec)));
  const unhealthy = failedOf(subscription, revisions, now);
  const installed = installedOf(subscription, candidates, unhealthy);
  if (installed === undefined && unhealthy !== undefined && hasWorked(unhealthy))
    return { active, installed: unhealthy, failed: undefined, quarantined: known };
  const quarantined = quarantine({ ...facts, known }, unhealthy, installed);
  return { active, installed, failed: unhealthy, quarantined };
}

interface OuterFacts {
  readonly subscription: Subscription;
  readonly catalogs: readonly CatalogSource[];
  readonly cluster: ClusterFacts;
}

/** The question for the resolver. */
export function questionOf(
  { subscription, catalogs, cluster }: OuterFacts,
  { installed, quarantined }: Pick<Standing, 'installed' | 'quarantined'>,
  expired?: () => boolean,
): ResolveInput {
  return {
    wanted: wantedOf(subscription),
    ...(installed !== undefined && { installed: describeInstalled(installed) }),
    catalogs,
    quarantined: barredBy({ subscription, catalogs }, { installed, quarantined }),
    cluster,
    ...(expired !== undefined && { expired }),
  };
}

/**
 * The names and images that are not tried again. Once the status holds no further entry, the oldest one would be forgotten and tried
 * again: then only bundles newer than all that failed are tried.
 */
function barredBy(
  { subscription, catalogs }: Pick<OuterFacts, 'subscription' | 'catalogs'>,
  { installed, quarantined }: Pick<Standing, 'installed' | 'quarantined'>,
): readonly string[] {
  const failed = failedNames(quarantined, installed?.spec);
  if (quarantined.length < STATUS_LIMITS.quarantined) return failed;
  const offered = catalogs.flatMap((one) => bundlesIn(one, subscription.spec.package));
  const older = offered.filter(
    ({ name, version }) =>
      name !== installed?.spec.bundle && !quarantined.every((one) => isNewer(version, one.version)),
  );
  return [...failed, ...older.map(({ name }) => name)];
}

function bundlesIn(source: CatalogSource, name: string): readonly CatalogBundle[] {
  return [...(graphIn(source, name)?.bundles.values() ?? [])].map(({ bundle }) => bundle);
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

/** The installed bundle, from its Revision. */
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
 * The bundles that failed and are not tried again: the known ones, and the one that fails now if it is rolled back. A
 * configuration that fails is not. A person lifts an entry by requesting a reconcile, or by changing a field of the spec that can
 * change the outcome.
 */
function quarantine(
  { subscription, now, known }: StandingFacts & { readonly known: readonly Quarantined[] },
  failed: Revision | undefined,
  installed: Revision | undefined,
): readonly Quarantined[] {
  if (failed === undefined || installed === undefined || known.some((one) => haveSameBundle(one, failed.spec)))
    return known;
  const goesBack = subscription.spec.onFailure.strategy === 'Rollback' && !haveSameBundle(failed.spec, installed.spec);
  if (!goesBack) return known;
  return [...known, { ...describeFailure(failed, now), specHash: outcomeHash(subscription) }].slice(
    -STATUS_LIMITS.quarantined,
  );
}

/** Whether a person requests a reconcile that was not carried out yet; a request that is withdrawn is none. */
function isRequested(subscription: Subscription): boolean {
  const requested = requestOf(subscription);
  return requested !== undefined && requested !== subscription.status?.lastHandledReconcileAt;
}

/** Entries of the release before carry no hash: any change of the spec lifts those. */
function isLifted({ specHash }: Quarantined, subscription: Subscription): boolean {
  const { metadata, status } = subscription;
  if (isRequested(subscription)) return true;
  return specHash === undefined
    ? status?.observedGeneration !== metadata.generation
    : specHash !== outcomeHash(subscription);
}
