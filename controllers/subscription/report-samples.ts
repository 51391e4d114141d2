/** Reports the custom resources of a bundle that are left out, or that could not be judged before they are applied. */
import { nameSome } from '../../api/name-some.ts';
import { describeRef } from '../../api/object.ts';
import type { Subscription } from '../../api/subscription.ts';
import type { RecordEvent } from '../events.ts';
import type { Target } from './action.ts';
import type { PreparedBundle } from './prepare-bundle.ts';

const MOST_NAMED = 3;

/** One event for each object that no API server accepts, and one for all that are too large to be judged. */
export function reportSamples(
  record: RecordEvent,
  subscription: Subscription,
  { target, bundle }: { readonly target: Target; readonly bundle: Pick<PreparedBundle, 'leftOut' | 'notJudged'> },
): void {
  const { leftOut, notJudged } = bundle;
  const warn = (note: string): void =>
    record(subscription, { type: 'Warning', reason: 'ObjectInvalid', action: 'Prepare', note });
  for (const { ref, message } of leftOut) {
    const why = `${target.bundle.name} holds ${describeRef(ref)}, which its own CRD refuses (${message})`;
    warn(`${why}; it is left out. Ask the author of the bundle to correct it`);
  }
  if (notJudged.length === 0) return;
  const named = nameSome(notJudged.map(describeRef), MOST_NAMED);
  const why = `${target.bundle.name} holds ${named}, too large to be checked against the CRD beforehand`;
  warn(`${why}. The API server checks them; if it rejects one, ask the author of the bundle for a smaller one`);
}
