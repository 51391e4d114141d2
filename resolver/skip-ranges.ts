/** Finds the skipRanges that exclude the installed bundle, if no edges lead on from it. Pure. */
import type { SkipRangeAtFault } from './decision.ts';
import { compareHighestFirst, type GraphEntry, type EdgeStart } from './graph.ts';

/** Most named ranges. */
const MOST_NAMED = 2;

/**
 * The skipRanges of wanted entries that do not include the installed bundle, or cannot be parsed. Those of the highest
 * versions, each once.
 */
export function skipRangesAtFault(entries: readonly GraphEntry[], installed: EdgeStart): readonly SkipRangeAtFault[] {
  const found = entries
    .toSorted((a, b) => compareHighestFirst(a.bundle, b.bundle))
    .flatMap((entry) => rangeAtFault(entry, installed));
  return [...new Map(found.map((one) => [JSON.stringify(one), one])).values()].slice(0, MOST_NAMED);
}

function rangeAtFault(
  { bundle, skipRange, skipRangeText: range }: GraphEntry,
  installed: EdgeStart,
): readonly SkipRangeAtFault[] {
  if (skipRange === undefined || range === undefined) return [];
  if (!skipRange.ok) return [{ bundle: bundle.name, range, problem: skipRange.problem }];
  const { version } = installed;
  const isIncluded = version === undefined || skipRange.value.includes(version.version);
  return isIncluded ? [] : [{ bundle: bundle.name, range }];
}
