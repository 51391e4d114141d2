import type { Change, NodePair, NodeRule } from '../rule.ts';
import { isSchema, type Schema } from '../schema.ts';

/** Whether any key is kept; what its value must be like is compared as a node of its own. */
function takesAnyKey(schema: Schema): boolean {
  const values = schema['additionalProperties'];
  return values === true || isSchema(values) || schema['x-kubernetes-preserve-unknown-fields'] === true;
}

/** A map of any keys that becomes an object of named fields drops all others. */
export const mapValuesRule: NodeRule = {
  name: 'mapValues',
  meaning: 'Whether a map takes any key changes.',
  keywords: ['additionalProperties'],
  compare({ old, next }: NodePair): Change[] {
    const [before, after] = [takesAnyKey(old), takesAnyKey(next)];
    if (before && !after && old['additionalProperties'] !== undefined) {
      return [{ effect: 'loses', message: 'keys that the schema does not name are dropped now' }];
    }
    if (old['additionalProperties'] === true && isSchema(next['additionalProperties'])) {
      return [{ effect: 'rejects', message: 'values of the map have to follow a schema now' }];
    }
    return !before && after && next['additionalProperties'] !== undefined
      ? [{ effect: 'none', message: 'the map takes any key now' }]
      : [];
  },
};
