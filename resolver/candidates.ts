/**
 * Finds the best bundle of one catalog under a set of rules. Rules can be lifted one by one, which is how a "no" is
 * brought down to the few facts that cause it. pick.ts chooses among the bundles; the choice between catalogs is made in
 * resolve.ts.
 */
import type { Cause } from './decision.ts';
import { bundlesOn, findBarred } from './faults.ts';
import { comparePreference, type ChannelGraph, type GraphBundle, type UpgradeGraph } from './graph.ts';
import { createChooser, type Pool } from './pick.ts';
import type { PathStep } from './paths.ts';
import type { Candidate, ChoiceRule, ResolveQuestion } from './question.ts';
import { findInstalled, selectChannels } from './selection.ts';

/** A package as one catalog offers it. */
export interface Offer {
  readonly catalog: string;
  readonly priority: number;
  readonly graph: UpgradeGraph;
}

/** The result of one evaluation; refusals are explained from it. */
export interface View {
  readonly candidate: Candidate | undefined;
  readonly channels: readonly ChannelGraph[];
  /** Bundles that must not be installed, not even on the way to another one, with the cause; by name. */
  readonly barred: ReadonlyMap<string, Cause>;
  readonly ways: ReadonlyMap<string, PathStep>;
  /** The installed bundle as this catalog has it, in any channel. */
  readonly known: GraphBundle | undefined;
}

/** Finds the best bundle of one offer under some rules. Dependency problems that it finds are noted in the question. */
export function evaluate({ graph, catalog }: Offer, question: ResolveQuestion, rules: ReadonlySet<ChoiceRule>): View {
  const pool = createPool(graph, question, rules);
  const problems = knownProblems(question, catalog);
  const counts = rules.has('dependency');
  if (counts) for (const [name, cause] of problems) pool.barred.set(name, cause);
  const choose = createChooser(pool, question.wanted.edges === 'Follow' && rules.has('edges'));
  for (;;) {
    const { candidate, ways } = choose();
    const problem = counts ? firstDependencyProblem(candidate, catalog, question) : undefined;
    if (problem === undefined) return { ...pool, candidate, ways };
    for (const [name, cause] of [
      ...waiting(problem, pool, { question, catalog }),
      [problem.bundle.name, problem.cause],
    ] as const) {
      pool.barred.set(name, cause);
      problems.set(name, cause);
    }
  }
}

/**
 * If a bundle waits for an upgrade of another package, most higher ones do too: they are found at once. So are all that
 * wait since the effort for the ways is over.
 */
function waiting(
  { bundle: found, cause }: DependencyProblem,
  { channels, barred }: Pool,
  { question, catalog }: { readonly question: ResolveQuestion; readonly catalog: string },
): readonly (readonly [string, Cause])[] {
  if (cause.kind !== 'dependency' || !cause.because.some(({ kind }) => kind === 'way' || kind === 'effort')) return [];
  if (question.wayProblem(found, catalog) === undefined) return [];
  return channels.flatMap(({ entries }) =>
    entries.flatMap(({ bundle }) => {
      const waits = barred.has(bundle.name) ? undefined : question.wayProblem(bundle, catalog);
      return waits === undefined ? [] : [[bundle.name, waits] as const];
    }),
  );
}

function knownProblems({ problems }: ResolveQuestion, catalog: string): Map<string, Cause> {
  const known = problems.get(catalog) ?? new Map<string, Cause>();
  problems.set(catalog, known);
  return known;
}

function createPool(graph: UpgradeGraph, question: ResolveQuestion, rules: ReadonlySet<ChoiceRule>): Pool {
  const { installed, wanted, range } = question;
  const channels = rules.has('channel') ? selectChannels(graph, wanted.channel) : [...graph.channels.values()];
  return {
    channels,
    barred: findBarred(channels, question, rules),
    known: installed === undefined ? undefined : findInstalled(graph, installed),
    range: rules.has('version') ? range : undefined,
    installed,
    holds: rules.has('downgrade'),
    leaves: question.leaves === true,
  };
}

interface DependencyProblem {
  readonly bundle: GraphBundle;
  readonly cause: Cause;
}

function firstDependencyProblem(
  candidate: Candidate | undefined,
  catalog: string,
  { dependencyProblem }: ResolveQuestion,
): DependencyProblem | undefined {
  if (candidate === undefined) return undefined;
  for (const bundle of bundlesOn(candidate).toSorted(comparePreference)) {
    const cause = dependencyProblem(bundle, catalog);
    if (cause !== undefined) return { bundle, cause };
  }
  return undefined;
}
