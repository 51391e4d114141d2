/** Finds changes that would satisfy the dependencies; suggestions.ts finds all other changes. */
import { evaluate, type Offer } from './candidates.ts';
import type { Conflict, Refusal, Suggestion } from './decision.ts';
import { createDependencyOracle } from './dependencies/ask.ts';
import { kindKey } from './dependencies/requirements.ts';
import type { ResolveInput } from './input.ts';
import { RULES, type ResolveQuestion } from './question.ts';
import { distinct } from './suggestions.ts';

/**
 * Suggests that dependencies be installed if that alone makes a choice possible. It is tried, because that one bundle
 * could have its dependencies does not say that the spec asks for that bundle.
 */
export function adviseInstalling(
  refusal: Refusal,
  offers: readonly Offer[],
  { input, question }: { readonly input: ResolveInput; readonly question: ResolveQuestion },
): Refusal {
  const isBarred = refusal.because.some(({ kind }) => kind === 'dependency');
  if (!isBarred || input.wanted.dependencies !== 'Require') return refusal;
  const { problem } = createDependencyOracle({ ...input, wanted: { ...input.wanted, dependencies: 'Install' } });
  const asked = { ...question, dependencyProblem: problem, judged: new Map() };
  const helps = offers.some((offer) => evaluate(offer, asked, new Set(RULES)).candidate !== undefined);
  return helps ? { ...refusal, suggestions: distinct([...refusal.suggestions, { change: 'dependencies' }]) } : refusal;
}

/** Changes of other packages and of catalogs that would satisfy the dependencies. */
export function suggestForDependencies(because: readonly Conflict[]): readonly Suggestion[] {
  return because.flatMap((fact): readonly Suggestion[] => {
    if (fact.kind === 'effort') return [{ change: 'narrow' }];
    if (fact.kind === 'requires')
      return fact.offered.length === 0 && fact.need.kind !== 'not' ? [{ change: 'offer', need: fact.need }] : [];
    return fact.kind === 'keeps' ? suggestForKept(fact, because) : [];
  });
}

/**
 * An installed package that conflicts moves to a version that is needed, is about to go on by itself, or is uninstalled if no package
 * needs it.
 */
function suggestForKept(
  { package: name, subscription, next }: Extract<Conflict, { kind: 'keeps' }>,
  because: readonly Conflict[],
): readonly Suggestion[] {
  const whose = { package: name, ...(subscription !== undefined && { subscription }) };
  const [range] = because.flatMap((other) => rangeFor(name, other));
  if (range !== undefined) return [{ change: 'otherPackage', range, ...whose }];
  const contested = because.flatMap((other) =>
    other.kind === 'provider' && other.packages.includes(name) ? [other.gvk] : [],
  );
  const isGivenUp = contested.length > 0 && contested.every((gvk) => next?.givesUp.includes(kindKey(gvk)));
  if (next !== undefined && isGivenUp) return [{ change: 'awaitPackage', bundle: next.bundle, ...whose }];
  const excluded =
    contested.length > 0 || because.some((other) => other.kind === 'requires' && other.need.kind === 'not');
  return excluded ? [{ change: 'removePackage', ...whose }] : [];
}

function rangeFor(name: string, fact: Conflict): readonly string[] {
  return fact.kind === 'requires' && fact.need.kind === 'package' && fact.need.package === name
    ? [fact.need.range]
    : [];
}
