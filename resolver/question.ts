/** The question that candidates are evaluated for, and the rules that an evaluation applies. */
import type { Cause } from './decision.ts';
import type { GraphBundle, EdgeStart } from './graph.ts';
import type { ClusterFacts, Wanted } from './input.ts';
import type { PathStep } from './paths.ts';
import type { VersionRange } from './ranges/range.ts';

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
  readonly installed: EdgeStart | undefined;
  readonly quarantined: ReadonlySet<string>;
  readonly cluster: ClusterFacts | undefined;
  /** Why the dependencies of a bundle cannot be satisfied; asked only for bundles on the way to a choice. */
  readonly dependencyProblem: (bundle: GraphBundle, catalog: string) => Cause | undefined;
  /** Why a bundle must wait for an upgrade of another package, a part of its dependency problems that costs no search. */
  readonly wayProblem: (bundle: GraphBundle, catalog: string) => Cause | undefined;
  /** The dependency problems found so far, by catalog and by name of the bundle: evaluations share them. */
  readonly problems: Map<string, Map<string, Cause>>;
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
}
