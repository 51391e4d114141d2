/** The Revisions that acts on a Subscription are about. Pure. */
import { WAITS_FOR_APPROVAL } from '../api/reasons.ts';
import { hasWorked, type Revision } from '../api/revision.ts';
import type { Subscription } from '../api/subscription.ts';

/** The Revision that the Subscription's status reports as waiting for approval. */
export function waitingOf({ status }: Subscription, revisions: readonly Revision[]): Revision | undefined {
  const { pending } = status ?? {};
  if (pending === undefined || !WAITS_FOR_APPROVAL.has(pending.reason)) return undefined;
  return revisions.find(({ metadata, spec }) => metadata.name === pending.revision && !spec.approved);
}

/** The newest Revision that worked, without the installed one and those that failed. */
export function previousOf({ status }: Subscription, revisions: readonly Revision[]): Revision | undefined {
  const failed = new Set(status?.quarantined?.map(({ bundle }) => bundle));
  const installed = status?.installed;
  const worked = revisions.filter((one) => hasWorked(one) && !failed.has(one.spec.bundle));
  const current = revisions.find(({ metadata }) => metadata.name === installed?.revision);
  const named = worked.find(({ metadata }) => metadata.name === current?.spec.previous);
  const others = worked.filter(({ spec }) => spec.bundle !== installed?.bundle);
  return named !== undefined && others.includes(named) ? named : others.at(-1);
}
