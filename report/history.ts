/** The history of a Subscription: how long each Revision took and ran, who approved it, and why it ended. Pure. */
import { FIELD_MANAGER } from '../api/names.ts';
import type { KubeObject } from '../api/object.ts';
import { activeOf, hasWorked, type Revision } from '../api/revision.ts';
import { haveSameBundle } from '../api/same-bundle.ts';
import type { Subscription } from '../api/subscription.ts';
import { fieldsOf, isRecord, listOf, textOf } from '../api/untyped.ts';
import { secondsBetween } from './age.ts';

export interface HistoryEntry {
  readonly revision: string;
  readonly number: number;
  readonly bundle: string;
  readonly version: string;
  readonly state: Revision['spec']['state'];
  readonly created: string;
  /** `automatic`, `upgrade policy`, the program that approved it, or absent while it waits. */
  readonly approvedBy?: string;
  readonly approvedTime?: string;
  /** When it was healthy for the first time. */
  readonly readyTime?: string;
  /** Seconds from its approval, or else its creation, until it was healthy. */
  readonly rollOutSeconds?: number;
  /** When another Revision took over. */
  readonly endTime?: string;
  /** The present state, or the cause of the end, in a sentence. */
  readonly outcome: string;
}

/** The entries, the oldest first. */
export function entriesOf(subscription: Subscription, revisions: readonly Revision[]): readonly HistoryEntry[] {
  return revisions.map((revision) => {
    const { metadata, spec, status } = revision;
    const approval = approvalOf(revision);
    const { firstReadyTime: readyTime, lastActiveTime: endTime } = status ?? {};
    const created = metadata.creationTimestamp ?? '';
    const rollOutSeconds = secondsBetween(approval?.time ?? created, readyTime);
    return {
      revision: metadata.name,
      number: spec.number,
      bundle: spec.bundle,
      version: spec.version,
      state: spec.state,
      created,
      ...(spec.approved && { approvedBy: approval?.manager ?? 'automatic' }),
      ...(approval?.time !== undefined && { approvedTime: approval.time }),
      ...(readyTime !== undefined && { readyTime }),
      ...(rollOutSeconds !== undefined && rollOutSeconds >= 0 && { rollOutSeconds }),
      ...(endTime !== undefined && { endTime }),
      outcome: describeOutcome(revision, subscription, revisions),
    };
  });
}

interface HistoryApproval {
  readonly manager: string;
  /** Absent if no time was recorded. */
  readonly time?: string;
}

/** The record that the manager wrote when the Revision became active; else that of the API server. */
function approvalOf(revision: Revision): HistoryApproval | undefined {
  const { place, manager, time } = revision.status?.approvedBy ?? {};
  if (place === undefined) return approvalOnRevision(revision);
  return {
    manager: place === 'Policy' ? 'upgrade policy' : (manager ?? 'not known'),
    ...(time !== undefined && { time }),
  };
}

/**
 * The program that set `spec.approved`, by the record that the API server keeps of the writers of fields. Undefined if
 * the manager set it itself, when it made the Revision.
 */
function approvalOnRevision(revision: Revision): HistoryApproval | undefined {
  const metadata = (revision as unknown as KubeObject).metadata as unknown as Record<string, unknown>;
  const writer = listOf(metadata['managedFields']).find((entry) => {
    const spec = fieldsOf(fieldsOf(entry['fieldsV1'])['f:spec']);
    return isRecord(spec['f:approved']) && entry['manager'] !== FIELD_MANAGER;
  });
  if (writer === undefined) return undefined;
  return { manager: textOf(writer['manager']), time: textOf(writer['time']) };
}

function describeOutcome(revision: Revision, { status }: Subscription, revisions: readonly Revision[]): string {
  const { spec } = revision;
  const failure = revision.status?.failure ?? status?.quarantined?.find((one) => haveSameBundle(one, spec));
  if (spec.state === 'Active') {
    if (failure !== undefined) return `failed (${failure.reason}): ${failure.message}`;
    return status?.installed?.revision === revision.metadata.name ? 'is installed' : 'is being applied';
  }
  if (!spec.approved && status?.pending?.revision === revision.metadata.name) return `waits (${status.pending.reason})`;
  if (!spec.approved) return 'waits for approval, or was replaced before it was approved';
  if (failure !== undefined) return `failed (${failure.reason}): ${failure.message}`;
  return describeEnd(revision, revisions);
}

/**
 * Whether it was active follows from the fields of the roll-out, not from `lastActiveTime`: that is written some time
 * after another Revision has taken over, and only of a Revision that was healthy.
 */
function describeEnd(revision: Revision, revisions: readonly Revision[]): string {
  const wasHealthy = hasWorked(revision);
  if (!wasHealthy && revision.status?.phases === undefined) return 'was never active';
  const successor = successorOf(revision, revisions);
  const ended = successor === undefined ? 'is not active any more' : `was replaced by ${successor.spec.bundle}`;
  return wasHealthy ? ended : `${ended} before it was healthy`;
}

/** The Revision that became active when this one ended. */
function successorOf({ metadata, spec }: Revision, revisions: readonly Revision[]): Revision | undefined {
  const later = revisions.filter((one) => one.spec.number > spec.number && one.spec.approved);
  return later.find((one) => one.spec.previous === metadata.name) ?? later[0] ?? activeOf(revisions); // prettier-ignore
}
