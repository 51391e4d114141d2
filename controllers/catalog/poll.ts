/** Decides whether a Catalog's registry is asked now. Pure. */
import { DEFAULT_INTERVAL, INTERVAL_BOUNDS, type Catalog } from '../../api/catalog.ts';
import { findCondition } from '../../api/conditions.ts';
import { parseDuration } from '../../api/duration.ts';
import type { ReasonedError } from '../../api/errors.ts';
import { isOfSource } from './source.ts';
import type { RegistryPolicies } from '../registry-policies.ts';
import { requestOf } from '../request-of.ts';
import { isCovered, mayExpire, refusalOf } from './verification.ts';

export type PollPlan =
  /** Nothing may be served. */
  | { readonly kind: 'refused'; readonly error: ReasonedError }
  | { readonly kind: 'suspended' }
  /** Ask for the current digest of the source. */
  | { readonly kind: 'check' }
  /** Open the index of the digest in the status: an index that an earlier process built needs no registry. */
  | { readonly kind: 'restore'; readonly digest: string }
  /** Nothing to do for so many seconds; without `seconds`, until something changes. */
  | { readonly kind: 'wait'; readonly seconds?: number };

export interface PollFacts {
  /** Digest of the content in service in this process. */
  readonly serving: string | undefined;
  readonly policies: RegistryPolicies;
  readonly now: Date;
}

export function planPoll(catalog: Catalog, { serving, policies, now }: PollFacts): PollPlan {
  const { spec, status } = catalog;
  const error = refusalOf(catalog, policies);
  const covered = isCovered(catalog, policies);
  if (error !== undefined) return { kind: 'refused', error };
  if (status?.digest !== undefined && covered && mustRestore(catalog, serving))
    return { kind: 'restore', digest: status.digest };
  if (spec.suspend) return { kind: 'suspended' };
  if (isAsked(catalog) || isUnfinished(catalog) || serving !== status?.digest || !covered) return { kind: 'check' };
  if (status?.lastChecked === undefined) return { kind: 'check' };
  if (isPinned(catalog) && !mayExpire(catalog, policies)) return { kind: 'wait' };
  const seconds = intervalSeconds(catalog) - (now.getTime() - Date.parse(status.lastChecked)) / 1000;
  return seconds <= 0 ? { kind: 'check' } : { kind: 'wait', seconds };
}

/** Comes first: known content is served even if the registry fails. Content newer than the status stays. */
function mustRestore({ spec, status }: Catalog, serving: string | undefined): boolean {
  return serving === undefined || (spec.suspend && serving !== status?.digest);
}

/** Whether a person requests a check: by a changed spec, or by the annotation. */
function isAsked(catalog: Catalog): boolean {
  const { metadata, status } = catalog;
  return status?.observedGeneration !== metadata.generation || requestOf(catalog) !== status?.lastHandledReconcileAt;
}

/**
 * Whether the last check failed, or the content in service is of another source: the spec was observed, but not carried
 * out.
 */
function isUnfinished({ spec, status }: Catalog): boolean {
  if (status?.digest === undefined || !isOfSource(spec.source, status.digest)) return true;
  const failed = (['Reconciling', 'Stalled'] as const).some((type) => findCondition(status.conditions, type));
  const ready = findCondition(status.conditions, 'Ready');
  return failed || ready?.status === 'False' || ready?.reason === 'CatalogStale';
}

/** Whether the reference is by digest: its content cannot change. */
export function isPinned({ spec }: Catalog): boolean {
  return spec.source.image?.ref.includes('@') ?? false;
}

export function intervalSeconds({ spec }: Catalog): number {
  return parseDuration(spec.interval ?? DEFAULT_INTERVAL, INTERVAL_BOUNDS);
}
