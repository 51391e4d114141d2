/** Finds the cause for every bundle that is not chosen, in the order in which a person would check the causes. */
import type { Offer, View } from './candidates.ts';
import { isInside, isLower } from './selection.ts';
import type { Cause, RefusedCandidate } from './decision.ts';
import { bundlesOfWay, bundlesOn } from './faults.ts';
import { compareHighestFirst, type GraphBundle } from './graph.ts';
import { findWays, type PathStep } from './paths.ts';
import type { Candidate, ResolveQuestion } from './question.ts';

/** The evaluation that the bundles are judged by. */
export interface Evaluation {
  readonly view: View;
  /** The chosen candidate, if there is one. */
  readonly chosen?: Candidate;
}

/** All bundles of an offer but the chosen one and the installed one, highest first. */
export function describeRefused(
  offer: Offer,
  question: ResolveQuestion,
  { view, chosen }: Evaluation,
): readonly RefusedCandidate[] {
  const passed = new Set(chosen === undefined ? [] : bundlesOn(chosen).map(({ name }) => name));
  const barredWay = createBarredWay(offer, question, view);
  return [...offer.graph.bundles.values()]
    .filter(({ name }) => name !== chosen?.target.name && name !== view.known?.name && !passed.has(name))
    .sort(compareHighestFirst)
    .map((bundle) => ({
      bundle: bundle.name,
      version: bundle.bundle.version,
      catalog: offer.catalog,
      cause: causeOf(bundle, question, { view, barredWay, ...(chosen !== undefined && { chosen }) }),
    }));
}

/** The bundles that bar the edges to a bundle, each with its cause; none if no edges lead to it. */
type BarredWay = (bundle: GraphBundle) => readonly RefusedCandidate[];

function causeOf(
  bundle: GraphBundle,
  question: ResolveQuestion,
  { view, chosen, barredWay }: Evaluation & { readonly barredWay: BarredWay },
): Cause {
  if (!bundle.version.ok) return { kind: 'invalidVersion', problem: bundle.version.problem };
  if (!view.channels.some(({ name }) => bundle.channels.includes(name)))
    return { kind: 'otherChannel', channels: bundle.channels };
  const barrier = view.barred.get(bundle.name) ?? outOfRange(bundle, question);
  if (barrier !== undefined) return barrier;
  const { installed } = question;
  if (installed !== undefined && isLower(bundle, installed)) return { kind: 'downgrade', from: installed.name };
  if (installed !== undefined && question.wanted.edges === 'Follow' && !view.ways.has(bundle.name)) {
    const over = barredWay(bundle);
    return over.length > 0
      ? { kind: 'wayBarred', from: installed.name, over }
      : { kind: 'noPath', from: installed.name };
  }
  return lessPreferred(bundle, chosen);
}

function outOfRange(bundle: GraphBundle, { range }: ResolveQuestion): Cause | undefined {
  const version = bundle.version.ok ? bundle.version.value : undefined;
  return isInside(range, version) ? undefined : { kind: 'outOfRange', range: range?.text ?? '' };
}

/**
 * Finds the shortest way without regard to barred bundles. A bundle outside the range bars a way only if no other
 * bundle does, because a way may cross such bundles to get inside.
 */
function createBarredWay({ catalog }: Offer, question: ResolveQuestion, view: View): BarredWay {
  let ways: ReadonlyMap<string, PathStep> | undefined;
  return (target) => {
    ways ??= waysOfAll(question, view);
    const way = ways.get(target.name);
    if (way === undefined) return [];
    const hops = bundlesOfWay(way);
    const refusedFor = (judge: (bundle: GraphBundle) => Cause | undefined): readonly RefusedCandidate[] =>
      hops.flatMap((bundle) => {
        const cause = judge(bundle);
        return cause === undefined ? [] : [{ bundle: bundle.name, version: bundle.bundle.version, catalog, cause }];
      });
    const barred = refusedFor(({ name }) => view.barred.get(name));
    return barred.length > 0 ? barred : refusedFor((bundle) => outOfRange(bundle, question));
  };
}

function waysOfAll({ installed }: ResolveQuestion, { channels, known }: View): ReadonlyMap<string, PathStep> {
  if (installed === undefined) return new Map();
  return findWays({
    from: known === undefined ? installed : { name: known.name, version: installed.version },
    entries: channels.flatMap(({ entries }) => entries),
    inside: () => true,
    startsInside: true,
    downgrades: false,
  });
}

function lessPreferred(bundle: GraphBundle, chosen: Candidate | undefined): Cause {
  if (chosen === undefined) throw new Error(`bundle ${bundle.name} is acceptable, yet nothing was chosen`);
  const { target } = chosen;
  if (bundle.deprecation !== undefined && target.deprecation === undefined)
    return { kind: 'deprecated', message: bundle.deprecation };
  if (compareHighestFirst(bundle, target) < 0) return { kind: 'notHead', head: target.name };
  return { kind: 'lower', than: target.name };
}
