/** Says of every bundle that is not chosen why it is not, in the order in which a person would look for a cause. */
import { isInside, isLower, type Candidate, type Offer, type Question, type View } from './candidates.ts';
import type { Cause, RefusedCandidate } from './decision.ts';
import { compareHighestFirst, type GraphBundle } from './graph.ts';

/** What the bundles are judged by. */
export interface Judgement {
  readonly view: View;
  /** What is chosen, where something is. */
  readonly chosen?: Candidate;
}

/** All bundles of an offer but the chosen one and the installed one, highest first. */
export function describeRefused(
  offer: Offer,
  question: Question,
  { view, chosen }: Judgement,
): readonly RefusedCandidate[] {
  const passed = new Set<string>();
  for (let step = chosen?.way; step !== undefined; step = step.previous) passed.add(step.entry.bundle.name);
  return [...offer.graph.bundles.values()]
    .filter(({ name }) => name !== chosen?.target.name && name !== view.known?.name && !passed.has(name))
    .sort(compareHighestFirst)
    .map((bundle) => ({
      bundle: bundle.name,
      version: bundle.bundle.version,
      catalog: offer.catalog,
      cause: causeOf(bundle, question, { view, ...(chosen !== undefined && { chosen }) }),
    }));
}

function causeOf(bundle: GraphBundle, question: Question, { view, chosen }: Judgement): Cause {
  if (!bundle.version.ok) return { kind: 'invalidVersion', problem: bundle.version.problem };
  if (!view.channels.some(({ name }) => bundle.channels.includes(name)))
    return { kind: 'otherChannel', channels: bundle.channels };
  if (!isInside(question.range, bundle.version.value)) return { kind: 'outOfRange', range: question.range?.text ?? '' };
  const barrier = view.barred.get(bundle.name);
  if (barrier !== undefined) return barrier;
  const { installed } = question;
  if (installed !== undefined && isLower(bundle, installed)) return { kind: 'downgrade', from: installed.name };
  if (installed !== undefined && question.wanted.edges === 'Follow' && !view.ways.has(bundle.name))
    return { kind: 'noPath', from: installed.name };
  return lessPreferred(bundle, chosen);
}

function lessPreferred(bundle: GraphBundle, chosen: Candidate | undefined): Cause {
  if (chosen === undefined) throw new Error(`bundle ${bundle.name} is acceptable, yet nothing was chosen`);
  const { target } = chosen;
  if (bundle.deprecation !== undefined && target.deprecation === undefined)
    return { kind: 'deprecated', message: bundle.deprecation };
  if (compareHighestFirst(bundle, target) < 0) return { kind: 'notHead', head: target.name };
  return { kind: 'lower', than: target.name };
}
