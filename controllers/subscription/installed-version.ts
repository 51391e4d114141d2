/**
 * The version that works, while no other one takes its place: no bundle is chosen, or the next one waits. Its manifests are
 * restored and a new configuration of it is applied, from its Revision: neither needs a catalog. Pure.
 */
import { findCondition } from '../../api/conditions.ts';
import type { Revision } from '../../api/revision.ts';
import type { CatalogBundle } from '../../catalog/model.ts';
import { configHash } from '../config-hash.ts';
import { propertiesOf } from '../revision-properties.ts';
import type { Action, Target } from './action.ts';
import { currentConditions } from './history.ts';
import { isInRange } from './in-range.ts';
import type { SubscriptionFacts } from './observe.ts';
import { haveSameBundle, isSameBundle } from '../../api/same-bundle.ts';
import type { Standing } from './standing.ts';

/**
 * Applies the configuration that the spec requests to the installed version; undefined if it is applied, or if the spec
 * excludes the version: the configuration may be meant for another one.
 */
export function reconfigure(facts: SubscriptionFacts, { active, installed }: Standing): Action | undefined {
  if (installed === undefined || !isOfInstalled(active, installed)) return undefined;
  const { target, existing } = asRequested(facts, installed);
  if (existing === active || !isInRange(facts.subscription, installed)) return undefined;
  return existing === undefined ? { do: 'create', target, hold: undefined } : { do: 'activate', revision: existing };
}

/** Restores the manifests of the installed version; undefined if they are not lost, or if its configuration is another one now. */
export function restoreLost(facts: SubscriptionFacts, { active, installed }: Standing): Action | undefined {
  if (installed === undefined || !isOfInstalled(active, installed)) return undefined;
  const { target, existing } = asRequested(facts, installed);
  return existing !== undefined && lacksManifests(existing) ? { do: 'restore', revision: existing, target } : undefined;
}

/** Whether the active Revision is of the bundle that works: an earlier configuration of it may be the one that worked. */
export function isOfInstalled(active: Revision | undefined, installed: Revision): active is Revision {
  return active !== undefined && (active === installed || haveSameBundle(active.spec, installed.spec));
}

interface AsRequested {
  readonly target: Target;
  /** The Revision of exactly the target, if there is one. */
  readonly existing: Revision | undefined;
}

function asRequested({ subscription, revisions }: SubscriptionFacts, installed: Revision): AsRequested {
  const target: Target = { ...targetOf(installed), configHash: configHash(subscription) };
  return { target, existing: revisions.findLast((revision) => isRevisionOf(revision, target)) };
}

/** The target that a Revision was made for. */
export function targetOf(revision: Revision): Target {
  const { catalog, channel = '', configHash: hash } = revision.spec;
  return { bundle: bundleOf(revision), catalog, channel, configHash: hash };
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

/** Whether a Revision is exactly the target. */
export function isRevisionOf(
  revision: Revision,
  { bundle, configHash: hash }: Pick<Target, 'bundle' | 'configHash'>,
): boolean {
  const { metadata, spec } = revision;
  return metadata.deletionTimestamp === undefined && spec.configHash === hash && isSameBundle(bundle, spec);
}

/** As it reports in its present state: archived, it loads nothing, and may report what another Revision has put right. */
export function lacksManifests(revision: Revision): boolean {
  return findCondition(currentConditions(revision), 'Ready')?.reason === 'ManifestsMissing';
}
