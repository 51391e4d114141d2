/**
 * Decides which bundle a Subscription gets next: (installed, wanted, catalogs) → decision, with the reason for every
 * candidate refused. The Subscription's reconciler, `slipway plan`, `why` and `why-not` call it. It is a pure
 * function: it pulls nothing, waits for nothing and keeps nothing but parsed packages.
 *
 *   read the range → select catalogs → keep to the catalog of origin → best candidate of each catalog
 *   → choose between catalogs → describe the path and everything refused
 */
import { ReasonedError } from '../api/errors.ts';
import type { Reason } from '../api/reasons.ts';
import { evaluate, isLower, originOf, RULES, type Candidate, type Question, type View } from './candidates.ts';
import { explainNoCandidate } from './conflict.ts';
import type { Choice, Conflict, Decision, Deprecations, Refusal, RefusedCandidate, Suggestion } from './decision.ts';
import { compareHighestFirst, compareText, upgradeGraph, type GraphBundle } from './graph.ts';
import type { CatalogSource, Installed, ResolveInput } from './input.ts';
import { hopsOf, type Step } from './paths.ts';
import { parseMastermindsRange } from './ranges/masterminds.ts';
import type { VersionRange } from './ranges/range.ts';
import { describeRefused, type Offer } from './refused.ts';

/**
 * The decision for one Subscription. Equal input gives an equal decision; what other packages, catalogs without the
 * package and other Subscriptions say has no part in it. A "no" is an answer, not an error.
 */
export function resolve(input: ResolveInput): Decision {
  const range = parseRange(input.wanted.version);
  if (range !== undefined && 'kind' in range) return range;
  const search = gatherOffers(input);
  if ('kind' in search) return search;
  const question = readQuestion(input, range);
  const rated = search.offers.map((offer) => rate(offer, question));
  const able = rated.filter((one) => one.candidate !== undefined);
  if (able.length === 0) return addWaiting(explainNoCandidate(search.offers, question), search.unavailable);
  const best = chooseBetweenCatalogs(able, search);
  if ('kind' in best) return best;
  return describeChoice(best, { input, question, rated, search });
}

function parseRange(text: string | undefined): VersionRange | Refusal | undefined {
  if (text === undefined || text === '') return undefined;
  const parsed = parseMastermindsRange(text);
  if (parsed.ok) return parsed.value;
  return refuse('InvalidVersionRange', { kind: 'version', range: text, problem: parsed.problem });
}

function readQuestion(
  { wanted, installed, quarantined, cluster }: ResolveInput,
  range: VersionRange | undefined,
): Question {
  return {
    wanted,
    range,
    installed: installed === undefined ? undefined : originOf(installed.bundle, installed.version, installed.release),
    quarantined: new Set(quarantined),
    cluster,
    dependencyProblem: () => undefined,
  };
}

/** The catalogs that have the package and may be chosen from. */
interface SearchResult {
  readonly offers: readonly Offer[];
  /** Selected catalogs that have no content yet. */
  readonly unavailable: readonly CatalogSource[];
  /** Whether the choice is bound to the catalog of origin. */
  readonly bound: boolean;
}

function gatherOffers({ wanted, installed, catalogs }: ResolveInput): SearchResult | Refusal {
  const selected = catalogs.filter(({ name }) => wanted.catalog === undefined || name === wanted.catalog);
  const named = wanted.catalog;
  const only = selected[0];
  if (named !== undefined && (only === undefined || only.state !== 'Serving')) return refuseNamed(named, only);
  const states = selected.map((source) => openSource(source, wanted.package));
  const offers = states.flatMap((state) => ('graph' in state ? [state] : [])).sort(compareOffers);
  const unavailable = states.flatMap((state) => ('content' in state && state.state === 'Unavailable' ? [state] : []));
  const origin = boundOrigin({ installed, named, offers, unavailable });
  if (origin !== undefined && 'kind' in origin) return origin;
  if (origin !== undefined) return { offers: [origin], unavailable: [], bound: true };
  const searched = states.flatMap((state) => ('lacking' in state ? [state.lacking] : []));
  if (offers.length === 0) return refuseWithoutOffers(wanted.package, searched, unavailable);
  return { offers, unavailable, bound: named !== undefined };
}

