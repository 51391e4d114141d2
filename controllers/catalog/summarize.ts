/** The status of a Catalog. Pure. */
import type { Catalog, CatalogStatus } from '../../api/catalog.ts';
import { formatTime, replaceConditions, type NextCondition } from '../../api/conditions.ts';
import { ReasonedError } from '../../api/errors.ts';
import { ANNOTATION } from '../../api/names.ts';

/** What a look at the registry came to. */
export interface CatalogFindings {
  /** Reference by digest of what is in service now. */
  readonly digest: string;
  readonly packages: number;
  readonly channels: number;
  readonly bundles: number;
  /** When the image was built, where it says so. */
  readonly created?: string;
}

export function summarizeContent(catalog: Catalog, found: CatalogFindings, now: Date): CatalogStatus {
  const changed = catalog.status?.digest !== found.digest;
  const status = {
    ...handled(catalog),
    ...found,
    lastChecked: formatTime(now),
    ...(changed && { lastChanged: formatTime(now) }),
  };
  const message = `${count(found.packages, 'package')} with ${count(found.bundles, 'bundle')} in service${unverified(catalog)}`;
  return judged(status, catalog, {
    conditions: [{ type: 'Ready', status: 'True', reason: 'Succeeded', message }],
    now,
  });
}

/** A failure leaves the last good content in service, and says so; without any, the catalog is not ready. */
export function summarizeFailure(catalog: Catalog, error: ReasonedError, now: Date): CatalogStatus {
  const served = catalog.status?.digest;
  const message = error.describe();
  const ready: NextCondition =
    served === undefined
      ? { type: 'Ready', status: 'False', reason: error.reason, message }
      : {
          type: 'Ready',
          status: 'True',
          reason: 'CatalogStale',
          message: `Serving the last good content. ${error.reason}: ${message}`,
        };
  const stuck: NextCondition =
    error.retry === 'never'
      ? { type: 'Stalled', status: 'True', reason: error.reason, message }
      : { type: 'Reconciling', status: 'True', reason: error.reason, message };
  return judged(handled(catalog), catalog, { conditions: [ready, stuck], now });
}

export function summarizeSuspension(catalog: Catalog, now: Date): CatalogStatus {
  const served = catalog.status?.digest !== undefined;
  const message = served ? 'Suspended; what is known stays in service' : 'Suspended before any content was pulled';
  return judged(handled(catalog), catalog, {
    conditions: [{ type: 'Ready', status: served ? 'True' : 'False', reason: 'Suspended', message }],
    now,
  });
}

function handled(catalog: Catalog): CatalogStatus {
  const requested = catalog.metadata.annotations?.[ANNOTATION.reconcileRequestedAt];
  const { lastHandledReconcileAt: _, ...before } = catalog.status ?? {};
  return {
    ...before,
    observedGeneration: catalog.metadata.generation ?? 0,
    ...(requested !== undefined && { lastHandledReconcileAt: requested.slice(0, 256) }),
  };
}

interface Verdict {
  readonly conditions: readonly NextCondition[];
  readonly now: Date;
}

function judged(status: CatalogStatus, catalog: Catalog, { conditions, now }: Verdict): CatalogStatus {
  const observedGeneration = catalog.metadata.generation ?? 0;
  return {
    ...status,
    conditions: replaceConditions(catalog.status?.conditions, conditions, { observedGeneration, now }),
  };
}

function count(number: number, what: string): string {
  return `${number} ${what}${number === 1 ? '' : 's'}`;
}

function unverified({ spec }: Catalog): string {
  return spec.verify === undefined ? '' : '; spec.verify does not act in this version, signatures are not checked';
}
