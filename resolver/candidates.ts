/**
 * Finds the best bundle of one catalog under a set of rules. Rules can be lifted one by one, which is how a "no" is
 * brought down to the few facts that cause it. pick.ts chooses among the bundles; the choice between catalogs is made in
 * resolve.ts.
 */
import { isPublishedAgain } from '../api/same-bundle.ts';
import { unlessTimeIsUp } from './clock.ts';
import type { Cause, Conflict } from './decision.ts';
import { bundlesOn, findBarred, judge, judgedIn } from './faults.ts';
import { comparePreference, type ChannelGraph, type GraphBundle, type UpgradeGraph } from './graph.ts';
import { choose, stayCandidate, type Pool, type PoolChoice } from './pick.ts';
import type { PathStep } from './paths.ts';
import { RULES, type Candidate, type ChoiceRule, type ResolveQuestion } from './question.ts';
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
  /** Set if the time was up before all bundles were judged. */
  readonly cutShort?: true;
}

/** The best bundle of one offer under all rules. If the time is up before it is found, no other bundle is chosen. */
export function evaluateInTime(offer: Offer, question: ResolveQuestion): View {
  return unlessTimeIsUp(
    () => evaluate(offer, question, new Set(RULES)),
    () => cutShort(offer, question),
  );
}

/** The cause of a bundle that could not be judged in time. */
const TOO_LONG: Cause = { kind: 'dependency', because: [{ kind: 'effort', why: 'tooLong' }] };

function cutShort({ graph, catalog }: Offer, question: ResolveQuestion): View {
  const pool = createPool(graph, question, new Set(RULES));
  const judged = judgedIn(question, catalog);
  for (const { bundle } of entriesOf(pool)) {
    if (!pool.barred.has(bundle.name)) pool.barred.set(bundle.name, judged.get(bundle.name) ?? TOO_LONG);
  }
  return { ...pool, candidate: stayCandidate(pool)[0], ways: new Map(), cutShort: true };
}

/** Problems that are found one by one; from then on, twice as many bundles are judged at once each time. */
const SINGLE_ROUNDS = 16;

/**
 * Finds the best bundle of one offer under some rules. Each choice is judged, and made again without the bundles that have a
 * problem: since these choices cost as much as there are bundles, there are not as many of them. Throws TimeIsUp.
 */
export function evaluate({ graph, catalog }: Offer, question: ResolveQuestion, rules: ReadonlySet<ChoiceRule>): View {
  question.checkTime();
  const pool = createPool(graph, question, rules);
  const counts = rules.has('dependency');
  if (counts) barJudged(pool, judgedIn(question, catalog));
  for (let round = 1; ; round++) {
    const choice = choose(pool);
    const { candidate, ways } = choice;
    const problem = counts ? firstDependencyProblem(candidate, catalog, question) : undefined;
    if (problem === undefined) return { ...pool, candidate, ways };
    noteWaiting(problem, pool, { question, catalog });
    if (round > SINGLE_ROUNDS) judgeMore(choice, 2 ** (round - SINGLE_ROUNDS), { question, catalog });
    barJudged(pool, judgedIn(question, catalog));
  }
}

function entriesOf({ channels }: Pool): Iterable<ChannelGraph['entries'][number]> {
  return channels.values().flatMap(({ entries }) => entries);
}

function barJudged(pool: Pool, judged: ReadonlyMap<string, Cause | undefined>): void {
  if (judged.size === 0) return;
  for (const { bundle } of entriesOf(pool)) {
    const problem = judged.get(bundle.name);
    if (problem !== undefined) pool.barred.set(bundle.name, problem);
  }
}

const WAITS: ReadonlySet<string> = new Set<Conflict['kind']>(['way', 'hiddenWay', 'effort']);

interface JudgingScope {
  readonly question: ResolveQuestion;
  readonly catalog: string;
}

/**
 * If a bundle waits for an upgrade of another package, most higher ones do too: they are found at once. So are all that
 * wait since the effort for the ways is over.
 */
function noteWaiting(
  { bundle: found, cause }: DependencyProblem,
  pool: Pool,
  { question, catalog }: JudgingScope,
): void {
  if (cause.kind !== 'dependency' || !cause.because.some(({ kind }) => WAITS.has(kind))) return;
  if (question.wayProblem(found, catalog) === undefined) return;
  const judged = judgedIn(question, catalog);
  for (const { bundle } of entriesOf(pool)) {
    const waits = pool.barred.has(bundle.name) ? undefined : question.wayProblem(bundle, catalog);
    if (waits !== undefined) judged.set(bundle.name, waits);
  }
}

/** Judges the most preferred of the bundles that could be chosen or stepped on and were not judged yet. */
function judgeMore({ compared, ways }: PoolChoice, most: number, { question, catalog }: JudgingScope): void {
  const judged = judgedIn(question, catalog);
  const others = compared.filter(({ stay }) => !stay).map(({ target }) => target);
  const bundles = ways.size > 0 ? [...ways.values()].map(({ entry }) => entry.bundle) : others;
  const next = bundles.filter(({ name }) => !judged.has(name)).sort(comparePreference);
  for (const bundle of next.slice(0, most)) judge(bundle, catalog, question);
}

function createPool(graph: UpgradeGraph, question: ResolveQuestion, rules: ReadonlySet<ChoiceRule>): Pool {
  const { installed, wanted, range, checkTime } = question;
  const channels = rules.has('channel') ? selectChannels(graph, wanted.channel) : [...graph.channels.values()];
  const known = installed === undefined ? undefined : findInstalled(graph, installed);
  return {
    channels,
    barred: findBarred(channels, question, rules),
    known,
    isPublishedAgain: known !== undefined && isPublishedAgain(known.bundle, installed?.stated),
    range: rules.has('version') ? range : undefined,
    installed,
    follows: wanted.edges === 'Follow' && rules.has('edges'),
    isChannelNamed: wanted.channel !== undefined || !rules.has('channel'),
    holds: rules.has('downgrade'),
    leaves: question.leaves === true,
    checkTime,
  };
}

interface DependencyProblem {
  readonly bundle: GraphBundle;
  readonly cause: Cause;
}

function firstDependencyProblem(
  candidate: Candidate | undefined,
  catalog: string,
  question: ResolveQuestion,
): DependencyProblem | undefined {
  if (candidate === undefined) return undefined;
  for (const bundle of bundlesOn(candidate).toSorted(comparePreference)) {
    const cause = judge(bundle, catalog, question);
    if (cause !== undefined) return { bundle, cause };
  }
  return undefined;
}
