/** Whether a Subscription is as requested although no bundle is chosen. Pure. */
import type { Reason } from '../../api/reasons.ts';
import type { Revision } from '../../api/revision.ts';
import type { Subscription } from '../../api/subscription.ts';
import type { Conflict, Refusal } from '../../resolver/decision.ts';
import { isInRange, isOfChannel } from './in-range.ts';

/** Reasons of catalogs that do not answer, or may not be used. */
const SILENT: ReadonlySet<Reason> = new Set([
  'CatalogUnavailable',
  'CatalogNotFound',
  'CatalogNotAllowed',
  'PackageNotFound',
]);

/** Causes that rule out an upgrade, but say nothing against the installed version. */
const LEADS_NOWHERE: ReadonlySet<Conflict['kind']> = new Set(['edges', 'downgrade', 'quarantined']);

/**
 * Whether a working operator is as requested although no upgrade is possible. Ready is true only for a version that the
 * spec allows: a user who requests another one sees Ready become true when it is installed, or why it is not. That there was no
 * time to decide says nothing against the installed one either.
 */
export function isGoodEnough(
  subscription: Subscription,
  { reason, because }: Refusal,
  installed: Revision | undefined,
): boolean {
  if (installed === undefined || !isInRange(subscription, installed)) return false;
  if (SILENT.has(reason)) return true;
  const mayStay = isOfChannel(subscription, installed);
  return because.every(({ kind }) => LEADS_NOWHERE.has(kind) || (kind === 'effort' && mayStay));
}
