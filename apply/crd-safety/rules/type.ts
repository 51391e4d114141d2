import { textOf } from '../../../api/untyped.ts';
import type { Change, NodePair, NodeRule } from '../rule.ts';
import type { Schema } from '../schema.ts';

/** The type of a value: `integer`, `int-or-string`, or `any` if the schema has none. */
function typeOf(schema: Schema): string {
  if (schema['x-kubernetes-int-or-string'] === true) return 'int-or-string';
  return textOf(schema['type']) || 'any';
}

/** For each type, the types whose values it accepts entirely. */
const WIDER: Readonly<Record<string, readonly string[]>> = {
  integer: ['number', 'int-or-string', 'any'],
  string: ['int-or-string', 'any'],
  'int-or-string': ['any'],
};

/** Values of another type are rejected, or dropped if they are within a list or map. */
export const typeRule: NodeRule = {
  name: 'type',
  meaning: 'A value has another type.',
  keywords: ['type', 'x-kubernetes-int-or-string'],
  compare({ old, next }: NodePair): Change[] {
    const [before, after] = [typeOf(old), typeOf(next)];
    if (before === after) return [];
    const wider = after === 'any' || (WIDER[before] ?? []).includes(after);
    return [{ effect: wider ? 'none' : 'rejects', message: `the type ${before} becomes ${after}` }];
  },
};
