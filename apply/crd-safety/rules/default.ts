import { canonicalJson } from '../../../api/json.ts';
import type { Change, NodePair, NodeRule } from '../rule.ts';

/** Defaults are filled in when an object is read too: those that leave the field out change their meaning. */
export const defaultRule: NodeRule = {
  name: 'default',
  meaning: 'What stands for a field that is left out changes.',
  keywords: ['default'],
  compare({ old, next }: NodePair): Change[] {
    const [before, after] = [old['default'], next['default']].map((value) =>
      value === undefined ? undefined : canonicalJson(value),
    );
    if (before === after) return [];
    if (after === undefined) return [{ effect: 'alters', message: `the default ${before} is gone` }];
    return [
      {
        effect: 'alters',
        message: before === undefined ? `the default ${after} is new` : `the default ${before} becomes ${after}`,
      },
    ];
  },
};
