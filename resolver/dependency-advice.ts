/** Finds in the facts about dependencies what a person could do about them; suggestions.ts has the other changes. */
import type { Conflict, Suggestion } from './decision.ts';

/** What would let the dependencies be had. */
export function suggestForDependencies(because: readonly Conflict[]): readonly Suggestion[] {
  return because.flatMap((fact): readonly Suggestion[] => {
    if (fact.kind === 'effort') return [{ change: 'narrow' }];
    if (fact.kind === 'mustBeThere') return [{ change: 'dependencies' }];
    if (fact.kind === 'requires')
      return fact.offered.length === 0 && fact.need.kind !== 'not' ? [{ change: 'offer', need: fact.need }] : [];
    return fact.kind === 'keeps' ? suggestForKept(fact, because) : [];
  });
}

/** What is installed and in the way is brought to a version that is needed, or goes where nothing needs it. */
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
