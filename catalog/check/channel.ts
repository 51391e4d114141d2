/** Judges the upgrade graph of one channel by the rules of the reference model: one head, one chain, nothing stranded. */
import type { ChannelEntry } from '../model.ts';

/** The defects of a graph; if a graph has several, the first in this order is reported. */
export type GraphDefect =
  | { readonly rule: 'NoHead' }
  | { readonly rule: 'MultipleHeads'; readonly names: readonly string[] }
  | { readonly rule: 'Cycle'; readonly names: readonly string[] }
  | { readonly rule: 'Stranded'; readonly names: readonly string[] };

/**
 * The defect of a channel with at least one entry; undefined if it has none. The entry at the end of the chain
 * may replace a bundle that the channel does not have.
 */
export function graphDefect(entries: readonly ChannelEntry[]): GraphDefect | undefined {
  const byName = new Map(entries.map((entry) => [entry.name, entry]));
  const skipped = new Set(entries.flatMap(({ skips }) => skips));
  const replaced = new Set(entries.map(({ replaces }) => replaces));
  const heads = [...byName.keys()].filter((name) => !replaced.has(name) && !skipped.has(name));
  if (heads.length === 0) return { rule: 'NoHead' };
  if (heads.length > 1) return { rule: 'MultipleHeads', names: heads.sort() };
  const chain = new Set<string>();
  for (let at = byName.get(heads[0]!); at !== undefined;) {
    chain.add(at.name);
    const next = at.replaces;
    if (next === undefined || skipped.has(next)) break;
    if (chain.has(next)) return { rule: 'Cycle', names: [...chain].slice([...chain].indexOf(next)) };
    at = byName.get(next);
  }
  const stranded = [...byName.keys()].filter((name) => !chain.has(name) && !skipped.has(name));
  return stranded.length > 0 ? { rule: 'Stranded', names: stranded.sort() } : undefined;
}
