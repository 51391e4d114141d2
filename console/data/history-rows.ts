/** The Revisions of a Subscription on a timeline: the entries of `slipway history`, with digests and acts. Pure. */
import type { Revision } from '../../api/revision.ts';
import type { Subscription } from '../../api/subscription.ts';
import { entriesOf, type HistoryEntry } from '../../report/history.ts';
import { hasWorked } from '../../api/revision.ts';
import { healthBadge } from './badges.ts';
import { revisionPath } from './links.ts';
import type { HistoryRow } from './models.ts';
import type { ButtonTerms, Offer } from './buttons.ts';
import { buttonsOf, rollbackOffer } from './offers.ts';
import { line, nameOf } from './text.ts';

/** The offers of all rows, for the question about rights. */
export function historyOffers(subscription: Subscription, revisions: readonly Revision[]): readonly Offer[] {
  return revisions.flatMap((one) => backTo(subscription, one));
}

export function historyRows(
  subscription: Subscription,
  revisions: readonly Revision[],
  terms: ButtonTerms,
): readonly HistoryRow[] {
  const byName = new Map(revisions.map((one) => [one.metadata.name, one]));
  return entriesOf(subscription, revisions).flatMap((entry) => {
    const revision = byName.get(entry.revision);
    return revision === undefined ? [] : [rowOf(entry, revision, buttonsOf(backTo(subscription, revision), terms))];
  });
}

/** One that worked, unless its bundle is installed. */
function backTo(subscription: Subscription, revision: Revision): readonly Offer[] {
  const { metadata, status } = subscription;
  const isInstalled = status?.installed?.bundle === revision.spec.bundle;
  const isPossible = hasWorked(revision) && !isInstalled && metadata.deletionTimestamp === undefined;
  return isPossible ? [rollbackOffer(subscription, revision)] : [];
}

function rowOf(entry: HistoryEntry, { metadata, spec, status }: Revision, buttons: HistoryRow['buttons']): HistoryRow {
  const { approvedBy, approvedTime, readyTime, rollOutSeconds, endTime } = entry;
  const signature = signatureOf(spec);
  const plan = status?.approvedBy?.plan;
  return {
    revision: nameOf(entry.revision),
    href: revisionPath(metadata.namespace ?? '', metadata.name),
    number: entry.number,
    version: nameOf(entry.version),
    bundle: nameOf(entry.bundle),
    state: healthBadge(entry.state),
    digest: digestOf(spec.image),
    ...(signature !== undefined && { signature }),
    created: nameOf(entry.created),
    ...(approvedBy !== undefined && { approvedBy: nameOf(approvedBy) }),
    ...(approvedTime !== undefined && { approvedTime: nameOf(approvedTime) }),
    ...(plan !== undefined && { approvedPlan: nameOf(plan) }),
    ...(readyTime !== undefined && { readyTime: nameOf(readyTime) }),
    ...(rollOutSeconds !== undefined && { rollOutSeconds }),
    ...(endTime !== undefined && { endTime: nameOf(endTime) }),
    outcome: line(entry.outcome),
    buttons,
  };
}

/** `sha256:…` of an image by digest. */
export function digestOf(image: string): string {
  return nameOf(image.split('@').at(-1));
}

/** `signed by release-key`, or why no signature is trusted; undefined if none was asked for. */
export function signatureOf({ signature }: Pick<Revision['spec'], 'signature'>): string | undefined {
  if (signature === undefined) return undefined;
  const { by, problem } = signature;
  return line(by === undefined ? (problem ?? 'no trusted signature is known') : `signed by ${by}`);
}
