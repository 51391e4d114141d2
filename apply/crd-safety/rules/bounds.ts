import type { Change, NodePair, NodeRule } from '../rule.ts';
import type { Schema } from '../schema.ts';

type Bound = number | bigint;

function boundOf(schema: Schema, keyword: string): Bound | undefined {
  const value = schema[keyword];
  return typeof value === 'number' || typeof value === 'bigint' ? value : undefined;
}

/** A rule for one keyword that bounds a value from above or below; a value beyond it is rejected. */
function boundRule(name: string, side: 'least' | 'most'): NodeRule {
  const exclusive = { minimum: 'exclusiveMinimum', maximum: 'exclusiveMaximum' }[name];
  return {
    name,
    meaning: `The ${side} that is allowed (${name}) changes.`,
    keywords: exclusive === undefined ? [name] : [name, exclusive],
    compare({ old, next }: NodePair): Change[] {
      const [before, after] = [boundOf(old, name), boundOf(next, name)];
      const excluded =
        exclusive !== undefined && after !== undefined && next[exclusive] === true && old[exclusive] !== true;
      if (before === after && !excluded) return [];
      if (after === undefined) return [{ effect: 'none', message: `${name} ${String(before)} is gone` }];
      if (before === undefined) return [{ effect: 'rejects', message: `${name} ${String(after)} is new` }];
      const stricter = excluded || (side === 'least' ? after > before : after < before);
      return [{ effect: stricter ? 'rejects' : 'none', message: `${name} ${String(before)} becomes ${String(after)}` }];
    },
  };
}

export const boundRules: readonly NodeRule[] = [
  boundRule('minimum', 'least'),
  boundRule('minItems', 'least'),
  boundRule('minLength', 'least'),
  boundRule('minProperties', 'least'),
  boundRule('maximum', 'most'),
  boundRule('maxItems', 'most'),
  boundRule('maxLength', 'most'),
  boundRule('maxProperties', 'most'),
];
