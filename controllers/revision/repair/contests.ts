/**
 * Distinguishes a contest with another program from an accident, by the recent repairs in the memory of a Revision: after
 * a restart a contest is noticed again.
 */
import { identityOf } from '../../../apply/identity.ts';
import type { ObjectRef } from '../../../api/object.ts';
import type { RepairHistory, RevisionMemory } from '../memory.ts';
import type { Repair } from './drift.ts';

/** An object that is repaired this often within so many minutes is contested; its next repair comes no sooner than this. */
export const CONTEST = { times: 5, minutes: 10, pauseSeconds: 5 } as const;

export interface Contest {
  readonly repair: Repair;
  /** How often it was repaired since the contest began. */
  readonly times: number;
}

type Repairs = Pick<RevisionMemory, 'repairs'>;

const WINDOW_MS = CONTEST.minutes * 60_000;

/** Notes repairs; returns the contests to report: when one begins, and each time its number of repairs has doubled. */
export function noteRepairs(memory: Repairs, repairs: readonly Repair[], now: Date): readonly Contest[] {
  const known = new Map(recentRepairs(memory, now));
  const noted = repairs.map((repair) => {
    const identity = identityOf(repair.ref);
    const { times = 0, latest = [] } = known.get(identity) ?? {};
    const next = { repair, times: times + 1, latest: [...latest, now.getTime()].slice(-CONTEST.times) };
    known.set(identity, next);
    return next;
  });
  memory.repairs = known;
  return noted.filter((one) => isContest(one) && isNews(one.times));
}

/**
 * When a contested object was repaired last, if no other object is to be repaired: two programs that answer each other
 * at once would keep the API server busy. Undefined otherwise: any other object is repaired at once.
 */
export function lastContestedRepair(memory: Repairs, astray: readonly ObjectRef[], now: Date): Date | undefined {
  const known = recentRepairs(memory, now);
  const contests = astray.flatMap((ref) => known.get(identityOf(ref)) ?? []).filter(isContest);
  return contests.length === 0 || contests.length < astray.length ? undefined : new Date(lastOf(contests));
}

/** The contests that go on, and when the last of them ends if nothing more happens. */
export function contestsIn(
  memory: Repairs,
  now: Date,
): { readonly contests: readonly Contest[]; readonly over: Date | undefined } {
  const contests = [...recentRepairs(memory, now).values()].filter(isContest);
  return { contests, over: contests.length === 0 ? undefined : new Date(lastOf(contests) + WINDOW_MS) };
}

function recentRepairs({ repairs }: Repairs, now: Date): ReadonlyMap<string, RepairHistory> {
  return new Map([...repairs].filter(([, { latest }]) => now.getTime() - (latest.at(-1) ?? 0) < WINDOW_MS));
}

/** When an object was repaired last; the beginning of time if none was. */
function lastOf(some: readonly RepairHistory[]): number {
  return Math.max(0, ...some.map(({ latest }) => latest.at(-1) ?? 0));
}

function isContest({ latest }: RepairHistory): boolean {
  const [first = 0] = latest;
  return latest.length === CONTEST.times && (latest.at(-1) ?? 0) - first < WINDOW_MS;
}

/** 5, 10, 20, 40, … */
function isNews(times: number): boolean {
  return Number.isInteger(Math.log2(times / CONTEST.times));
}
