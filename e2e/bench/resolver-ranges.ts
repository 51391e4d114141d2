/** Measures the cost of parsing the worst of many hostile ranges, and of one question to it. */
import { GRAMMARS, hostileRanges } from '../../resolver/testing/hostile-ranges.ts';
import { parseVersion } from '../../resolver/version.ts';

/** The slowest range of a grammar. */
export interface RangeCost {
  readonly grammar: string;
  readonly milliseconds: number;
  readonly detail: string;
}

const ROUNDS = 20;

/**
 * The slowest range of each grammar; the fastest of several rounds counts, so that other processes do not affect it.
 */
export function measureRanges(): readonly RangeCost[] {
  const version = parseVersion('1.2.3-rc.1');
  if (!version.ok) throw new Error(version.problem);
  return GRAMMARS.map(({ grammar, parse, longest }) => {
    const texts = hostileRanges(longest);
    const costs = texts.map((text) => {
      const times = Array.from({ length: ROUNDS }, () => {
        const start = performance.now();
        const parsed = parse(text);
        if (parsed.ok) parsed.value.includes(version.value);
        return performance.now() - start;
      });
      return { text, milliseconds: Math.min(...times) };
    });
    const worst = costs.reduce((a, b) => (b.milliseconds > a.milliseconds ? b : a));
    const detail = `of ${texts.length} texts of ${longest} characters: ${JSON.stringify(worst.text.slice(0, 24))}…`;
    return { grammar, milliseconds: worst.milliseconds, detail };
  });
}
