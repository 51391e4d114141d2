/**
 * Remembers recent repairs, to distinguish a contest with another program from an accident. Kept in memory only: after
 * a restart a contest is noticed again.
 */
import { identityOf } from '../../../apply/identity.ts';
import type { Revision } from '../../../api/revision.ts';
import { createRecent } from '../../recent.ts';
import type { Repair } from './drift.ts';

/** An object that is repaired this often within so many minutes is contested. */
export const CONTEST = { times: 5, minutes: 10 } as const;

export interface Contest {
  readonly repair: Repair;
  /** How often it was repaired since the contest began. */
  readonly times: number;
}

export interface Contests {
  /**
   * Notes repairs; returns the contests to report: when one begins, and each time its number of repairs has doubled.
   */
  note(revision: Revision, repairs: readonly Repair[], now: Date): readonly Contest[];
  /** The contests that go on, and the seconds until the last of them ends if nothing more happens. */
  under(revision: Revision, now: Date): { readonly contests: readonly Contest[]; readonly overInSeconds: number };
}

interface Known {
  readonly repair: Repair;
  readonly times: number;
  /** Milliseconds since 1970, the latest last: at most `CONTEST.times`. */
  readonly latest: readonly number[];
}

const WINDOW_MS = CONTEST.minutes * 60_000;

export function createContests(): Contests {
  const byRevision = createRecent<ReadonlyMap<string, Known>>();

  function knownOf(revision: Revision, now: Date): ReadonlyMap<string, Known> {
    const known = byRevision.get(keyOf(revision)) ?? new Map<string, Known>();
    return new Map([...known].filter(([, { latest }]) => now.getTime() - (latest.at(-1) ?? 0) < WINDOW_MS));
  }

  return {
    note(revision, repairs, now) {
      if (repairs.length === 0) return [];
      const known = new Map(knownOf(revision, now));
      const noted = repairs.map((repair) => {
        const identity = identityOf(repair.ref);
        const { times = 0, latest = [] } = known.get(identity) ?? {};
        const next = { repair, times: times + 1, latest: [...latest, now.getTime()].slice(-CONTEST.times) };
        known.set(identity, next);
        return next;
      });
      byRevision.set(keyOf(revision), known);
      return noted.filter((one) => isContest(one) && isNews(one.times));
    },
    under(revision, now) {
      const contests = [...knownOf(revision, now).values()].filter(isContest);
      const last = Math.max(...contests.map(({ latest }) => latest.at(-1) ?? 0));
      return { contests, overInSeconds: contests.length === 0 ? 0 : (last + WINDOW_MS - now.getTime()) / 1000 };
    },
  };
}

function isContest({ latest }: Known): boolean {
  const [first = 0] = latest;
  return latest.length === CONTEST.times && (latest.at(-1) ?? 0) - first < WINDOW_MS;
}

/** 5, 10, 20, 40, … */
function isNews(times: number): boolean {
  return Number.isInteger(Math.log2(times / CONTEST.times));
}

function keyOf({ metadata }: Revision): string {
  return metadata.uid ?? `${metadata.namespace}/${metadata.name}`;
}
