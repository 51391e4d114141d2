/** Finds which rules with `escalate` or `bind` an account needs, so that it need not hold the rights that it gives away. Pure. */
import { AtomSet, type Atom } from './atom.ts';
import type { RightsBudget } from './budget.ts';
import { atomsOfScoped, type ScopedRule } from './scoped-rule.ts';

/** A right that is wanted, and how many of the kept rules include it. */
interface WantedRight {
  included: number;
}

/**
 * Without the rules that include no wanted right beside those that the others include. Undefined if rules and wanted
 * rights meet too often to compare them.
 *
 * @param insteads Each of one part.
 */
export function dropSpare(
  rules: readonly ScopedRule[],
  insteads: readonly ScopedRule[],
  budget: RightsBudget,
): readonly ScopedRule[] | undefined {
  const wantedOf = new Map(rules.map((rule) => [rule, new Set<WantedRight>()] as const));
  const including = indexOf(rules);
  for (const atom of new AtomSet(insteads.flatMap(atomsOfScoped)).values()) {
    const found = including(atom, budget);
    if (found === undefined) return undefined;
    const wanted = { included: found.size };
    for (const rule of found) wantedOf.get(rule)?.add(wanted);
  }
  return rules.filter((rule) => {
    const wanted = [...(wantedOf.get(rule) ?? [])];
    if (wanted.some(({ included }) => included === 1)) return true;
    for (const one of wanted) one.included -= 1;
    return false;
  });
}

/** Answers which rules include an atom. */
function indexOf(
  rules: readonly ScopedRule[],
): (atom: Atom, budget: RightsBudget) => ReadonlySet<ScopedRule> | undefined {
  const parts = rules.flatMap((rule) => atomsOfScoped(rule).map((atom) => ({ rule, atom })));
  const all = new AtomSet(parts.map(({ atom }) => atom));
  const byAtom = Map.groupBy(parts, ({ atom }) => all.find(atom));
  return (atom, budget) => {
    const found = new Set<ScopedRule>();
    for (const wider of all.coversOf(atom))
      for (const { rule } of byAtom.get(wider) ?? []) {
        if (!budget.spend(1)) return undefined;
        found.add(rule);
      }
    return found;
  };
}
