/** Durations and ages for tables, as kubectl prints them. Pure. */

const [MINUTE, HOUR, DAY, YEAR] = [60, 3600, 24 * 3600, 365 * 24 * 3600];

/** `45s`, `5m10s`, `3h`, `4d`: two units while the number is small, one afterwards. Less than nothing counts as `0s`. */
export function describeDuration(seconds: number): string {
  const whole = Math.max(0, Math.floor(seconds));
  if (whole < 2 * MINUTE) return `${whole}s`;
  if (whole < 10 * MINUTE) return inUnits(whole, [MINUTE, 'm'], [1, 's']);
  if (whole < 3 * HOUR) return inUnits(whole, [MINUTE, 'm']);
  if (whole < 8 * HOUR) return inUnits(whole, [HOUR, 'h'], [MINUTE, 'm']);
  if (whole < 2 * DAY) return inUnits(whole, [HOUR, 'h']);
  if (whole < 8 * DAY) return inUnits(whole, [DAY, 'd'], [HOUR, 'h']);
  if (whole < 2 * YEAR) return inUnits(whole, [DAY, 'd']);
  if (whole < 8 * YEAR) return inUnits(whole, [YEAR, 'y'], [DAY, 'd']);
  return inUnits(whole, [YEAR, 'y']);
}

type Unit = readonly [seconds: number, letter: string];

function inUnits(seconds: number, [large, letter]: Unit, small?: Unit): string {
  const first = `${Math.floor(seconds / large)}${letter}`;
  if (small === undefined) return first;
  const rest = Math.floor((seconds % large) / small[0]);
  return rest === 0 ? first : `${first}${rest}${small[1]}`;
}

/** The time since a moment; empty if there is none, or it cannot be read. */
export function describeAge(moment: string | undefined, now: Date): string {
  const seconds = secondsBetween(moment, now.toISOString());
  return seconds === undefined ? '' : describeDuration(seconds);
}

/** Seconds from one moment to another; undefined if one of them is absent or cannot be read. */
export function secondsBetween(from: string | undefined, to: string | undefined): number | undefined {
  const seconds = (Date.parse(to ?? '') - Date.parse(from ?? '')) / 1000;
  return Number.isFinite(seconds) ? seconds : undefined;
}
