/** What a run has shown, as rows of a table, and which of them break a promise. Pure. */
import type { Tally } from './actors.ts';
import type { Defect } from './log-reader.ts';
import type { MemorySample, Stall } from './watch-manager.ts';

export interface Evidence {
  readonly seconds: number;
  readonly tally: Tally;
  readonly probes: readonly JudgedProbe[];
  readonly memory: readonly MemorySample[];
  readonly defects: readonly Defect[];
  /** Objects and events that say InternalError, each with its message. */
  readonly internalErrors: readonly string[];
  /** Revisions that passed for the manager's, so that it read their manifests. */
  readonly manifestsRead: number;
  readonly logLines: number;
  /** Whether the process that was started still runs. */
  readonly isAlive: boolean;
  /** Requests of the manager per minute, before the fuzz and when everything of it was deleted. */
  readonly requestsPerMinute: { readonly before: number; readonly after: number };
  /** What could not be deleted. */
  readonly leftOver: readonly string[];
  /** Megabytes when everything was deleted and quiet, and before the fuzz began. */
  readonly resident: { readonly before: number; readonly after: number };
}

/** A probe, and the load of the machine during it. */
export interface JudgedProbe {
  readonly what: string;
  readonly milliseconds: number;
  readonly unanswered: boolean;
  readonly stall: Stall;
}

export interface Finding {
  readonly what: string;
  readonly shown: string;
  /** The promised bound; absent if there is none. */
  readonly promised?: string;
  readonly isKept: boolean;
}

/** The longest time without progress of a healthy Subscription, not counting the delays of the machine. */
const LONGEST_STANDSTILL_MS = 5000;
/** Memory is compared from here on: before, the caches fill and code is compiled. */
const SETTLED_SECONDS = 600;
/** What memory may move by chance: the fuzz never leaves the same objects behind. */
const GROWTH = { factor: 1.15, megabytes: 15 };
/** What an idle manager may ask more in a minute than before the fuzz. */
export const MORE_REQUESTS = 6;
const FEWEST_TAKEN = 0.3;

/** Every finding; those with `isKept: false` are violations. */
export function judge(evidence: Evidence): readonly Finding[] {
  return [
    ...actFindings(evidence),
    ...probeFindings(evidence),
    ...defectFindings(evidence),
    ...memoryFindings(evidence),
    ...quietFindings(evidence),
  ];
}

function reported(what: string, shown: string): Finding {
  return { what, shown, isKept: true };
}

function actFindings({ tally, seconds, manifestsRead }: Evidence): readonly Finding[] {
  const rows = [...tally].sort(([a], [b]) => (a < b ? -1 : 1));
  const [taken, refused] = [sum(rows.map(([, one]) => one.taken)), sum(rows.map(([, one]) => one.refused))];
  return [
    ...rows.map(([what, one]) =>
      reported(`acts: ${what}`, `${one.taken} taken, ${one.refused} refused${mostOf(one.why)}`),
    ),
    {
      what: 'acts in all',
      shown: `${taken} taken, ${refused} refused, ${((taken + refused) / seconds).toFixed(1)} a second`,
      promised: `${FEWEST_TAKEN * 100} % taken, or it is no fuzz`,
      isKept: taken >= FEWEST_TAKEN * (taken + refused),
    },
    {
      what: 'Revisions whose manifests were read',
      shown: String(manifestsRead),
      promised: 'some, or only the check of their names was tried',
      isKept: manifestsRead > 0,
    },
  ];
}

/** The most frequent reasons. */
function mostOf(why: ReadonlyMap<string, number>): string {
  const [first, second] = [...why].sort(([, a], [, b]) => b - a).map(([reason, count]) => `${count} × ${reason}`);
  return [first, second].flatMap((text) => (text === undefined ? [] : [`\n  ${text}`])).join('');
}

