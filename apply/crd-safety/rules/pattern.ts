import { textOf } from '../../../api/untyped.ts';
import type { Change, NodePair, NodeRule } from '../rule.ts';

/** Regular expressions are not compared: a changed pattern counts as stricter, a removed one as looser. */
export const patternRule: NodeRule = {
  name: 'pattern',
  meaning: 'The expression that a text has to match changes.',
  keywords: ['pattern'],
  compare({ old, next }: NodePair): Change[] {
    const [before, after] = [textOf(old['pattern']), textOf(next['pattern'])];
    if (before === after) return [];
    if (after === '') return [{ effect: 'none', message: `a text need not match ${before} any more` }];
    return [
      { effect: 'rejects', message: `a text has to match ${after}${before === '' ? '' : ` instead of ${before}`}` },
    ];
  },
};
