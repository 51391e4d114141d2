import { canonicalJson } from '../../../api/json.ts';
import type { Change, NodePair, NodeRule } from '../rule.ts';

function valuesOf(list: unknown): readonly string[] | undefined {
  return Array.isArray(list) && list.length > 0 ? list.map(canonicalJson) : undefined;
}

/** The texts of the second list that the first one does not have, in time that grows with their number alone. */
export function missingIn(known: readonly string[], texts: readonly string[]): readonly string[] {
  const set = new Set(known);
  return texts.filter((text) => !set.has(text));
}

/** Values outside of the list are rejected. */
export const enumRule: NodeRule = {
  name: 'enum',
  meaning: 'The list of allowed values changes.',
  keywords: ['enum'],
  compare({ old, next }: NodePair): Change[] {
    const before = valuesOf(old['enum']);
    const after = valuesOf(next['enum']);
    if (after === undefined) return before === undefined ? [] : [{ effect: 'none', message: 'any value is allowed' }];
    if (before === undefined) return [{ effect: 'rejects', message: `only ${after.join(', ')} are allowed` }];
    const removed = missingIn(after, before);
    const added = missingIn(before, after);
    const changes: Change[] = [];
    if (removed.length > 0) changes.push({ effect: 'rejects', message: `${removed.join(', ')} no longer allowed` });
    if (added.length > 0) changes.push({ effect: 'none', message: `${added.join(', ')} allowed now` });
    return changes;
  },
};