/** A catalog whose index turns out to be damaged counts as one without content. */
function openSource(source: CatalogSource, name: string): Offer | CatalogSource | { readonly lacking: string } {
  if (source.state !== 'Serving') return source;
  try {
    const content = source.content(name);
    if (content === undefined) return { lacking: source.name };
    return { catalog: source.name, priority: source.priority, graph: upgradeGraph(content) };
  } catch (error) {
    if (!(error instanceof ReasonedError)) throw error;
    return { ...source, state: 'Unavailable', message: error.message };
  }
}

function compareOffers(a: Offer, b: Offer): number {
  return b.priority - a.priority || compareText(a.catalog, b.catalog);
}

interface OriginQuestion {
  readonly installed: Installed | undefined;
  readonly named: string | undefined;
  readonly offers: readonly Offer[];
  readonly unavailable: readonly CatalogSource[];
}

/** What is installed stays with its catalog of origin, unless that is gone, lacks the package, or another is named. */
function boundOrigin({ installed, named, offers, unavailable }: OriginQuestion): Offer | Refusal | undefined {
  if (installed === undefined || (named !== undefined && named !== installed.catalog)) return undefined;
  const waiting = unavailable.find(({ name }) => name === installed.catalog);
  if (waiting !== undefined)
    return refuse('CatalogUnavailable', stateConflict(waiting, 'origin'), [{ change: 'wait', catalog: waiting.name }]);
  return offers.find(({ catalog }) => catalog === installed.catalog);
}

function refuseNamed(name: string, source: CatalogSource | undefined): Refusal {
  if (source?.state === 'Unavailable')
    return refuse('CatalogUnavailable', stateConflict(source, 'only'), [{ change: 'wait', catalog: name }]);
  return refuse('CatalogNotFound', { kind: 'catalog', catalog: name, state: 'Missing', role: 'only' });
}

function refuseWithoutOffers(
  name: string,
  searched: readonly string[],
  unavailable: readonly CatalogSource[],
): Refusal {
  const [waiting] = [...unavailable].sort((a, b) => b.priority - a.priority || compareText(a.name, b.name));
  const lacking: Conflict = { kind: 'package', package: name, catalogs: searched.toSorted(compareText) };
  if (waiting === undefined) return refuse('PackageNotFound', lacking);
  const refusal = refuse('CatalogUnavailable', stateConflict(waiting, 'one'), [
    { change: 'wait', catalog: waiting.name },
  ]);
  return searched.length === 0 ? refusal : { ...refusal, because: [lacking, ...refusal.because] };
}

interface Rated extends Offer {
  readonly view: View;
  readonly candidate: Candidate | undefined;
}

function rate(offer: Offer, question: Question): Rated {
  const view = evaluate(offer.graph, question, new Set(RULES));
  return { ...offer, view, candidate: view.candidate };
}

interface Best extends Offer {
  readonly view: View;
  readonly candidate: Candidate;
}

/**
 * Not deprecated before priority, priority before version. Equal priority is ambiguous unless the offers are one and
 * the same. A catalog without content stands in the way only of those that it takes precedence over: what it would
 * offer could be meant to win.
 */
function chooseBetweenCatalogs(able: readonly Rated[], { unavailable, bound }: SearchResult): Best | Refusal {
  const candidates = able.flatMap((one) => (one.candidate === undefined ? [] : [{ ...one, candidate: one.candidate }]));
  const current = candidates.filter(({ candidate }) => candidate.target.deprecation === undefined);
  const preferred = current.length > 0 ? current : candidates;
  const priority = Math.max(...preferred.map((one) => one.priority));
  const top = preferred.filter((one) => one.priority === priority).sort(compareOffers);
  const blocking = bound ? undefined : unavailable.find((source) => source.priority > priority);
  if (blocking !== undefined)
    return refuse('CatalogUnavailable', stateConflict(blocking, 'precedence'), [
      { change: 'wait', catalog: blocking.name },
      { change: 'catalog', catalogs: top.map(({ catalog }) => catalog) },
    ]);
  const [first] = top;
  if (first === undefined) throw new Error('no candidate is left to choose from');
  if (top.every((one) => isSameOffer(one, first))) return first;
  const offers = top.map(({ catalog, candidate: { target } }) => ({
    catalog,
    bundle: target.name,
    version: target.bundle.version,
  }));
  return refuse('AmbiguousCatalogs', { kind: 'ambiguous', priority, offers }, [
    { change: 'catalog', catalogs: top.map(({ catalog }) => catalog) },
  ]);
}

