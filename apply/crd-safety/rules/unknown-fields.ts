import type { Change, NodePair, NodeRule } from '../rule.ts';

/** Fields that the schema does not name are dropped, unless it says to preserve them. */
export const unknownFieldsRule: NodeRule = {
  name: 'unknownFields',
  meaning: 'Whether fields are kept that the schema does not name changes.',
  keywords: ['x-kubernetes-preserve-unknown-fields'],
  compare({ old, next }: NodePair): Change[] {
    const [before, after] = [old, next].map((schema) => schema['x-kubernetes-preserve-unknown-fields'] === true);
    if (before === after) return [];
    if (after === true) return [{ effect: 'none', message: 'fields that the schema does not name are kept now' }];
    return [{ effect: 'loses', message: 'fields that the schema does not name are dropped now' }];
  },
};
