/**
 * Computes when upgrades may start: a window opens at each time that a cron expression matches in a time zone, and
 * stays open for a duration. gate.ts and the Subscription reconciler call it. It starts no timers.
 *
 * If the time of a window does not exist on the day the clocks go forward, the window opens when they have gone
 * forward; if it occurs twice on the day they go back, the window opens the first time. A duration is elapsed time,
 * independent of the clocks. Called as `eligibility(parseWindows(spec.windows, now), now)`; gate.ts does so for a
 * decision.
 */
import { Cron } from 'croner';
import { parseDuration } from '../../api/duration.ts';
import { ReasonedError } from '../../api/errors.ts';
import { WINDOW_BOUNDS } from '../../api/subscription-spec.ts';
import { splitTimesOfDay } from './times-of-day.ts';

/** A window as a spec has it. */
export interface WindowSpec {
  /** Five fields: `0 2 * * SAT`. */
  readonly cron: string;
  /** `4h`. */
  readonly duration: string;
  /** IANA name: `Europe/Berlin`. */
  readonly timeZone: string;
}

/** A window that was read. */
export interface MaintenanceWindow {
  /** When the window last opened, up to and including a time; undefined if it never did. */
  readonly lastOpening: (at: Date) => Date | undefined;
  /** When it opens next, after a time. */
  readonly nextOpening: (at: Date) => Date | undefined;
  readonly durationSeconds: number;
}

/** Whether upgrades may start at a time, and until or from when. */
export type Eligibility =
  | { readonly open: true; readonly until: Date | undefined }
  | { readonly open: false; readonly next: Date };

const SECOND = 1000;

/**
 * Reads windows. Throws InvalidSpec, not retried, naming the window and the field: a cron expression that is none or
 * never comes (30 February), a duration out of bounds, a time zone that does not exist.
 * @param reference A time from which on a window must open some day; any will do.
 */
export function parseWindows(windows: readonly WindowSpec[], reference: Date): readonly MaintenanceWindow[] {
  return windows.map((window, index) => parseWindow(window, `spec.windows[${index}]`, reference));
}

/** Whether one of the windows is open; without any, upgrades may start at any time. */
export function eligibility(windows: readonly MaintenanceWindow[], now: Date): Eligibility {
  if (windows.length === 0) return { open: true, until: undefined };
  const ends = windows.flatMap((window) => closingTime(window, now) ?? []);
  if (ends.length > 0) return { open: true, until: lastOf(ends) };
  return { open: false, next: firstOf(windows.flatMap((window) => window.nextOpening(now) ?? [])) as Date };
}

function parseWindow({ cron, duration, timeZone }: WindowSpec, field: string, reference: Date): MaintenanceWindow {
  if (!isTimeZone(timeZone))
    throw invalid(
      `${field}.timeZone: ${JSON.stringify(timeZone)} is no time zone`,
      'Use an IANA name like Europe/Berlin or UTC',
    );
  const schedule = parseCron(cron, timeZone, field);
  if (nextRun(schedule, reference) === undefined)
    throw invalid(`${field}.cron: ${JSON.stringify(cron)} never comes`, 'Use a day that the month has');
  const schedules = splitTimesOfDay(cron).map((time) => parseCron(time, timeZone, field));
  return {
    lastOpening: (at) => lastOf(schedules.flatMap((each) => previousRun(each, at) ?? [])),
    nextOpening: (at) => firstOf(schedules.flatMap((each) => nextRun(each, at) ?? [])),
    durationSeconds: parseDuration(duration, WINDOW_BOUNDS),
  };
}

function parseCron(text: string, timezone: string, field: string): Cron {
  try {
    return new Cron(text, { timezone, paused: true, mode: '5-part' });
  } catch (cause) {
    throw invalid(
      `${field}.cron: ${JSON.stringify(text)} is no cron expression`,
      'Use five fields like 0 2 * * SAT',
      cause,
    );
  }
}

function nextRun(schedule: Cron, at: Date): Date | undefined {
  return schedule.nextRun(at) ?? undefined;
}

/** Up to and including a time. */
function previousRun(schedule: Cron, at: Date): Date | undefined {
  return schedule.previousRuns(1, new Date(Math.floor(at.getTime() / SECOND) * SECOND + SECOND))[0];
}

function isTimeZone(name: string): boolean {
  try {
    return new Intl.DateTimeFormat('en', { timeZone: name }).resolvedOptions().timeZone !== '';
  } catch {
    return false;
  }
}

function closingTime({ lastOpening, durationSeconds }: MaintenanceWindow, now: Date): Date | undefined {
  const opened = lastOpening(now);
  if (opened === undefined) return undefined;
  const end = new Date(opened.getTime() + durationSeconds * SECOND);
  return end > now ? end : undefined;
}

function lastOf(times: readonly Date[]): Date | undefined {
  return times.toSorted((a, b) => b.getTime() - a.getTime())[0];
}

function firstOf(times: readonly Date[]): Date | undefined {
  return times.toSorted((a, b) => a.getTime() - b.getTime())[0];
}

function invalid(message: string, hint: string, cause?: unknown): ReasonedError {
  return new ReasonedError({
    reason: 'InvalidSpec',
    retry: 'never',
    message,
    hint,
    ...(cause !== undefined && { cause }),
  });
}
