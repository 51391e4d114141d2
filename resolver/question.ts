/** The question that candidates are evaluated for, and the rules that an evaluation applies. */
import type { CheckTime } from './clock.ts';
import type { Cause } from './decision.ts';
import type { GraphBundle } from './graph.ts';
import type { ClusterFacts, Wanted } from './input.ts';
import type { PathStep } from './paths.ts';
import type { VersionRange } from './ranges/range.ts';
import type { InstalledBundle } from './selection.ts';

/** The rules that can exclude a bundle whose version can be parsed. */
export type ChoiceRule = 'dependency' | 'cluster' | 'quarantined' | 'downgrade' | 'edges' | 'version' | 'channel';

/** All rules, in the order in which an explanation tries to lift them. */
export const RULES: readonly ChoiceRule[] = [
  'dependency',
  'cluster',
  'quarantined',
  'downgrade',
  'edges',
  'version',
  'channel',
];

/** The input of a resolution, parsed. */
export interface ResolveQuestion {
  readonly wanted: Wanted;
  readonly range: VersionRange | undefined;
  readonly installed: InstalledBundle | undefined;
  readonly quarantined: ReadonlySet<string>;
  readonly cluster: ClusterFacts | undefined;
  readonly checkTime: CheckTime;
  /** Why the dependencies of a bundle cannot be satisfied; faults.ts asks for bundles on the way to a choice, and once. */
  readonly dependencyProblem: (bundle: GraphBundle, catalog: string) => Cause | undefined;
  /** Why a bundle must wait for an upgrade of another package, a part of its dependency problems that costs no search. */
  readonly wayProblem: (bundle: GraphBundle, catalog: string) => Cause | undefined;
  /**
   * The bundles whose dependencies were judged so far, by catalog and name, with the problem if there is one: evaluations
   * share them.
   */
  readonly judged: Map<string, Map<string, Cause | undefined>>;
  /**
   * Set if staying with the installed bundle is no answer, because the question is which other bundle could be chosen.
   */
  readonly leaves?: boolean;
}

/** The best bundle of one catalog. */
export interface Candidate {
  readonly target: GraphBundle;
  readonly channel: string;
  /** The edges to the target; absent if it is installed in one step without an edge, or is installed already. */
  readonly way: PathStep | undefined;
  /** Whether the target is the installed bundle. */
  readonly stay: boolean;
  /**
   * If the catalog has the installed bundle with another content: whether the target is that one, or the installed one,
   * because the other may not be taken.
   */
  readonly content?: 'new' | 'kept';
}
