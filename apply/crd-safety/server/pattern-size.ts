/** Estimates how large a pattern becomes when its repetitions are written out, as RE2 does to match it. Pure. */

/** At one place in a pattern: a quoted text, a class of characters, a repetition with its counts, or one character. */
const PART = /\\Q[\s\S]*?(?:\\E|$)|\[\^?\]?(?:\[:\w+:\]|\\[\s\S]|[^\]\\])*\]|\{(\d{1,4})(?:,(\d{0,4}))?\}|\\?[\s\S]/gy;

/** RE2 refuses higher counts. */
const MOST_REPEATED = 1000;

/**
 * At least the number of characters, classes and groups that the pattern has without repetitions such as `{3,5}`; too
 * high in doubt.
 */
export function sizeOfPattern(pattern: string): number {
  // The sizes of the open groups, and the one of the last part, which a repetition repeats.
  const open = [0];
  let last = 0;
  const add = (size: number): void => {
    last = size;
    open.push((open.pop() ?? 0) + size);
  };
  for (const [part, least, most] of pattern.matchAll(PART)) {
    if (part === '(') open.push(0);
    else if (part === ')') add(1 + (open.length > 1 ? (open.pop() ?? 0) : 0));
    else if (least === undefined) add(part.startsWith('\\Q') ? part.length : 1);
    else {
      const times = Math.min(MOST_REPEATED, Math.max(Number(least), Number(most ?? 0)));
      const [before, single] = [open.pop() ?? 0, last];
      open.push(before - single);
      add(single * Math.max(1, times));
    }
  }
  return open.reduce((sum, size) => sum + size, 0);
}
