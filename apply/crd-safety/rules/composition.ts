import { canonicalJson } from '../../../api/json.ts';
import type { Change, NodePair, NodeRule } from '../rule.ts';
import { isAbsent, isSchema } from '../schema.ts';
import { DOCUMENTATION } from './documentation.ts';
import { missingIn } from './enum.ts';

/** One keyword that combines schemas. */
function compositionRule(name: 'allOf' | 'anyOf' | 'oneOf' | 'not', judge: (branches: Branches) => Change[]): NodeRule {
  return {
    name,
    meaning: `The combination of schemas under ${name} changes.`,
    keywords: [name],
    compare: ({ old, next }: NodePair): Change[] => judge(branchesOf(old[name], next[name])),
  };
}

interface Branches {
  readonly before: number;
  readonly after: number;
  readonly removed: number;
  readonly added: number;
}

/** Compares the branches of before and after, ignoring documentation. */
function branchesOf(old: unknown, next: unknown): Branches {
  const [before, after] = [old, next].map(listBranches) as [string[], string[]];
  return {
    before: before.length,
    after: after.length,
    removed: missingIn(after, before).length,
    added: missingIn(before, after).length,
  };
}

function listBranches(value: unknown): string[] {
  if (isAbsent(value)) return [];
  return (Array.isArray(value) ? value : [value]).map((branch) => canonicalJson(withoutDocumentation(branch)));
}

/** Removes documentation keywords; properties of the same names stay. */
function withoutDocumentation(value: unknown, isProperties = false): unknown {
  if (Array.isArray(value)) return value.map((item) => withoutDocumentation(item));
  if (!isSchema(value)) return value;
  const kept = Object.entries(value).filter(([key]) => isProperties || !DOCUMENTATION.includes(key));
  return Object.fromEntries(
    kept.map(([key, child]) => [key, withoutDocumentation(child, !isProperties && key === 'properties')]),
  );
}

/** Every branch must hold: removing one loosens the schema. */
const judgeAllOf = ({ removed, added }: Branches): Change[] => {
  if (added > 0) return [{ effect: 'rejects', message: `${added} more schemas have to hold` }];
  return removed > 0 ? [{ effect: 'none', message: `${removed} schemas need not hold any more` }] : [];
};

/** One branch must hold: adding one loosens the schema, and having none loosens it most. */
const judgeAnyOf = ({ before, after, removed, added }: Branches): Change[] => {
  if (removed + added === 0) return [];
  if (after === 0) return [{ effect: 'none', message: 'none of the alternatives has to hold any more' }];
  if (before === 0) return [{ effect: 'rejects', message: `one of ${after} schemas has to hold` }];
  if (removed > 0) return [{ effect: 'rejects', message: `${removed} alternatives are gone` }];
  return [{ effect: 'none', message: `${added} more alternatives` }];
};

/**
 * Exactly one branch must hold: removing one rejects values that only it matched, adding one rejects values that now
 * match two.
 */
const judgeOneOf = ({ before, after, removed, added }: Branches): Change[] => {
  if (removed + added === 0) return [];
  if (after === 0) return [{ effect: 'none', message: 'none of the alternatives has to hold any more' }];
  if (before === 0) return [{ effect: 'rejects', message: `exactly one of ${after} schemas has to hold` }];
  return [
    { effect: 'rejects', message: `of ${before} exclusive alternatives ${removed} are gone and ${added} are new` },
  ];
};

const judgeNot = ({ after, removed, added }: Branches): Change[] => {
  if (removed + added === 0) return [];
  if (after === 0) return [{ effect: 'none', message: 'nothing is excluded any more' }];
  return [{ effect: 'rejects', message: 'other values are excluded' }];
};

export const compositionRules: readonly NodeRule[] = [
  compositionRule('allOf', judgeAllOf),
  compositionRule('anyOf', judgeAnyOf),
  compositionRule('oneOf', judgeOneOf),
  compositionRule('not', judgeNot),
];
