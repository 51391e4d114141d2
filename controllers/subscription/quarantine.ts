/** The versions that failed and are not tried again: their entries in the status, how entries end, and the bundles they rule out. Pure. */
import { findCondition, formatTime } from '../../api/conditions.ts';
import type { Revision } from '../../api/revision.ts';
import { failedNames, haveSameBundle } from '../../api/same-bundle.ts';
import type { Subscription } from '../../api/subscription.ts';
import { STATUS_LIMITS, type SubscriptionStatus } from '../../api/subscription-status.ts';
import type { CatalogBundle } from '../../catalog/model.ts';
import { graphIn } from '../../resolver/catalogs.ts';
import type { CatalogSource } from '../../resolver/input.ts';
import { isNewer } from '../../resolver/version.ts';
import { outcomeHash } from '../config-hash.ts';
import { isReconcileRequested } from '../request-of.ts';

/** The entry of a version that failed, in the status of its Subscription. */
export type Quarantined = NonNullable<SubscriptionStatus['quarantined']>[number];

interface QuarantineFacts {
  readonly subscription: Subscription;
  readonly now: Date;
  /** The entries that are not lifted. */
  readonly known: readonly Quarantined[];
}

/**
 * The bundles that failed and are not tried again: the known ones, and the one that fails now if it is rolled back. A
 * configuration that fails is not. A person lifts an entry by requesting a reconcile, or by changing a field of the spec that can
 * change the outcome.
 */
export function quarantine(
  { subscription, now, known }: QuarantineFacts,
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

/** The entry for a Revision that failed, from its status. */
export function describeFailure({ spec, status }: Revision, now: Date): Quarantined {
  const ready = findCondition(status?.conditions, 'Ready');
  return {
    bundle: spec.bundle,
    version: spec.version,
    image: spec.image,
    reason: ready?.reason ?? 'ApplyFailed',
    message: ready?.message ?? '',
    since: formatTime(now),
  };
}

/** Entries of the release before carry no hash: any change of the spec lifts those. */
export function isLifted({ specHash }: Quarantined, subscription: Subscription): boolean {
  const { metadata, status } = subscription;
  if (isReconcileRequested(subscription)) return true;
  return specHash === undefined
    ? status?.observedGeneration !== metadata.generation
    : specHash !== outcomeHash(subscription);
}

interface BarringFacts {
  readonly subscription: Subscription;
  readonly catalogs: readonly CatalogSource[];
  readonly installed: Revision | undefined;
  readonly quarantined: readonly Quarantined[];
}

/**
 * The names and images that are not tried again. Once the status holds no further entry, the oldest one would be forgotten and tried
 * again: then only bundles newer than all that failed are tried.
 */
export function barredBy({ subscription, catalogs, installed, quarantined }: BarringFacts): readonly string[] {
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
