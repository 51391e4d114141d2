import { canonicalJson } from '../../../api/json.ts';
import type { Change, NodePair, NodeRule } from '../rule.ts';

function valuesOf(list: unknown): readonly string[] | undefined {
  return Array.isArray(list) && list.length > 0 ? list.map(canonicalJson) : undefined;
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
    const removed = before.filter((value) => !after.includes(value));
    const added = after.filter((value) => !before.includes(value));
    const changes: Change[] = [];
    if (removed.length > 0) changes.push({ effect: 'rejects', message: `${removed.join(', ')} no longer allowed` });
    if (added.length > 0) changes.push({ effect: 'none', message: `${added.join(', ')} allowed now` });
    return changes;
  },
};
