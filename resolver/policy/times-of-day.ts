/**
 * Takes a cron expression apart into one for each time of day. A library that schedules one fixed time knows what to
 * do when the clocks change; of a list it leaves out what does not exist, and takes twice what comes twice. Pure.
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

/** The values of a field, or undefined where it is written in a way that is not known here. */
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
