/**
 * Decides which bundle a Subscription gets next: (installed, wanted, catalogs) → decision, with the cause for every
 * refused candidate. The Subscription reconciler, `slipway why` and `why-not` call it. It is a pure function: it pulls
 * nothing, waits for nothing and keeps nothing but parsed packages.
 *
 *   parse selector and range → gather offers → keep to the catalog of origin → best candidate of each catalog
 *   → choose between catalogs → describe the path and everything refused
 *
 * Called as `resolve({ wanted, installed, catalogs, quarantined, cluster })`. `explainDecision(decision, package)` of
 * explain.ts turns the decision into words; `passGate` of gate/gate.ts decides whether it may be carried out now.
 */
import type { CatalogBundle, CatalogPackage } from '../catalog/model.ts';
import { evaluateInTime, type Offer, type View } from './candidates.ts';
import { createTimeCheck, unlessTimeIsUp } from './clock.ts';
import { installedBundle, isLower } from './selection.ts';
import { chooseBetweenCatalogs, gatherOffers, refuse, waitFor, type Best, type Rated } from './catalogs.ts';
import { reachedOpenShift } from './cluster.ts';
import { explainNoCandidate } from './conflict.ts';
import type { Choice, Decision, DependencyStep, Refusal, RefusedCandidate } from './decision.ts';
import { createDependencyOracle, type DependencyOracle } from './dependencies/ask.ts';
import { adviseInstalling } from './dependency-advice.ts';
import { judgedIn } from './faults.ts';
import { compareHighestFirst, type GraphBundle } from './graph.ts';
import { factsInUse, listDeprecations } from './in-use.ts';
import type { CatalogSource, ResolveInput } from './input.ts';
import { nearestFirst, suggestPackages, suggestRange } from './misspelt.ts';
import { catalogChangeTo, suggestCatalogs, withTies } from './other-catalogs.ts';
import { hopsOf, type PathStep } from './paths.ts';
import type { Candidate, ResolveQuestion } from './question.ts';
import { parseMastermindsRange } from './ranges/masterminds.ts';
import type { VersionRange } from './ranges/range.ts';
import { describeRefused } from './refused.ts';
import { selectorProblem } from './selector.ts';
import { distinct } from './suggestions.ts';

/**
 * The decision for one Subscription. Equal input gives an equal decision; other packages, catalogs without the package
 * and other Subscriptions do not affect it. A refusal is a result, not an error.
 */
export function resolve(input: ResolveInput): Decision {
  const problem = selectorProblem(input.wanted.catalogSelector ?? {});
  if (problem !== undefined) return refuse('InvalidSpec', { kind: 'selector', problem }, [{ change: 'selector' }]);
  const range = parseRange(input);
  if (range !== undefined && 'kind' in range) return range;
  const cached = { ...input, catalogs: input.catalogs.map(readOnce) };
  const decision = decide(cached, range);
  const inUse = factsInUse(cached, decision.kind === 'none' ? undefined : decision.catalog);
  return { ...decision, ...(inUse !== undefined && { inUse }) };
}

function decide(all: ResolveInput, range: VersionRange | undefined): Decision {
  const input = { ...all, catalogs: all.catalogs.filter(({ selected }) => selected !== false) };
  const dependencies = createDependencyOracle(input);
  const question = readQuestion(input, range, dependencies);
  const search = gatherOffers(input);
  if ('kind' in search) return adviseCatalogs(withPackages(search, input), [], { all, question });
  const rated = search.offers.map((offer) => rate(offer, question));
  const able = rated.filter((one) => one.candidate !== undefined);
  if (able.length === 0 || isUnjudged(rated)) {
    const explained = unlessTimeIsUp(
      () => (able.length > 0 ? tooLong(rated, question) : explainNoCandidate(search.offers, question)),
      () => tooLong(rated, question),
    );
    const advised = advise(explained, () => adviseInstalling(explained, search.offers, { input, question }));
    const refusal = addWaiting(advised, search.unavailable);
    return adviseCatalogs(refusal, search.offers, { all, question });
  }
  const best = chooseBetweenCatalogs(able, search);
  if ('kind' in best) return best;
  return describeChoice(best, { input: all, question, rated, dependencies });
}

