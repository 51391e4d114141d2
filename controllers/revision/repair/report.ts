/**
 * Reports repairs: by events (which are log lines too), a metric and the status. The loss of custom resources and a
 * contest with another program are reported beside that, since a repair ends neither.
 */
import { formatTime } from '../../../api/conditions.ts';
import type { Loss } from '../../../api/repair.ts';
import type { RevisionStatus } from '../../../api/revision.ts';
import { adviseOnLoss, describeLoss } from '../../describe-loss.ts';
import type { RecordEvent } from '../../events.ts';
import type { RevisionMemory } from '../memory.ts';
import type { RevisionFacts } from '../observe.ts';
import { CONTEST, contestsIn, noteRepairs } from './contests.ts';
import type { CrdContents } from './crd-content.ts';
import { describeContest, describeRepairs } from './describe.ts';
import { isLoss, type Repair, type RepairCause } from './drift.ts';

/** Counts an object that was repaired. */
export type CountRepair = (cause: RepairCause) => void;

export interface ReportDeps {
  readonly record: RecordEvent;
  readonly now: () => Date;
  readonly memory: Pick<RevisionMemory, 'repairs'>;
  readonly crdContents: Pick<CrdContents, 'describe'>;
  readonly countRepair?: CountRepair | undefined;
}

/** The fields of the status about repairs. */
export type RepairFindings = Pick<RevisionStatus, 'lastRepair' | 'losses'>;

/** Records events and counts; returns the new fields of the status. */
export function reportRepairs(
  deps: ReportDeps,
  { revision, subscription }: Pick<RevisionFacts, 'revision' | 'subscription'>,
  repairs: readonly Repair[],
): RepairFindings {
  if (repairs.length === 0) return {};
  const time = formatTime(deps.now());
  const regarding = subscription ?? revision;
  const begun = noteRepairs(deps.memory, repairs, deps.now());
  for (const { cause } of repairs) deps.countRepair?.(cause);
  const calm = repairs.filter((repair) => !isContested(deps, repair));
  if (calm.length > 0)
    deps.record(regarding, {
      type: 'Normal',
      reason: 'Repaired',
      action: 'Repair',
      note: `${describeRepairs(calm)} (${revision.spec.bundle})`,
    });
  for (const { repair, times } of begun) {
    const note = describeContest(repair, times, CONTEST.minutes);
    deps.record(regarding, { type: 'Warning', reason: 'Contested', action: 'Repair', note });
  }
  const lost = repairs.filter(isLoss).map((repair) => lossOf(deps, repair, time));
  for (const loss of lost) {
    const note = `${describeLoss(loss)}. ${adviseOnLoss(regarding, loss.since)}`;
    deps.record(regarding, { type: 'Warning', reason: 'CustomResourcesLost', action: 'Repair', note });
  }
  const message = describeRepairs(repairs).slice(0, 1024);
  return {
    lastRepair: { time, objects: repairs.length, message },
    ...(lost.length > 0 && { losses: lost }),
  };
}

/** The event of a contest replaces the events of its single repairs. */
function isContested({ memory, now }: ReportDeps, { ref }: Repair): boolean {
  return contestsIn(memory, now()).contests.some(({ repair }) => JSON.stringify(repair.ref) === JSON.stringify(ref));
}

function lossOf({ crdContents }: ReportDeps, { ref, uid }: Repair, since: string): Loss {
  return { crd: ref.name, uid, since, message: crdContents.describe(uid).slice(0, 1024) };
}
