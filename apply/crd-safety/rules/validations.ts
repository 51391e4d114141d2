import { listOf, textOf } from '../../../api/untyped.ts';
import type { Change, NodePair, NodeRule } from '../rule.ts';
import type { Schema } from '../schema.ts';

function expressionsOf(schema: Schema): ReadonlySet<string> {
  const rules = listOf(schema['x-kubernetes-validations']);
  // With an optional oldSelf the expression is also evaluated on creation.
  return new Set(
    rules.map(
      ({ rule, optionalOldSelf }) => `${textOf(rule).trim()}${optionalOldSelf === true ? ' (optionalOldSelf)' : ''}`,
    ),
  );
}

/** Expressions are compared as texts: a new or changed one may reject existing objects. */
export const validationsRule: NodeRule = {
  name: 'validations',
  meaning: 'The expressions that a value has to satisfy change.',
  keywords: ['x-kubernetes-validations'],
  compare({ old, next }: NodePair): Change[] {
    const [before, after] = [expressionsOf(old), expressionsOf(next)];
    const added = after.difference(before);
    const removed = before.difference(after);
    return [
      ...[...added].map((rule): Change => ({ effect: 'rejects', message: `has to satisfy ${rule}` })),
      ...[...removed].map((rule): Change => ({ effect: 'none', message: `need not satisfy ${rule} any more` })),
    ];
  },
};
