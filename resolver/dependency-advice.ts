/** Finds changes that would satisfy the dependencies; suggestions.ts finds all other changes. */
import type { Conflict, Suggestion } from './decision.ts';

/** Changes that would satisfy the dependencies. */
export function suggestForDependencies(because: readonly Conflict[]): readonly Suggestion[] {
  return because.flatMap((fact): readonly Suggestion[] => {
    if (fact.kind === 'effort') return [{ change: 'narrow' }];
    if (fact.kind === 'mustBeThere') return [{ change: 'dependencies' }];
    if (fact.kind === 'requires')
      return fact.offered.length === 0 && fact.need.kind !== 'not' ? [{ change: 'offer', need: fact.need }] : [];
    return fact.kind === 'keeps' ? suggestForKept(fact, because) : [];
  });
}

/** An installed package that conflicts moves to a version that is needed, or is uninstalled if no package needs it. */
function suggestForKept(
  { package: name, subscription }: Extract<Conflict, { kind: 'keeps' }>,
  because: readonly Conflict[],
): readonly Suggestion[] {
  const whose = { package: name, ...(subscription !== undefined && { subscription }) };
  const [range] = because.flatMap((other) => rangeFor(name, other));
  if (range !== undefined) return [{ change: 'otherPackage', range, ...whose }];
  const excluded = because.some(
    (other) =>
      (other.kind === 'provider' && other.packages.includes(name)) ||
      (other.kind === 'requires' && other.need.kind === 'not'),
  );
  return excluded ? [{ change: 'removePackage', ...whose }] : [];
}

function rangeFor(name: string, fact: Conflict): readonly string[] {
  return fact.kind === 'requires' && fact.need.kind === 'package' && fact.need.package === name
    ? [fact.need.range]
    : [];
}
