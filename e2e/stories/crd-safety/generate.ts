/**
 * Makes pairs of schemas and values for them, by a seed: a schema of a few levels, and the same with a few changes
 * along every rule. The old schema accepts the values, and they are close to the changes of the new one.
 */
import { chanceOf } from './chance.ts';
import { change } from './generate-change.ts';
import { schemaOf, type Schema } from './generate-schema.ts';
import { valueOf } from './generate-value.ts';

export interface GeneratedPair {
  readonly old: Schema;
  readonly next: Schema;
  readonly values: readonly unknown[];
}

const VALUES_OF_A_PAIR = 4;

export function generatePair(seed: number): GeneratedPair {
  const chance = chanceOf(seed);
  const old = schemaOf(chance, 3);
  const next = structuredClone(old);
  const changes = 1 + chance.below(3);
  for (let count = 0; count < changes; count += 1) change(next, chance);
  const values = Array.from({ length: VALUES_OF_A_PAIR }, () => valueOf({ old, next }, chance));
  return { old, next, values };
}
