/**
 * Adds advice to the error of a bundle that cannot be installed: only its author can correct it, but another version of
 * the package may work. Pure.
 */
import { ReasonedError } from '../../api/errors.ts';
import type { Reason } from '../../api/reasons.ts';
import { graphIn } from '../../resolver/catalogs.ts';
import { versionsIn } from '../../resolver/misspelt.ts';
import { list } from '../../resolver/sentences.ts';
import type { Target } from './action.ts';
import type { SubscriptionFacts } from './observe.ts';

/** Reasons for which the bundle itself is rejected. */
const OF_THE_BUNDLE: ReadonlySet<Reason> = new Set<Reason>([
  'BundleInvalid',
  'BundleUnsupported',
  'BundleTooLarge',
  'InvalidCABundle',
]);

/** The same error, with the other versions that the catalog offers; any other error unchanged. */
export function withOtherVersions(error: unknown, facts: SubscriptionFacts, { bundle, catalog }: Target): unknown {
  if (!(error instanceof ReasonedError) || !OF_THE_BUNDLE.has(error.reason)) return error;
  const { reason, retry, message, hint, cause } = error;
  const instead = describeOthers(facts, { bundle, catalog });
  return new ReasonedError({
    reason,
    retry,
    message,
    hint: hint === undefined ? instead : `${hint}. ${instead}`,
    cause,
  });
}

function describeOthers(
  { catalogs, subscription }: SubscriptionFacts,
  { bundle, catalog }: Pick<Target, 'bundle' | 'catalog'>,
): string {
  const failed = new Set(subscription.status?.quarantined?.map((one) => one.bundle));
  const source = catalogs.find(({ name }) => name === catalog);
  const graph = source === undefined ? undefined : graphIn(source, bundle.package);
  const versions = versionsIn(
    graph === undefined ? [] : [graph],
    ({ name }) => name !== bundle.name && !failed.has(name),
  );
  const others = versions.filter((version) => version !== bundle.version);
  return others.length === 0
    ? `Catalog ${catalog} has no other version of the package`
    : `Another version may do: choose one by spec.version. Catalog ${catalog} has ${list(others)}`;
}
