/**
 * Decides which catalogs count, and which of several wins: the named catalog, the catalog of origin, priority,
 * ambiguity, catalogs without content. candidates.ts decides which bundle of one catalog is the best.
 */
import { compareText } from '../api/compare-text.ts';
import { ReasonedError } from '../api/errors.ts';
import type { Reason } from '../api/reasons.ts';
import type { Offer, View } from './candidates.ts';
import type { Conflict, Refusal, Suggestion } from './decision.ts';
import { upgradeGraph, type UpgradeGraph } from './graph.ts';
import type { CatalogSource, Installed, ResolveInput } from './input.ts';
import { hopsOf } from './paths.ts';
import type { Candidate } from './question.ts';

/** The catalogs that have the package and may be chosen from. */
export interface SearchResult {
  readonly offers: readonly Offer[];
  /** Selected catalogs that have no content yet. */
  readonly unavailable: readonly CatalogSource[];
  /** Whether the choice is bound to the catalog of origin. */
  readonly bound: boolean;
}

/** The offers to choose from, or why there are none. */
export function gatherOffers({ wanted, installed, catalogs }: ResolveInput): SearchResult | Refusal {
  const selected = catalogs.filter(({ name }) => wanted.catalog === undefined || name === wanted.catalog);
  const named = wanted.catalog;
  const closed = closedOrigin(installed, { named, selected });
  if (closed !== undefined) return refuse('CatalogNotAllowed', stateConflict(closed, 'origin'));
  const only = selected[0];
  if (named !== undefined && (only === undefined || only.state !== 'Serving')) return refuseNamed(named, only);
  const states = selected.map((source) => openSource(source, wanted.package));
  const offers = states.flatMap((state) => ('graph' in state ? [state] : [])).sort(compareOffers);
  const unavailable = states.flatMap((state) => ('content' in state && state.state === 'Unavailable' ? [state] : []));
  const origin = boundOrigin({ installed, named, offers, unavailable });
  if (origin !== undefined && 'kind' in origin) return origin;
  if (origin !== undefined) return { offers: [origin], unavailable: [], bound: true };
  const searched = states.flatMap((state) => ('lacking' in state ? [state.lacking] : []));
  if (offers.length === 0) {
    const refusal = refuseWithoutOffers(wanted.package, searched, unavailable);
    return isGone(installed, { named, catalogs }) ? blameOrigin(refusal, installed?.catalog ?? '') : refusal;
  }
  return { offers, unavailable, bound: named !== undefined };
}

/** Whether what is installed comes from a catalog that does not exist any more, and no other is named. */
function isGone(
  installed: Installed | undefined,
  { named, catalogs }: { readonly named: string | undefined; readonly catalogs: readonly CatalogSource[] },
): boolean {
  if (installed === undefined || named !== undefined) return false;
  const origin = catalogs.find(({ name }) => name === installed.catalog);
  return origin === undefined || origin.state === 'Missing';
}

/** That the others lack the package is no news; that it had a catalog which is gone, is. */
function blameOrigin(refusal: Refusal, catalog: string): Refusal {
  const gone: Conflict = { kind: 'catalog', catalog, state: 'Missing', role: 'origin' };
  return refusal.reason === 'PackageNotFound'
    ? { ...refusal, reason: 'CatalogNotFound', because: [gone, ...refusal.because] }
    : refusal;
}

/**
 * Reads the package of one catalog: an offer, `lacking` if the catalog does not have the package, or the catalog itself
 * if it has no content. A catalog whose index is damaged counts as one without content.
 */
