/**
 * Finds the faults of a bundle itself, whatever edges lead to it: its version cannot be parsed, it is quarantined, it
 * does not fit the cluster, or its dependencies cannot be satisfied. candidates.ts leaves such bundles out;
 * explanations ask which bundles on a way have a fault.
 */
import { misfit } from './cluster.ts';
import type { Cause } from './decision.ts';
import type { ChannelGraph, GraphBundle } from './graph.ts';
import { stepsTo, type PathStep } from './paths.ts';
import type { Candidate, ChoiceRule, ResolveQuestion } from './question.ts';

/** Bundles of some channels that must not be installed, by name, with the cause; dependencies are not considered. */
export function findBarred(
  channels: readonly ChannelGraph[],
  question: ResolveQuestion,
  rules: ReadonlySet<ChoiceRule>,
): Map<string, Cause> {
  const barred = new Map<string, Cause>();
  for (const { bundle } of channels.flatMap(({ entries }) => entries)) {
    if (barred.has(bundle.name)) continue;
    const cause = barrier(bundle, question, rules);
    if (cause !== undefined) barred.set(bundle.name, cause);
  }
  return barred;
}

function barrier(bundle: GraphBundle, question: ResolveQuestion, rules: ReadonlySet<ChoiceRule>): Cause | undefined {
  if (!bundle.version.ok) return { kind: 'invalidVersion', problem: bundle.version.problem };
  const isQuarantined =
    rules.has('quarantined') &&
    (question.quarantined.has(bundle.name) || question.quarantined.has(bundle.bundle.image));
  if (isQuarantined) return { kind: 'quarantined' };
  return rules.has('cluster') ? misfit(bundle.bundle, question.cluster) : undefined;
}

/** Why one rule alone excludes a bundle, whatever edges lead to it; undefined if it does not. */
export function faultOf(
  rule: ChoiceRule,
  { bundle, catalog }: { readonly bundle: GraphBundle; readonly catalog: string },
  question: ResolveQuestion,
): Cause | undefined {
  if (!bundle.version.ok) return undefined;
  return rule === 'dependency'
    ? question.dependencyProblem(bundle, catalog)
    : barrier(bundle, question, new Set([rule]));
}

/** The bundles that are installed one after another, the candidate last; none if the candidate is installed. */
export function bundlesOn({ target, way, stay }: Candidate): readonly GraphBundle[] {
  if (stay) return [];
  return way === undefined ? [target] : bundlesOfWay(way);
}

/** The bundles on a way, the last one included. */
export function bundlesOfWay(way: PathStep): readonly GraphBundle[] {
  return stepsTo(way).map(({ entry }) => entry.bundle);
}
