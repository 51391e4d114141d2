/**
 * A version that is being rolled out: it stays until it works or has failed, whatever the catalogs and the neighbours offer
 * meanwhile. Its objects are there in part, and no edge need lead from it to another one. A person who changes the spec is
 * followed at once. Pure.
 */
import { findCondition } from '../../api/conditions.ts';
import type { Revision } from '../../api/revision.ts';
import type { Subscription } from '../../api/subscription.ts';
import type { CatalogBundle } from '../../catalog/model.ts';
import { graphIn } from '../../resolver/catalogs.ts';
import type { Choice } from '../../resolver/decision.ts';
import { providedKeys } from '../../resolver/dependencies/requirements.ts';
import { edgeInto } from '../../resolver/graph.ts';
import type { CatalogSource, ClusterFacts } from '../../resolver/input.ts';
import { parseBundleVersion, isNewer } from '../../resolver/version.ts';
import { propertiesOf } from '../revision-properties.ts';
import { isAsConfigured, isInRange } from './in-range.ts';
import { isOfInstalled } from './installed-version.ts';
import { haveSameBundle, isSameBundle } from '../../api/same-bundle.ts';
import type { Standing } from './standing.ts';

interface RollOut extends Standing {
  readonly subscription: Subscription;
  readonly revisions: readonly Revision[];
  readonly catalogs: readonly CatalogSource[];
  readonly cluster: Pick<ClusterFacts, 'packages'>;
}

/**
 * The Revision that stays although another bundle is chosen; undefined if the choice is free. If the spec asks for no rollback, a
 * version that failed stays too, unless a version other than the installed one may follow. Four Revisions never stay, as they
 * would come to no good end: a quarantined one that a crash left active, one that a person deletes, one whose errors come before
 * its first object, since no deadline ends those, and one that waits for a CRD which another package has taken back.
 */
export function staysUnderWay(
  { next, bundle }: Pick<Choice, 'next' | 'bundle'>,
  rollOut: RollOut,
): Revision | undefined {
  const { subscription, revisions, active, installed, failed, quarantined } = rollOut;
  if (active === undefined || isSameBundle(next, active.spec)) return undefined;
  if (active.metadata.deletionTimestamp !== undefined || isTriedInVain(active, revisions)) return undefined;
  if (waitsForTakenBack(active, rollOut.cluster)) return undefined;
  if (quarantined.some((one) => haveSameBundle(one, active.spec))) return undefined;
  if (installed !== undefined && haveSameBundle(active.spec, installed.spec)) return undefined;
  if (active === failed && !staysFailed(subscription, next, installed)) return undefined;
  return isInLineWith(active, bundle, rollOut) ? active : undefined;
}

/** Whether an attempt has ended, and nothing of it is in the cluster. */
function isTriedInVain(revision: Revision, revisions: readonly Revision[]): boolean {
  return (
    findCondition(revision.status?.conditions, 'Reconciling') !== undefined && hasNotedNothing(revision, revisions)
  );
}

/**
 * Whether an object of another owner keeps it from its first write, and another package provides a kind of it again: that package had
 * given the kind up, and went back to its version before. The version would be quarantined at the deadline for that failure.
 */
function waitsForTakenBack(revision: Revision, { packages = [] }: RollOut['cluster']): boolean {
  if (findCondition(revision.status?.conditions, 'Ready')?.reason !== 'Collision') return false;
  const others = packages.filter((one) => one.package !== revision.spec.package && one.holds !== false);
  const own = providedKeys(propertiesOf(revision));
  return others.some(({ properties }) => !own.isDisjointFrom(providedKeys(properties)));
}

/** Whether the objects in the cluster are those of the installed version: it is active, or the active one has noted none yet. */
export function isRunning(installed: Revision, active: Revision | undefined, revisions: readonly Revision[]): boolean {
  return active === undefined || isOfInstalled(active, installed) || hasNotedNothing(active, revisions);
}

/**
 * Whether not even the intent to apply an object is noted. An earlier Revision of the bundle, as with another configuration,
 * lists its objects until this one has taken them over.
 */
function hasNotedNothing({ spec }: Revision, revisions: readonly Revision[]): boolean {
  return revisions.every((one) => (one.status?.inventory ?? []).length === 0 || !haveSameBundle(one.spec, spec));
}

function staysFailed({ spec }: Subscription, next: CatalogBundle, installed: Revision | undefined): boolean {
  return spec.onFailure.strategy !== 'Rollback' && installed !== undefined && isSameBundle(next, installed.spec);
}

/** Whether the spec still permits a Revision as it is: as one that it requests, or as a step on the way to one. */
function isInLineWith(revision: Revision, goal: CatalogBundle, rollOut: RollOut): boolean {
  const { subscription, catalogs } = rollOut;
  const { spec } = revision;
  const { catalog = spec.catalog } = subscription.spec;
  const isSelected = catalogs.find(({ name }) => name === spec.catalog)?.selected !== false;
  return (
    spec.package === subscription.spec.package &&
    spec.catalog === catalog &&
    isSelected &&
    isAsConfigured(subscription, revision) &&
    (isInRange(subscription, revision) || isStep(revision, goal, rollOut))
  );
}

/**
 * Whether a version was a step from the installed one, which is outside of the range, to the one that is chosen now, until the
 * catalog took it back. If it can be reached as before, a person has changed the range.
 */
function isStep(
  { spec }: Revision,
  goal: CatalogBundle,
  { subscription, catalogs, installed }: Pick<RollOut, 'subscription' | 'catalogs' | 'installed'>,
): boolean {
  if (installed === undefined || isInRange(subscription, installed) || subscription.spec.edges === 'Ignore')
    return false;
  const isBetween = isNewer(spec.version, installed.spec.version) && isNewer(goal.version, spec.version);
  return isBetween && !isReached(spec, installed, catalogs);
}

/** Whether an edge leads from the installed version to another one, in the catalog of that one. */
function isReached(to: Revision['spec'], { spec }: Revision, catalogs: readonly CatalogSource[]): boolean {
  const source = catalogs.find(({ name }) => name === to.catalog);
  const channels = source === undefined ? [] : (graphIn(source, to.package)?.channels.values() ?? []);
  const version = parseBundleVersion(spec.version, spec.release);
  const from = { name: spec.bundle, version: version.ok ? version.value : undefined };
  return [...channels].some(({ entries }) =>
    entries.some((entry) => isSameBundle(entry.bundle.bundle, to) && edgeInto(entry, from) !== undefined),
  );
}