export function openSource(source: CatalogSource, name: string): Offer | CatalogSource | { readonly lacking: string } {
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

/** The upgrade graph of a package in one catalog; undefined if the catalog does not have it, or cannot be read. */
export function graphIn(source: CatalogSource, name: string): UpgradeGraph | undefined {
  const opened = openSource(source, name);
  return 'graph' in opened ? opened.graph : undefined;
}

/** Orders offers by priority, then by name. */
export function compareOffers(a: Offer, b: Offer): number {
  return b.priority - a.priority || compareText(a.catalog, b.catalog);
}

interface OriginQuestion {
  readonly installed: Installed | undefined;
  readonly named: string | undefined;
  readonly offers: readonly Offer[];
  readonly unavailable: readonly CatalogSource[];
}

/**
 * An operator stays with its catalog of origin, unless that is gone, lacks the package, or the spec names another one.
 */
function boundOrigin({ installed, named, offers, unavailable }: OriginQuestion): Offer | Refusal | undefined {
  if (installed === undefined || (named !== undefined && named !== installed.catalog)) return undefined;
  const waiting = unavailable.find(({ name }) => name === installed.catalog);
  if (waiting !== undefined) return refuse('CatalogUnavailable', stateConflict(waiting, 'origin'), [waitFor(waiting)]);
  return offers.find(({ catalog }) => catalog === installed.catalog);
}

/** The catalog of origin, if it must not be used and the spec names no other one: the operator then stays as it is. */
function closedOrigin(
  installed: Installed | undefined,
  { named, selected }: { readonly named: string | undefined; readonly selected: readonly CatalogSource[] },
): CatalogSource | undefined {
  if (installed === undefined || (named !== undefined && named !== installed.catalog)) return undefined;
  return selected.find(({ name, state }) => name === installed.catalog && state === 'NotAllowed');
}

function refuseNamed(name: string, source: CatalogSource | undefined): Refusal {
  if (source?.state === 'NotAllowed') return refuse('CatalogNotAllowed', stateConflict(source, 'only'));
  if (source?.state === 'Unavailable')
    return refuse('CatalogUnavailable', stateConflict(source, 'only'), [waitFor(source)]);
  return refuse('CatalogNotFound', { kind: 'catalog', catalog: name, state: 'Missing', role: 'only' });
}

/**
 * A catalog that is about to be read is waited for, whatever its priority: it may have the package. One that cannot be
 * read may have it too, but that may last: what the others say counts, and it is named.
 */
function refuseWithoutOffers(
  name: string,
  searched: readonly string[],
  unavailable: readonly CatalogSource[],
): Refusal {
  const byPriority = unavailable.toSorted((a, b) => b.priority - a.priority || compareText(a.name, b.name));
  const waiting = byPriority.find(({ unreadable }) => unreadable !== true) ?? byPriority[0];
  const lacking: Conflict = { kind: 'package', package: name, catalogs: searched.toSorted(compareText) };
  if (waiting === undefined)
    return refuse('PackageNotFound', lacking, searched.length === 0 ? [{ change: 'anyCatalog' }] : []);
  if (searched.length === 0) return refuse('CatalogUnavailable', stateConflict(waiting, 'one'), [waitFor(waiting)]);
  if (waiting.unreadable !== true) {
    const refusal = refuse('CatalogUnavailable', stateConflict(waiting, 'one'), [waitFor(waiting)]);
    return { ...refusal, because: [lacking, ...refusal.because] };
  }
  const refusal = refuse('PackageNotFound', lacking, byPriority.map(waitFor));
  return { ...refusal, because: [lacking, ...byPriority.map((one) => stateConflict(one, 'mayHave'))] };
}

/** What helps with a catalog that has no content. */
export function waitFor({ name: catalog, unreadable }: CatalogSource): Suggestion {
  return { change: 'wait', catalog, ...(unreadable === true && { unreadable }) };
}

/** An offer with its best candidate, if it has one. */
export interface Rated extends Offer {
  readonly view: View;
  readonly candidate: Candidate | undefined;
}

/** An offer with its best candidate. */
export interface Best extends Offer {
  readonly view: View;
  readonly candidate: Candidate;
}

/**
 * A bundle that is not deprecated goes before a higher priority, and priority before version. Equal priority is
 * ambiguous unless the offers are one and the same. A catalog without content blocks only offers of a lower priority:
 * the offer that it lacks could be meant to win.
 */
export function chooseBetweenCatalogs(able: readonly Rated[], { unavailable, bound }: SearchResult): Best | Refusal {
  const candidates = able.flatMap((one) => (one.candidate === undefined ? [] : [{ ...one, candidate: one.candidate }]));
  const current = candidates.filter(({ candidate }) => candidate.target.deprecation === undefined);
  const preferred = current.length > 0 ? current : candidates;
  const priority = Math.max(...preferred.map((one) => one.priority));
  const top = preferred.filter((one) => one.priority === priority).sort(compareOffers);
  const blocking = bound ? undefined : unavailable.find((source) => source.priority > priority);
  if (blocking !== undefined)
    return refuse('CatalogUnavailable', stateConflict(blocking, 'precedence'), [
      { change: 'catalog', catalogs: top.map(({ catalog }) => catalog) },
      waitFor(blocking),
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

function stateConflict(
  { name, state, message }: CatalogSource,
  role: Extract<Conflict, { kind: 'catalog' }>['role'],
): Conflict {
  if (state === 'Serving') throw new Error(`catalog ${name} is serving`);
  return { kind: 'catalog', catalog: name, state, role, ...(message !== undefined && { message }) };
}

/** A refusal for one fact. */
export function refuse(reason: Reason, fact: Conflict, suggestions: readonly Suggestion[] = []): Refusal {
  return { kind: 'none', reason, because: [fact], suggestions, refused: [] };
}
