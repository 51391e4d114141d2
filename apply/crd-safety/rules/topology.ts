import { canonicalJson } from '../../../api/json.ts';
import { textOf } from '../../../api/untyped.ts';
import type { Change, NodePair, NodeRule } from '../rule.ts';

/**
 * How lists and maps are merged when several managers write them. A list is `atomic` by default, and a map is
 * `granular`; items of a `set` or of a list with keys must differ, so those two reject values that the others accept.
 * @see https://kubernetes.io/docs/reference/using-api/server-side-apply/#merge-strategy
 */
export const topologyRule: NodeRule = {
  name: 'topology',
  meaning: 'A list or map is merged in another way.',
  keywords: ['x-kubernetes-list-type', 'x-kubernetes-list-map-keys', 'x-kubernetes-map-type'],
  compare: (pair: NodePair): Change[] => [...compareLists(pair), ...compareMaps(pair)],
};

function compareLists({ old, next }: NodePair): Change[] {
  const [before, after] = [old, next].map((schema) => textOf(schema['x-kubernetes-list-type']) || 'atomic');
  if (before !== after) {
    return [
      { effect: after === 'atomic' ? 'alters' : 'rejects', message: `the list is ${after} instead of ${before}` },
    ];
  }
  const [oldKeys, newKeys] = [old, next].map((schema) => canonicalJson(schema['x-kubernetes-list-map-keys'] ?? []));
  return oldKeys === newKeys
    ? []
    : [{ effect: 'rejects', message: `the keys of the list ${oldKeys} become ${newKeys}` }];
}

function compareMaps({ old, next }: NodePair): Change[] {
  const [before, after] = [old, next].map((schema) => textOf(schema['x-kubernetes-map-type']) || 'granular');
  return before === after ? [] : [{ effect: 'alters', message: `the map is ${after} instead of ${before}` }];
}
