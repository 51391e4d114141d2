/**
 * Splits a cron expression into one expression for each time of day. The scheduling library handles a single fixed time
 * correctly when the clocks change; from a list of times it drops those that do not exist on that day, and takes those
 * twice that occur twice. Pure.
 */

/** Of more times a day than these, one that is left out or comes twice makes no difference. */
const MOST_TIMES = 64;

/** @param cron Five valid fields. An hour with `*` means every so many hours, and stays as it is. */
export function splitTimesOfDay(cron: string): readonly string[] {
  const [minute = '', hour = '', ...days] = cron.trim().split(/\s+/);
  if (hour.includes('*')) return [cron];
  const [minutes, hours] = [valuesOf(minute, 59), valuesOf(hour, 23)];
  if (minutes === undefined || hours === undefined || minutes.length * hours.length > MOST_TIMES) return [cron];
  return hours.flatMap((h) => minutes.map((m) => [m, h, ...days].join(' ')));
}

/** The values of a field; undefined for a notation that this file does not know. */
function valuesOf(field: string, most: number): readonly number[] | undefined {
  const values = field.split(',').map((part) => valuesOfPart(part, most));
  return values.includes(undefined) ? undefined : [...new Set(values.flatMap((some) => some ?? []))];
}

/** `7`, `1-5`, `*`, and any of these with `/2`. */
function valuesOfPart(part: string, most: number): readonly number[] | undefined {
  const match = /^(?:\*|(?<from>\d+)(?:-(?<to>\d+))?)(?:\/(?<step>[1-9]\d*))?$/.exec(part);
  if (match === null) return undefined;
  const { from, to, step } = match.groups ?? {};
  const first = Number(from ?? 0);
  const isOne = from !== undefined && to === undefined && step === undefined;
  const last = isOne ? first : Number(to ?? most);
  const count = Math.floor((last - first) / Number(step ?? 1)) + 1;
  return Array.from({ length: Math.max(0, count) }, (_, index) => first + index * Number(step ?? 1));
}
