/** Points in time and spans as people read them. Pure; the time zone and the language are those of the browser. */

const UNITS: readonly (readonly [Intl.RelativeTimeFormatUnit, number])[] = [
  ['year', 31_536_000],
  ['month', 2_592_000],
  ['day', 86_400],
  ['hour', 3_600],
  ['minute', 60],
];

const RELATIVE = new Intl.RelativeTimeFormat('en', { numeric: 'auto' });

/** `3 hours ago`, `in 5 minutes`; within a minute `just now`. */
export function relativeTime(time: Date, now: Date): string {
  const seconds = (time.getTime() - now.getTime()) / 1000;
  const found = UNITS.find(([, size]) => Math.abs(seconds) >= size);
  if (found === undefined) return 'just now';
  const [unit, size] = found;
  return RELATIVE.format(Math.trunc(seconds / size), unit);
}

/** `2026-11-23 07:45:12 UTC`, for the one who compares it with logs. */
export function utcTime(time: Date): string {
  return `${time.toISOString().slice(0, 19).replace('T', ' ')} UTC`;
}

/** `23 Nov 2026, 08:45:12`, in the zone of the browser unless another one is given. */
export function localTime(time: Date, timeZone?: string): string {
  return time.toLocaleString('en-GB', {
    day: 'numeric',
    month: 'short',
    year: 'numeric',
    hour: '2-digit',
    minute: '2-digit',
    second: '2-digit',
    ...(timeZone !== undefined && { timeZone }),
  });
}

/** `1 h 4 min`, `12 s`, `under a second`: the two largest units. */
export function spanOf(milliseconds: number): string {
  const seconds = Math.round(milliseconds / 1000);
  if (seconds < 1) return 'under a second';
  const parts = [
    [Math.floor(seconds / 86_400), 'd'],
    [Math.floor(seconds / 3_600) % 24, 'h'],
    [Math.floor(seconds / 60) % 60, 'min'],
    [seconds % 60, 's'],
  ] as const;
  const first = parts.findIndex(([amount]) => amount > 0);
  return parts
    .slice(first, first + 2)
    .filter(([amount]) => amount > 0)
    .map(([amount, unit]) => `${amount} ${unit}`)
    .join(' ');
}
