/**
 * Looks at catalogs that have no say in a decision, for what is to be told with it: where an answer could be had,
 * why an operator moves to another catalog, and which catalogs are passed over for their names alone.
 */
import { evaluate, type Offer } from './candidates.ts';
import { compareOffers, graphIn, openSource } from './catalogs.ts';
import type { CatalogChange, DependencyStep, Suggestion } from './decision.ts';
import { createDependencyOracle } from './dependencies/ask.ts';
import type { CatalogSource, ResolveInput } from './input.ts';
import { RULES, type Candidate, type ResolveQuestion } from './question.ts';

/**
 * The catalogs that would give an answer if the spec named them, the one of the highest priority first. Each is tried
 * as if it were named: what is depended on has then to come from it as well.
 * @param refused Catalogs that had a say and gave no answer.
 */
export function suggestCatalogs(
  input: ResolveInput,
  question: ResolveQuestion,
  refused: ReadonlySet<string>,
): readonly Suggestion[] {
  const { wanted, installed, catalogs } = input;
  const offers = catalogs
    .filter(({ name }) => !refused.has(name))
    .map((source) => openSource(source, wanted.package))
    .flatMap((opened) => ('graph' in opened ? [opened] : []));
  return offers.sort(compareOffers).flatMap((offer): readonly Suggestion[] => {
    const candidate = bestOf(offer, input, question);
    if (candidate === undefined || (candidate.stay && offer.catalog === installed?.catalog)) return [];
    return [
      {
        change: 'catalog',
        catalogs: [offer.catalog],
        gives: candidate.target.bundle.version,
        ...(wanted.catalogSelector !== undefined && { insteadOfSelector: true }),
        ...(candidate.stay && { stays: true }),
      },
    ];
  });
}

function bestOf(offer: Offer, input: ResolveInput, question: ResolveQuestion): Candidate | undefined {
  const catalogs = input.catalogs.filter(({ name }) => name === offer.catalog);
  const { problem } = createDependencyOracle({ ...input, catalogs });
  return evaluate(offer, { ...question, dependencyProblem: problem, problems: new Map() }, new Set(RULES)).candidate;
}

/** Why an operator moves from its catalog of origin to another; undefined where it does not. */
export function catalogChangeTo(
  catalog: string,
  { wanted, installed, catalogs }: ResolveInput,
): CatalogChange | undefined {
  if (installed === undefined || installed.catalog === catalog) return undefined;
  const change = { from: installed.catalog, to: catalog };
  if (wanted.catalog !== undefined) return { ...change, why: 'named' };
  const origin = catalogs.find(({ name }) => name === installed.catalog);
  if (origin === undefined || origin.state === 'Missing') return { ...change, why: 'gone' };
  return { ...change, why: origin.selected === false ? 'notSelected' : 'lacking' };
}

/**
 * A step with the catalogs that have the package too, with the same priority as the one that it comes from: nobody has
 * said which of them is meant. The catalog of the bundle that needs it goes before all others, and has no rivals.
 */
export function withTies(
  step: DependencyStep,
  { own, catalogs }: { readonly own: string; readonly catalogs: readonly CatalogSource[] },
): DependencyStep {
  const source = catalogs.find(({ name }) => name === step.catalog);
  if (step.kind !== 'install' || step.catalog === own || source === undefined) return step;
  const tiedWith = catalogs
    .filter(({ name, priority }) => name !== step.catalog && priority === source.priority)
    .filter((other) => graphIn(other, step.package) !== undefined)
    .map(({ name }) => name)
    .sort();
  return tiedWith.length === 0 ? step : { ...step, tiedWith };
}
