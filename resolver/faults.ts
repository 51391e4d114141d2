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

/** The name of the installed bundle bars none: another content of it may have failed, and a third may work. */
function barrier(bundle: GraphBundle, question: ResolveQuestion, rules: ReadonlySet<ChoiceRule>): Cause | undefined {
  if (!bundle.version.ok) return { kind: 'invalidVersion', problem: bundle.version.problem };
  const isQuarantined =
    rules.has('quarantined') &&
    ((question.quarantined.has(bundle.name) && bundle.name !== question.installed?.name) ||
      question.quarantined.has(bundle.bundle.image));
  if (isQuarantined) return { kind: 'quarantined' };
  return rules.has('cluster') ? misfit(bundle.bundle, question.cluster) : undefined;
}

/** The bundles of a catalog that were judged, with their problem. */
export function judgedIn({ judged }: ResolveQuestion, catalog: string): Map<string, Cause | undefined> {
  const known = judged.get(catalog) ?? new Map<string, Cause | undefined>();
  judged.set(catalog, known);
  return known;
}

/** Why the dependencies of a bundle cannot be satisfied; it is judged once. Throws TimeIsUp. */
export function judge(bundle: GraphBundle, catalog: string, question: ResolveQuestion): Cause | undefined {
  const judged = judgedIn(question, catalog);
  if (judged.has(bundle.name)) return judged.get(bundle.name);
  question.checkTime();
  const cause = question.dependencyProblem(bundle, catalog);
  judged.set(bundle.name, cause);
  return cause;
}

/** Why one rule alone excludes a bundle, whatever edges lead to it; undefined if it does not. */
export function faultOf(
  rule: ChoiceRule,
  { bundle, catalog }: { readonly bundle: GraphBundle; readonly catalog: string },
  question: ResolveQuestion,
): Cause | undefined {
  if (!bundle.version.ok) return undefined;
  return rule === 'dependency' ? judge(bundle, catalog, question) : barrier(bundle, question, new Set([rule]));
}

/** The bundles that are installed one after another, the candidate last; none if exactly that is installed. */
export function bundlesOn({ target, way, stay, content }: Candidate): readonly GraphBundle[] {
  if (stay && content !== 'new') return [];
  return way === undefined ? [target] : bundlesOfWay(way);
}

/** The bundles on a way, the last one included. */
export function bundlesOfWay(way: PathStep): readonly GraphBundle[] {
  return stepsTo(way).map(({ entry }) => entry.bundle);
}
