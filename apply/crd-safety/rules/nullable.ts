import type { Change, NodePair, NodeRule } from '../rule.ts';

/** A null that is no longer allowed is rejected, or dropped if there is a default. */
export const nullableRule: NodeRule = {
  name: 'nullable',
  meaning: 'Whether null is allowed changes.',
  keywords: ['nullable'],
  compare({ old, next }: NodePair): Change[] {
    const [before, after] = [old['nullable'] === true, next['nullable'] === true];
    if (before === after) return [];
    return [
      after
        ? { effect: 'none', message: 'null is allowed now' }
        : { effect: 'rejects', message: 'null is not allowed any more' },
    ];
  },
};
