/** Finds the cause for every bundle that is not chosen, in the order in which a person would check the causes. */
import type { Offer, View } from './candidates.ts';
import { isInside, isLower } from './selection.ts';
import { unlessTimeIsUp } from './clock.ts';
import type { Cause, RefusedCandidate } from './decision.ts';
import { bundlesOn } from './faults.ts';
import { compareHighestFirst, type GraphBundle } from './graph.ts';
import { findWays, type PathStep } from './paths.ts';
import type { Candidate, ResolveQuestion } from './question.ts';

/** The evaluation that the bundles are judged by. */
export interface Evaluation {
  readonly view: View;
  /** The chosen candidate, if there is one. */
  readonly chosen?: Candidate;
}

/** All bundles of an offer but the chosen one and the installed one, highest first; another content of that one is refused. */
export function describeRefused(
  offer: Offer,
  question: ResolveQuestion,
  { view, chosen }: Evaluation,
): readonly RefusedCandidate[] {
  const passed = new Set(chosen === undefined ? [] : bundlesOn(chosen).map(({ name }) => name));
  const evaluation = {
    view,
    barredWay: createBarredWay(offer, question, view),
    channels: new Set(view.channels.map(({ name }) => name)),
    ...(chosen !== undefined && { chosen }),
  };
  const again = chosen?.content === 'kept' ? view.known : undefined;
  return [...offer.graph.bundles.values()]
    .filter((one) => one === again || (one.name !== chosen?.target.name && one !== view.known && !passed.has(one.name)))
    .sort(compareHighestFirst)
    .map((bundle) => {
      const cause = causeOf(bundle, question, evaluation);
      return {
        bundle: bundle.name,
        version: bundle.bundle.version,
        catalog: offer.catalog,
        cause: bundle === again ? { kind: 'publishedAgain', cause } : cause,
      };
    });
}

/** The bundles that bar the edges to a bundle, each with its cause; none if no edges lead to it. */
type BarredWay = (bundle: GraphBundle) => readonly RefusedCandidate[];

function causeOf(
  bundle: GraphBundle,
  question: ResolveQuestion,
  {
    view,
    chosen,
    barredWay,
    channels,
  }: Evaluation & { readonly barredWay: BarredWay; readonly channels: ReadonlySet<string> },
): Cause {
  if (!bundle.version.ok) return { kind: 'invalidVersion', problem: bundle.version.problem };
  if (!bundle.channels.some((name) => channels.has(name))) return { kind: 'otherChannel', channels: bundle.channels };
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

/** The bundles that bar one way: those that must not be installed, and those outside the range. */
interface Barriers {
  readonly barred: readonly RefusedCandidate[];
  readonly outside: readonly RefusedCandidate[];
}

/** Most bundles that are named as the barriers of one way. */
const MOST_BARRIERS = 50;

/**
 * Finds the shortest way without regard to barred bundles. A bundle outside the range bars a way only if no other
 * bundle does, because a way may cross such bundles to get inside.
 */
function createBarredWay({ catalog }: Offer, question: ResolveQuestion, view: View): BarredWay {
  let barriers: ReadonlyMap<string, Barriers> | undefined;
  const add = (known: readonly RefusedCandidate[] = [], { name, bundle }: GraphBundle, cause: Cause | undefined) =>
    cause === undefined || known.length >= MOST_BARRIERS
      ? known
      : [...known, { bundle: name, version: bundle.version, catalog, cause }];
  /** A way is the way to the bundle before, and one more step: what bars the one is known before the other is asked for. */
  const find = (): ReadonlyMap<string, Barriers> => {
    const found = new Map<string, Barriers>();
    for (const { entry, previous } of waysOfAll(question, view).values()) {
      const { bundle } = entry;
      const before = previous && found.get(previous.entry.bundle.name);
      const barred = add(before?.barred, bundle, view.barred.get(bundle.name));
      found.set(bundle.name, { barred, outside: add(before?.outside, bundle, outOfRange(bundle, question)) });
    }
    return found;
  };
  return ({ name }) => {
    barriers ??= unlessTimeIsUp(find, () => new Map<string, Barriers>());
    const { barred = [], outside = [] } = barriers.get(name) ?? {};
    return barred.length > 0 ? barred : outside;
  };
}

function waysOfAll(
  { installed, checkTime }: ResolveQuestion,
  { channels, known }: View,
): ReadonlyMap<string, PathStep> {
  if (installed === undefined) return new Map();
  return findWays({
    checkTime,
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