function probeFindings({ probes }: Evidence): readonly Finding[] {
  const names = [...new Set(probes.map(({ what }) => what))];
  const rows = names.map((what) => {
    const times = probes.filter((probe) => probe.what === what).map(({ milliseconds }) => milliseconds);
    return reported(`until it is answered that ${what}`, `${times.length} times, ${spread(times)}`);
  });
  const stalls = probes.map(stallOf);
  const unanswered = probes.filter((one) => one.unanswered).length;
  const own = probes.map((probe) => probe.milliseconds - stallOf(probe));
  return [
    ...rows,
    reported('of which the machine took', stalls.length === 0 ? '–' : spread(stalls)),
    {
      what: 'a healthy Subscription stood still',
      shown: own.length === 0 ? 'nothing was asked' : `${spread(own)}, ${unanswered} never answered`,
      promised: `at most ${LONGEST_STANDSTILL_MS / 1000} s, less what the machine took`,
      isKept: own.length > 0 && own.every((time) => time <= LONGEST_STANDSTILL_MS) && unanswered === 0,
    },
  ];
}

function stallOf({ stall, milliseconds }: JudgedProbe): number {
  return Math.min(milliseconds, longestOf(stall));
}

/** A probe waits for a processor, for the API server and for this process at the same time, so only the longest counts. */
export function longestOf({ manager, apiServer, harness }: Stall): number {
  return Math.max(manager, apiServer, harness);
}

function defectFindings({ defects, internalErrors, logLines, isAlive }: Evidence): readonly Finding[] {
  const logged = defects.map(({ message, at, count }) => `${count} × ${message} ${at}`);
  return [
    reported('lines of the log', String(logLines)),
    { what: 'errors without a reason in the log', ...noneOf(logged) },
    { what: 'InternalError in conditions and events', ...noneOf(internalErrors) },
    { what: 'the process', shown: isAlive ? 'the same' : 'it has ended', promised: 'the same', isKept: isAlive },
  ];
}

function noneOf(found: readonly string[]): Pick<Finding, 'shown' | 'promised' | 'isKept'> {
  return { shown: found.length === 0 ? 'none' : found.join('\n'), promised: 'none', isKept: found.length === 0 };
}

function memoryFindings({ memory, seconds }: Evidence): readonly Finding[] {
  const from = Math.min(SETTLED_SECONDS, seconds / 2);
  const width = Math.max(60, seconds / 12);
  const early = memory.filter(({ at }) => at >= from && at < from + width);
  const late = memory.filter(({ at }) => at >= seconds - width && at <= seconds);
  const isComparable = seconds >= SETTLED_SECONDS * 2;
  return (['resident', 'anonymous', 'heapUsed', 'external'] as const).map((field) => {
    const [first, last] = [mean(early.map((one) => one[field])), mean(late.map((one) => one[field]))];
    const most = first * GROWTH.factor + GROWTH.megabytes;
    const shown = `${first.toFixed(0)} MB at ${(from / 60).toFixed(0)} min, ${last.toFixed(0)} MB at the end, ${peakOf(memory, field).toFixed(0)} MB at most`;
    if (!isComparable) return reported(`memory, ${field}`, shown);
    return {
      what: `memory, ${field}`,
      shown,
      promised: `at most ${most.toFixed(0)} MB at the end`,
      isKept: last <= most,
    };
  });
}

function peakOf(memory: readonly MemorySample[], field: 'resident' | 'anonymous' | 'heapUsed' | 'external'): number {
  return Math.max(...memory.map((one) => one[field]), 0);
}

function quietFindings({ requestsPerMinute, leftOver, resident }: Evidence): readonly Finding[] {
  const { before, after } = requestsPerMinute;
  return [
    reported(
      'memory, resident, once all is deleted',
      `${resident.before.toFixed(0)} MB before, ${resident.after.toFixed(0)} MB after`,
    ),
    {
      what: 'requests of the idle manager',
      shown: `${before.toFixed(0)} a minute before, ${after.toFixed(0)} after`,
      promised: `at most ${MORE_REQUESTS} more`,
      isKept: after <= before + MORE_REQUESTS,
    },
    { what: 'objects of the fuzz that cannot be deleted', ...noneOf(leftOver) },
  ];
}

function sum(values: readonly number[]): number {
  return values.reduce((total, value) => total + value, 0);
}

function mean(values: readonly number[]): number {
  return values.length === 0 ? 0 : sum(values) / values.length;
}

function spread(times: readonly number[]): string {
  const sorted = [...times].sort((a, b) => a - b);
  const at = (part: number): string => ((sorted[Math.floor((sorted.length - 1) * part)] ?? 0) / 1000).toFixed(2);
  return `${at(0.5)} s in the middle, ${at(0.99)} s of 99 %, ${at(1)} s at most`;
}
