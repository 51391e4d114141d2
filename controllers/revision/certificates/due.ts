/** When the certificates of a Revision need their next step. Pure. */
import { refOfEntry, type InventoryEntry } from '../../../apply/inventory.ts';
import type { ManagedObjects } from '../managed-objects.ts';
import { dueOf } from './secret.ts';

/** When the first certificate of an inventory needs its next step; undefined if there is none. */
export function certificatesDue(
  inventory: readonly InventoryEntry[],
  managed: Pick<ManagedObjects, 'get'>,
): Date | undefined {
  const secrets = inventory.filter(({ apiVersion, kind }) => apiVersion === 'v1' && kind === 'Secret');
  const dues = secrets.flatMap((entry) => {
    const live = managed.get(refOfEntry(entry));
    return live === undefined ? [] : (dueOf(live)?.getTime() ?? []);
  });
  return dues.length === 0 ? undefined : new Date(Math.min(...dues));
}

const SOONEST_SECONDS = 60;
const LATEST_SECONDS = 24 * 3600;

/** Seconds until the next check; bounded, since clocks are adjusted and timers are lost. */
export function secondsUntilDue(due: Date | undefined, now: Date): number | undefined {
  if (due === undefined) return undefined;
  return Math.min(LATEST_SECONDS, Math.max(SOONEST_SECONDS, (due.getTime() - now.getTime()) / 1000));
}