/** The same bundle by the same image, on the same way. */
function isSameOffer(a: Best, b: Best): boolean {
  const keys = [a, b].map(({ candidate: { target, way } }) => {
    const hops = way === undefined ? [] : hopsOf(way, '').map(({ bundle }) => bundle);
    return JSON.stringify([target.name, target.bundle.version, target.bundle.release, target.bundle.image, hops]);
  });
  return keys[0] === keys[1] && a.candidate.target.bundle.image !== '';
}

interface Outcome {
  readonly input: ResolveInput;
  readonly question: Question;
  readonly rated: readonly Rated[];
  readonly search: SearchResult;
}

function describeChoice(best: Best, { input, question, rated }: Outcome): Choice {
  const { candidate, graph, catalog, view } = best;
  const first = firstStep(candidate.way);
  const next = first?.entry.bundle ?? candidate.target;
  const channel = first?.entry.channel ?? candidate.channel;
  const { installed } = input;
  const deprecations: Deprecations = {
    ...(graph.deprecation !== undefined && { package: graph.deprecation }),
    ...deprecationOf('channel', graph.channels.get(channel)?.deprecation),
    ...deprecationOf('bundle', next.deprecation),
  };
  return {
    kind: candidate.stay ? 'upToDate' : installed === undefined ? 'install' : 'upgrade',
    bundle: candidate.target.bundle,
    next: next.bundle,
    catalog,
    channel,
    path: pathOf(candidate, installed?.bundle ?? ''),
    head: pickHead(view)?.bundle,
    deprecations,
    ...(installed !== undefined &&
      installed.catalog !== catalog && { catalogChange: { from: installed.catalog, to: catalog } }),
    downgrade: !candidate.stay && isLower(next, question.installed),
    refused: refusedAround(best, rated, question),
  };
}

function deprecationOf(part: 'channel' | 'bundle', message: string | undefined): Deprecations {
  return message === undefined ? {} : { [part]: message };
}

function pathOf({ way, stay, target, channel }: Candidate, from: string): Choice['path'] {
  if (way !== undefined) return hopsOf(way, from);
  return stay ? [] : [{ bundle: target.name, version: target.bundle.version, channel }];
}

function firstStep(way: Step | undefined): Step | undefined {
  let step = way;
  while (step?.previous !== undefined) step = step.previous;
  return step;
}

function pickHead({ channels }: View): GraphBundle | undefined {
  return channels.flatMap(({ head }) => head ?? []).sort(compareHighestFirst)[0];
}

/** Bundles of the chosen catalog, then what the other catalogs would have offered. */
function refusedAround(best: Best, rated: readonly Rated[], question: Question): readonly RefusedCandidate[] {
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

function stateConflict(
  { name, state, message }: CatalogSource,
  role: 'only' | 'origin' | 'precedence' | 'one',
): Conflict {
  if (state === 'Serving') throw new Error(`catalog ${name} is serving`);
  return { kind: 'catalog', catalog: name, state, role, ...(message !== undefined && { message }) };
}

/** A catalog that has no content yet could have what the others lack. */
function addWaiting(refusal: Refusal, unavailable: readonly CatalogSource[]): Refusal {
  const waiting = unavailable.map(({ name }): Suggestion => ({ change: 'wait', catalog: name }));
  return { ...refusal, suggestions: [...refusal.suggestions, ...waiting] };
}

function refuse(reason: Reason, fact: Conflict, suggestions: readonly Suggestion[] = []): Refusal {
  return { kind: 'none', reason, because: [fact], suggestions, refused: [] };
}
