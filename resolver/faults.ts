/**
 * What speaks against a bundle itself, whatever leads to it: a version that cannot be read, quarantine, the cluster, its
 * dependencies. candidates.ts leaves such bundles out; explanations ask which of them stand on a way.
 */
import type { Candidate, Question, Rule } from './candidates.ts';
import { misfit } from './cluster.ts';
import type { Cause } from './decision.ts';
import type { ChannelGraph, GraphBundle } from './graph.ts';
import { stepsTo, type Step } from './paths.ts';

/** Why bundles of some channels may not be stepped on, by name, as far as that is known without a search. */
export function findBarred(
  channels: readonly ChannelGraph[],
  question: Question,
  rules: ReadonlySet<Rule>,
): Map<string, Cause> {
  const barred = new Map<string, Cause>();
  for (const { bundle } of channels.flatMap(({ entries }) => entries)) {
    if (barred.has(bundle.name)) continue;
    const cause = barrier(bundle, question, rules);
    if (cause !== undefined) barred.set(bundle.name, cause);
  }
  return barred;
}

function barrier(bundle: GraphBundle, question: Question, rules: ReadonlySet<Rule>): Cause | undefined {
  if (!bundle.version.ok) return { kind: 'invalidVersion', problem: bundle.version.problem };
  const isQuarantined =
    rules.has('quarantined') &&
    (question.quarantined.has(bundle.name) || question.quarantined.has(bundle.bundle.image));
  if (isQuarantined) return { kind: 'quarantined' };
  return rules.has('cluster') ? misfit(bundle.bundle, question.cluster) : undefined;
}

/** What one rule alone has against a bundle, whatever leads to it; undefined where that is nothing. */
export function faultOf(
  rule: Rule,
  { bundle, catalog }: { readonly bundle: GraphBundle; readonly catalog: string },
  question: Question,
): Cause | undefined {
  if (!bundle.version.ok) return undefined;
  return rule === 'dependency'
    ? question.dependencyProblem(bundle, catalog)
    : barrier(bundle, question, new Set([rule]));
}

/** The bundles that are installed one after another for a candidate, itself last; none where it is there already. */
export function bundlesOn({ target, way, stay }: Candidate): readonly GraphBundle[] {
  if (stay) return [];
  return way === undefined ? [target] : bundlesOfWay(way);
}

/** The bundles that a way leads over, the last one included. */
export function bundlesOfWay(way: Step): readonly GraphBundle[] {
  return stepsTo(way).map(({ entry }) => entry.bundle);
}
