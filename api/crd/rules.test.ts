import { describe, expect, test } from 'vitest';
import { KINDS } from '../kinds.ts';
import { parseObject, type CustomKind } from '../kind.ts';
import type { CelRule } from '../fields.ts';
import { objectOf, RULE_CASES, type RuleCase } from './testing/rule-cases.ts';
import { checkRules } from './testing/rules.ts';
import { toStructuralSchema, type StructuralSchema } from './schema.ts';
import { children } from './structural.ts';

describe('the rules of the kinds', () => {
  test.each(RULE_CASES.filter(({ misfit }) => misfit === undefined))('$kind.kind: $because', (row) => {
    const before = row.before && objectOf(row, row.before);
    expect(checkRules(row.kind, objectOf(row, row.spec), before)).toEqual(row.refused ? [row.refused] : []);
  });

  test.each(RULE_CASES.filter(({ misfit }) => misfit !== undefined))('$kind.kind: $because', (row) => {
    expect(() => parseObject(row.kind, objectOf(row, row.spec))).toThrow(
      expect.objectContaining({
        reason: 'InvalidSpec',
        retry: 'never',
        message: expect.stringContaining(row.misfit ?? ''),
      }),
    );
  });

  test('every rule of a kind is broken by at least one case', () => {
    const broken = new Set(RULE_CASES.map((row: RuleCase) => row.refused?.message));
    const unproved = KINDS.flatMap((kind: CustomKind) => rulesBelow(toStructuralSchema(kind.schema)))
      .map(({ message }) => message)
      .filter((message) => !broken.has(message));
    expect(unproved).toEqual([]);
  });
});

function rulesBelow(node: StructuralSchema): readonly CelRule[] {
  const own = (node['x-kubernetes-validations'] ?? []) as readonly CelRule[];
  return own.concat(children(node).flatMap(([, child]) => rulesBelow(child)));
}
