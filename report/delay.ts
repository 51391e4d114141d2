/** What keeps the manager from acting on a request at once, in further sentences of the answer to an act. Pure. */
import { keyOfObject } from '../api/object.ts';
import { ReasonedError } from '../api/errors.ts';
import type { SubscriptionSpec } from '../api/subscription-spec.ts';
import type { SubscriptionStatus } from '../api/subscription-status.ts';
import { eligibility, parseWindows } from '../resolver/gate/windows.ts';
import type { Changed } from './acts.ts';

/** A Subscription or a Catalog that an act has changed. */
export interface RequestedObject extends Changed {
  readonly metadata: Changed['metadata'] & { readonly deletionTimestamp?: string };
  readonly spec?: Partial<Pick<SubscriptionSpec, 'suspend' | 'windows'>>;
  readonly status?: Pick<SubscriptionStatus, 'installed'>;
}

/** Sentences that follow another one, each behind a period; empty if nothing is known to delay the manager. */
export function describeDelay(object: RequestedObject, now: Date): string {
  const { kind, metadata, spec } = object;
  const name = keyOfObject(object);
  if (metadata.deletionTimestamp !== undefined)
    return `. ${kind} ${name} is being deleted, so nothing of this is done any more`;
  if (spec?.suspend !== true) return describeWindow(object, now);
  const end = kind === 'Subscription' ? `it is resumed by \`slipway resume ${name}\`` : 'its spec.suspend is false';
  return `. ${kind} ${name} is suspended, so nothing of this is done until ${end}${describeWindow(object, now)}`;
}

/** The first installation waits for no window. */
function describeWindow({ spec, status }: RequestedObject, now: Date): string {
  const { windows = [] } = spec ?? {};
  if (windows.length === 0 || status?.installed === undefined) return '';
  try {
    const state = eligibility(parseWindows(windows, now), now);
    if (state.open) return '';
    return `. No window is open, so the version changes at ${state.next.toISOString().replace('.000Z', 'Z')} at the earliest`;
  } catch (error) {
    if (!(error instanceof ReasonedError)) throw error;
    return `. No version changes until the windows are corrected: ${error.message}`;
  }
}
