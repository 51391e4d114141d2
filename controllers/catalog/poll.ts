/** Decides whether a Catalog's registry is asked now. Pure. */
import { DEFAULT_INTERVAL, INTERVAL_BOUNDS, type Catalog } from '../../api/catalog.ts';
import { parseDuration } from '../../api/duration.ts';
import { ANNOTATION } from '../../api/names.ts';

export type PollPlan =
  | { readonly kind: 'suspended' }
  /** Ask what the reference stands for now. */
  | { readonly kind: 'check' }
  /** What the status says is in service is to be opened, or pulled again by its digest. */
  | { readonly kind: 'restore'; readonly digest: string }
  /** Nothing to do for so many seconds; for ever where absent. */
  | { readonly kind: 'wait'; readonly seconds?: number };

/** @param serving Digest of the content in service in this process. */
export function planPoll(catalog: Catalog, serving: string | undefined, now: Date): PollPlan {
  const { spec, status } = catalog;
  if (!spec.suspend && isAsked(catalog)) return { kind: 'check' };
  if (status?.digest !== undefined && serving !== status.digest) return { kind: 'restore', digest: status.digest };
  if (spec.suspend) return { kind: 'suspended' };
  if (status?.digest === undefined || status.lastChecked === undefined) return { kind: 'check' };
  if (isPinned(catalog)) return { kind: 'wait' };
  const seconds = intervalSeconds(catalog) - (now.getTime() - Date.parse(status.lastChecked)) / 1000;
  return seconds <= 0 ? { kind: 'check' } : { kind: 'wait', seconds };
}

/** Whether a person asks: by another spec, or by the annotation. */
function isAsked({ metadata, status }: Catalog): boolean {
  const requested = metadata.annotations?.[ANNOTATION.reconcileRequestedAt];
  return status?.observedGeneration !== metadata.generation || requested !== status?.lastHandledReconcileAt;
}

/** Whether the reference is by digest: its content cannot change. */
export function isPinned({ spec }: Catalog): boolean {
  return spec.source.image?.ref.includes('@') ?? false;
}

export function intervalSeconds({ spec }: Catalog): number {
  return parseDuration(spec.interval ?? DEFAULT_INTERVAL, INTERVAL_BOUNDS);
}
