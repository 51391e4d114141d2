/** Decides whether a Catalog's registry is asked now. Pure. */
import { DEFAULT_INTERVAL, INTERVAL_BOUNDS, type Catalog } from '../../api/catalog.ts';
import { findCondition } from '../../api/conditions.ts';
import { parseDuration } from '../../api/duration.ts';
import type { ReasonedError } from '../../api/errors.ts';
import { ANNOTATION } from '../../api/names.ts';
import { isOfSource } from './source.ts';
import { refusalOf } from './verification.ts';

export type PollPlan =
  /** Nothing may be served. */
  | { readonly kind: 'refused'; readonly error: ReasonedError }
  | { readonly kind: 'suspended' }
  /** Ask what the source stands for now. */
  | { readonly kind: 'check' }
  /** What the status says is in service is to be opened: what an earlier process built needs no registry. */
  | { readonly kind: 'restore'; readonly digest: string }
  /** Nothing to do for so many seconds; for ever where absent. */
  | { readonly kind: 'wait'; readonly seconds?: number };

/** @param serving Digest of the content in service in this process. */
export function planPoll(catalog: Catalog, serving: string | undefined, now: Date): PollPlan {
  const { spec, status } = catalog;
  const error = refusalOf(catalog);
  if (error !== undefined) return { kind: 'refused', error };
  if (status?.digest !== undefined && mustRestore(catalog, serving)) return { kind: 'restore', digest: status.digest };
  if (spec.suspend) return { kind: 'suspended' };
  if (isAsked(catalog) || isUnfinished(catalog) || serving !== status?.digest) return { kind: 'check' };
  if (status?.lastChecked === undefined) return { kind: 'check' };
  if (isPinned(catalog)) return { kind: 'wait' };
  const seconds = intervalSeconds(catalog) - (now.getTime() - Date.parse(status.lastChecked)) / 1000;
  return seconds <= 0 ? { kind: 'check' } : { kind: 'wait', seconds };
}

/** First of all: what is known is to be in service whatever becomes of the registry. What is newer stays. */
function mustRestore({ spec, status }: Catalog, serving: string | undefined): boolean {
  return serving === undefined || (spec.suspend && serving !== status?.digest);
}

/** Whether a person asks: by another spec, or by the annotation. */
function isAsked(catalog: Catalog): boolean {
  const { metadata, status } = catalog;
  return status?.observedGeneration !== metadata.generation || requestOf(catalog) !== status?.lastHandledReconcileAt;
}

/** Whether the last look failed, or what is in service is of another source: the spec was observed, not done. */
function isUnfinished({ spec, status }: Catalog): boolean {
  if (status?.digest === undefined || !isOfSource(spec.source, status.digest)) return true;
  const failed = (['Reconciling', 'Stalled'] as const).some((type) => findCondition(status.conditions, type));
  const ready = findCondition(status.conditions, 'Ready');
  return failed || ready?.status === 'False' || ready?.reason === 'CatalogStale';
}

/** What a person asked for by the annotation, as the status repeats it. */
export function requestOf({ metadata }: Catalog): string | undefined {
  return metadata.annotations?.[ANNOTATION.reconcileRequestedAt]?.slice(0, 256);
}

/** Whether the reference is by digest: its content cannot change. */
export function isPinned({ spec }: Catalog): boolean {
  return spec.source.image?.ref.includes('@') ?? false;
}

export function intervalSeconds({ spec }: Catalog): number {
  return parseDuration(spec.interval ?? DEFAULT_INTERVAL, INTERVAL_BOUNDS);
}
