/**
 * Reads catalogs that do not count in a decision, to report more about it: which of them would have an answer, why an
 * operator moves to another catalog, and which catalogs are passed over because of their names alone.
 */
import { evaluate, type Offer } from './candidates.ts';
import { compareOffers, graphIn, openSource } from './catalogs.ts';
import type { CatalogChange, DependencyStep, Suggestion } from './decision.ts';
import { createDependencyOracle } from './dependencies/ask.ts';
import type { CatalogSource, ResolveInput } from './input.ts';
import { RULES, type Candidate, type ResolveQuestion } from './question.ts';

/**
 * The catalogs that would give an answer if the spec named them, the highest priority first. Each is tried as if the
 * spec named it, so that dependencies must come from it as well.
 * @param refused Catalogs that counted and gave no answer.
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
  return evaluate(offer, { ...question, dependencyProblem: problem, judged: new Map() }, new Set(RULES)).candidate;
}

/** Why an operator moves from its catalog of origin to another one; undefined if it does not move. */
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
 * Adds to a step the other catalogs of the same priority that have the package too: the spec does not say which of them
 * is meant. The catalog of the bundle that needs the package goes before all others, and has no rivals.
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