/** Whether there was no time to compare catalogs: the others alone would seem to be preferred, or to be ambiguous. */
function isUnjudged(rated: readonly Rated[]): boolean {
  return rated.length > 1 && rated.some(({ view }) => view.cutShort === true);
}

/** A refusal for which there was no time: it names a bundle whose dependencies take long, if there is one. */
function tooLong(rated: readonly Rated[], question: ResolveQuestion): Refusal {
  const effort = { kind: 'effort', why: 'tooLong' } as const;
  const judged = rated.flatMap(({ catalog }) => [...judgedIn(question, catalog)]);
  const slow = judged.find(
    ([, cause]) => cause?.kind === 'dependency' && cause.because.some(({ kind }) => kind === 'effort'),
  );
  const fact = slow === undefined ? effort : ({ kind: 'dependency', bundle: slow[0], because: [effort] } as const);
  const without = rated.filter(({ view, candidate }) => candidate === undefined || view.cutShort === true);
  const refused = without.flatMap((one) => describeRefused(one, question, { view: one.view }));
  return { ...refuse('ResolutionFailed', fact, [{ change: 'narrow' }]), refused };
}

/** Advice is left out if there is no time for it. */
function advise(refusal: Refusal, withAdvice: () => Refusal): Refusal {
  return unlessTimeIsUp(withAdvice, () => refusal);
}

function parseRange({ wanted, catalogs }: ResolveInput): VersionRange | Refusal | undefined {
  const { version: text } = wanted;
  if (text === undefined || text === '') return undefined;
  const parsed = parseMastermindsRange(text);
  if (parsed.ok) return parsed.value;
  const { problem } = parsed;
  return refuse('InvalidVersionRange', { kind: 'version', range: text, problem }, [suggestRange(wanted, catalogs)]);
}

/** A catalog that reads each package at most once. */
export function readOnce(source: CatalogSource): CatalogSource {
  const contents = new Map<string, CatalogPackage | undefined>();
  const content = (name: string): CatalogPackage | undefined => {
    if (!contents.has(name)) contents.set(name, source.content(name));
    return contents.get(name);
  };
  return { ...source, content };
}

function readQuestion(
  { wanted, installed, quarantined, cluster, expired }: ResolveInput,
  range: VersionRange | undefined,
  dependencies: DependencyOracle,
): ResolveQuestion {
  return {
    wanted,
    range,
    installed: installed === undefined ? undefined : installedBundle(installed),
    quarantined: new Set(quarantined),
    cluster,
    checkTime: createTimeCheck(expired),
    dependencyProblem: dependencies.problem,
    wayProblem: dependencies.wayProblem,
    judged: new Map(),
  };
}

function rate(offer: Offer, question: ResolveQuestion): Rated {
  const view = evaluateInTime(offer, question);
  return { ...offer, view, candidate: view.candidate };
}

interface Considered {
  readonly input: ResolveInput;
  readonly question: ResolveQuestion;
  readonly rated: readonly Rated[];
  readonly dependencies: DependencyOracle;
}

