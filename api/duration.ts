/** Durations in Go's format: `90s`, `5m`, `1h30m`. Every duration of the API has bounds, which are checked here too. */
import { ReasonedError } from './errors.ts';

const SECONDS: Readonly<Record<string, number>> = { ms: 0.001, s: 1, m: 60, h: 3600 };

/** The pattern of a duration in a spec, which the CRDs use too. */
export const DURATION_PATTERN = /^([0-9]{1,6}(\.[0-9]{1,3})?(ms|s|m|h)){1,4}$/;

/** Longest text of a duration. */
export const DURATION_LENGTH = 16;

/** Shortest and longest duration of a field, both in seconds, both allowed. */
export interface DurationBounds {
  readonly minSeconds: number;
  readonly maxSeconds: number;
}

/**
 * Seconds of a duration: `1h30m` → 5400, `500ms` → 0.5. Throws InvalidSpec, not retried, if the text is no duration or
 * out of bounds.
 * @see https://pkg.go.dev/time#ParseDuration
 */
export function parseDuration(text: string, bounds: DurationBounds): number {
  if (text.length > DURATION_LENGTH || !DURATION_PATTERN.test(text)) {
    throw invalid(`${JSON.stringify(text.slice(0, DURATION_LENGTH))} is not a duration`);
  }
  const seconds = [...text.matchAll(/([0-9.]+)(ms|s|m|h)/g)].reduce(
    (sum, [, number, unit]) => sum + Number(number) * (SECONDS[unit ?? ''] ?? 0),
    0,
  );
  if (seconds < bounds.minSeconds || seconds > bounds.maxSeconds) {
    throw invalid(`The duration ${text} is not between ${bounds.minSeconds} s and ${bounds.maxSeconds} s`);
  }
  return seconds;
}

function invalid(message: string): ReasonedError {
  return new ReasonedError({ reason: 'InvalidSpec', retry: 'never', message, hint: 'Write it like 90s, 5m or 1h30m' });
}