function describeChoice(best: Best, { input, question, rated, dependencies }: Considered): Choice {
  const { candidate, graph, catalog, view } = best;
  const first = firstStep(candidate.way);
  const next = first?.entry.bundle ?? candidate.target;
  const channel = first?.entry.channel ?? candidate.channel;
  const { installed } = input;
  const catalogChange = catalogChangeTo(catalog, input);
  const isOther = !candidate.stay || candidate.content === 'new';
  const openShift = reachedOpenShift(next.bundle, question.cluster);
  return {
    kind: candidate.stay ? 'upToDate' : installed === undefined ? 'install' : 'upgrade',
    bundle: candidate.target.bundle,
    next: next.bundle,
    catalog,
    channel,
    path: pathOf(candidate, installed?.bundle ?? ''),
    head: pickHead(view)?.bundle,
    deprecations: listDeprecations({
      package: graph.deprecation,
      channel: graph.channels.get(channel)?.deprecation,
      bundle: next.deprecation,
    }),
    ...(openShift !== undefined && { openShift }),
    ...(catalogChange !== undefined && { catalogChange }),
    ...(installed !== undefined && { installed: installed.bundle }),
    ...(candidate.content === 'kept' && { keepsContent: true }),
    downgrade: isOther && isLower(next, question.installed),
    dependencies: isOther ? stepsBefore(next.bundle, catalog, { input, dependencies }) : [],
    refused: refusedAround(best, rated, question),
  };
}

function stepsBefore(
  bundle: CatalogBundle,
  own: string,
  { input, dependencies }: Pick<Considered, 'input' | 'dependencies'>,
): readonly DependencyStep[] {
  const catalogs = input.catalogs.filter(({ selected }) => selected !== false);
  return dependencies.steps(bundle, own).map((step) => withTies(step, { own, catalogs }));
}

function pathOf({ way, stay, target, channel }: Candidate, from: string): Choice['path'] {
  if (way !== undefined) return hopsOf(way, from);
  return stay ? [] : [{ bundle: target.name, version: target.bundle.version, channel }];
}

function firstStep(way: PathStep | undefined): PathStep | undefined {
  let step = way;
  while (step?.previous !== undefined) step = step.previous;
  return step;
}

function pickHead({ channels }: View): GraphBundle | undefined {
  return channels.flatMap(({ head }) => head ?? []).sort(compareHighestFirst)[0];
}

/** The refused bundles of the chosen catalog, then the best bundle of every other catalog. */
function refusedAround(best: Best, rated: readonly Rated[], question: ResolveQuestion): readonly RefusedCandidate[] {
  const own = describeRefused(best, question, { view: best.view, chosen: best.candidate });
  const others = rated.flatMap((one): readonly RefusedCandidate[] => {
    const target = one.candidate?.target;
    if (one.catalog === best.catalog || target === undefined) return [];
    const why = isDeprecatedOnly(one, best) ? 'deprecated' : one.priority === best.priority ? 'identical' : 'priority';
    return [
      {
        bundle: target.name,
        version: target.bundle.version,
        catalog: one.catalog,
        cause: { kind: 'otherCatalog', catalog: best.catalog, why },
      },
    ];
  });
  return [...own, ...others];
}

function isDeprecatedOnly(one: Rated, best: Best): boolean {
  return one.candidate?.target.deprecation !== undefined && best.candidate.target.deprecation === undefined;
}

/** Suggests waiting for catalogs without content: they may have what the others lack. */
function addWaiting(refusal: Refusal, unavailable: readonly CatalogSource[]): Refusal {
  return { ...refusal, suggestions: distinct([...refusal.suggestions, ...unavailable.map(waitFor)]) };
}

/** If catalogs were searched and have no such package, its name may be misspelt. */
function withPackages(refusal: Refusal, { wanted, catalogs }: ResolveInput): Refusal {
  if (refusal.reason !== 'PackageNotFound') return refusal;
  return { ...refusal, suggestions: [...suggestPackages(wanted, catalogs), ...refusal.suggestions] };
}

/** Suggests other catalogs. They are read only if the catalogs that count have no answer, and if there is time. */
function adviseCatalogs(
  refusal: Refusal,
  refused: readonly Offer[],
  { all, question }: { readonly all: ResolveInput; readonly question: ResolveQuestion },
): Refusal {
  const others = unlessTimeIsUp(
    () => suggestCatalogs(all, question, new Set(refused.map(({ catalog }) => catalog))),
    () => [],
  );
  const named = refusal.reason === 'CatalogNotFound' ? (all.wanted.catalog ?? '') : '';
  return { ...refusal, suggestions: distinct([...refusal.suggestions, ...nearestFirst(named, others)]) };
}
