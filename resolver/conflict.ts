/**
 * Reduces a "no" to the smallest set of facts that contradict each other. It repeats the same evaluation with single
 * rules lifted, so an explanation cannot contradict the decision. suggestions.ts finds the changes that would help.
 */
import type { Reason } from '../api/reasons.ts';
import { evaluate, type Offer, type View } from './candidates.ts';
import { findInstalled, isInside, isLower, selectChannels } from './selection.ts';
import { unlessTimeIsUp } from './clock.ts';
import type { Conflict, Refusal, RefusedCandidate } from './decision.ts';
import { suggestForDependencies } from './dependency-advice.ts';
import { bundlesOfWay, bundlesOn, faultOf } from './faults.ts';
import { compareHighestFirst, type GraphBundle, type UpgradeGraph } from './graph.ts';
import { minimize } from './minimize.ts';
import { versionsIn } from './misspelt.ts';
import type { PathStep } from './paths.ts';
import { RULES, type ResolveQuestion, type ChoiceRule } from './question.ts';
import { describeRefused } from './refused.ts';
import { skipRangesAtFault } from './skip-ranges.ts';
import { distinct, suggestChanges } from './suggestions.ts';

/** Explains why no offer has an acceptable bundle. `offers` has at least one, the most important first. */
export function explainNoCandidate(offers: readonly Offer[], question: ResolveQuestion): Refusal {
  const minimal = minimize(new Set(RULES), (rules) => (hasCandidate(offers, question, rules) ? undefined : rules));
  const refused = offers.flatMap((offer) => describeRefused(offer, question, { view: viewOf(offer, question, RULES) }));
  if (minimal === undefined) {
    return { kind: 'none', reason: 'VersionNotFound', because: [noBundles(offers)], suggestions: [], refused };
  }
  const because = [...minimal].flatMap((rule) => describeRule(rule, { offers, question, minimal }));
  const suggestions = [
    ...unlessTimeIsUp(
      () => suggestChanges(offers, question, minimal),
      () => [],
    ),
    ...because.flatMap((fact) => (fact.kind === 'dependency' ? suggestForDependencies(fact.because) : [])),
  ];
  return { kind: 'none', reason: reasonOf(minimal, because), because, suggestions: distinct(suggestions), refused };
}

function noBundles(offers: readonly Offer[]): Conflict {
  const { graph } = firstOf(offers);
  const problem = offers.map((offer) => problemOf(offer.graph)).find((found) => found !== undefined);
  const catalogs = offers.map(({ catalog }) => catalog);
  return { kind: 'noBundles', package: graph.package.name, catalogs, ...(problem !== undefined && { problem }) };
}

/** What the catalog found wrong with the first bundle that has no version, or else the version's own fault. */
function problemOf({ package: { problems = [] }, bundles }: UpgradeGraph): string | undefined {
  for (const { name, version } of bundles.values()) {
    if (version.ok) continue;
    const reported = problems.find((problem) => problem.startsWith(`bundle ${name}: `));
    return reported ?? `the version of bundle ${name} cannot be read: ${version.problem}`;
  }
  return undefined;
}

function hasCandidate(offers: readonly Offer[], question: ResolveQuestion, rules: ReadonlySet<ChoiceRule>): boolean {
  return offers.some((offer) => evaluate(offer, question, rules).candidate !== undefined);
}

function viewOf(offer: Offer, question: ResolveQuestion, rules: Iterable<ChoiceRule>): View {
  return evaluate(offer, question, new Set(rules));
}

/** The reason comes from the most specific of the facts. */
function reasonOf(rules: ReadonlySet<ChoiceRule>, because: readonly Conflict[]): Reason {
  if (because.some((conflict) => conflict.kind === 'channel' && !conflict.exists)) return 'ChannelNotFound';
  if (rules.has('quarantined')) return 'Quarantined';
  if (rules.has('cluster') || rules.has('dependency')) return 'ResolutionFailed';
  return rules.has('edges') || rules.has('downgrade') ? 'NoUpgradePath' : 'VersionNotFound';
}

interface ConflictFacts {
  readonly offers: readonly Offer[];
  readonly question: ResolveQuestion;
  readonly minimal: ReadonlySet<ChoiceRule>;
}

function describeRule(rule: ChoiceRule, circumstances: ConflictFacts): readonly Conflict[] {
  const { offers, question } = circumstances;
  const { wanted } = question;
  switch (rule) {
    case 'version':
      return [describeVersion(circumstances)];
    case 'channel':
      return [describeChannel(firstOf(offers).graph, wanted.channel)];
    case 'edges':
      return [describeEdges(circumstances)];
    case 'downgrade':
      return [describeDowngrade(circumstances)];
    case 'quarantined':
      return [{ kind: 'quarantined', bundles: blamedFor(rule, circumstances).map(({ bundle }) => bundle) }];
    case 'cluster':
      return [{ kind: 'cluster', causes: blamedFor(rule, circumstances) }];
    default:
      return blamedFor(rule, circumstances).map(describeDependency);
  }
}

/** Includes the offered versions, unless one of them is in the range and another rule excludes it. */
function describeVersion({ offers, question: { wanted, range }, minimal }: ConflictFacts): Conflict {
  const conflict: Conflict = { kind: 'version', range: wanted.version ?? '' };
  const graphs = offers.map(({ graph }) => graph);
  const offered = graphs.flatMap((graph) => {
    const asked = new Set(selectChannels(graph, wanted.channel).map(({ name }) => name));
    return versionsIn([graph], ({ channels }) => !minimal.has('channel') || channels.some((name) => asked.has(name)));
  });
  const hasOne = graphs.some((graph) =>
    [...graph.bundles.values()].some(({ version }) => version.ok && isInside(range, version.value)),
  );
  return hasOne || offered.length === 0 ? conflict : { ...conflict, offered: [...new Set(offered)] };
}

function describeDowngrade({ offers, question: { installed, wanted } }: ConflictFacts): Conflict {
  const { graph } = firstOf(offers);
  const isKnown = installed !== undefined && findInstalled(graph, installed) !== undefined;
  return {
    kind: 'downgrade',
    installed: installed?.name ?? '',
    version: installed?.version?.version.text ?? '',
    ...(isKnown && wanted.channel === undefined && { channel: graph.package.defaultChannel }),
  };
}

function describeDependency({ bundle, cause }: RefusedCandidate): Conflict {
  if (cause.kind === 'dependency') return { kind: 'dependency', bundle, because: cause.because };
  const problem = cause.kind === 'requirementInvalid' ? cause.problem : undefined;
  if (problem === undefined) throw new Error(`bundle ${bundle} is barred by its dependencies for ${cause.kind}`);
  return { kind: 'dependency', bundle, because: [], problem };
}

function describeChannel(graph: UpgradeGraph, channel: string | undefined): Conflict {
  const name = channel ?? graph.package.defaultChannel;
  const channels = [...graph.channels.keys()];
  return {
    kind: 'channel',
    channel: name,
    byDefault: channel === undefined,
    exists: selectChannels(graph, channel).length > 0,
    channels,
  };
}

/** The bundles that one rule of the minimal set bars, of those that would be installed if it did not. */
function blamedFor(rule: ChoiceRule, { offers, question, minimal }: ConflictFacts): readonly RefusedCandidate[] {
  const kept = keepMost(rule, { offers, question, minimal });
  const blamed = new Map<string, RefusedCandidate>();
  for (const offer of offers) {
    const { candidate } = evaluate(offer, question, kept);
    for (const bundle of candidate === undefined ? [] : bundlesOn(candidate)) {
      const cause = faultOf(rule, { bundle, catalog: offer.catalog }, question);
      if (cause === undefined || blamed.has(bundle.name)) continue;
      blamed.set(bundle.name, { bundle: bundle.name, version: bundle.bundle.version, catalog: offer.catalog, cause });
    }
  }
  return [...blamed.values()];
}

/**
 * The other rules of the minimal set, and as many of those that do not take part in it as leave a bundle: if every version
 * is barred for a cause of its own, the causes that count are those of the versions that the spec asks for.
 */
function keepMost(rule: ChoiceRule, { offers, question, minimal }: ConflictFacts): ReadonlySet<ChoiceRule> {
  let kept = new Set([...minimal].filter((other) => other !== rule));
  for (const other of RULES.toReversed()) {
    if (other === rule || kept.has(other)) continue;
    const more = new Set([...kept, other]);
    if (hasCandidate(offers, question, more)) kept = more;
  }
  return kept;
}

/** A bundle that edges lead to, with the way. */
interface Reached {
  readonly bundle: GraphBundle;
  readonly way: PathStep;
  readonly catalog: string;
}

function describeEdges(circumstances: ConflictFacts): Conflict {
  const { offers, question, minimal } = circumstances;
  const { installed, wanted } = question;
  const reached = reachedBy(circumstances);
  const suited = reached.find((one) => isSuited(one, circumstances));
  const over = suited === undefined ? [] : bundlesOfWay(suited.way);
  return {
    kind: 'edges',
    installed: installed?.name ?? '',
    version: installed?.version?.version.text ?? '',
    known: offers.some((offer) => viewOf(offer, question, RULES).known !== undefined),
    lowerOnly: onlyLowerWithout(circumstances),
    reaches: [...new Set(reached.map(({ bundle }) => bundle.name))],
    ...(minimal.has('channel') && { channel: wanted.channel ?? firstOf(offers).graph.package.defaultChannel }),
    ...describeSkipRanges(circumstances),
    ...(suited !== undefined && {
      barredWay: { to: suited.bundle.name, over: over.slice(0, -1).map(({ name }) => name) },
    }),
  };
}

/** The skipRanges of entries that would be chosen if an edge led to them. */
function describeSkipRanges(circumstances: ConflictFacts): Pick<Extract<Conflict, { kind: 'edges' }>, 'skipRanges'> {
  const { offers, question, minimal } = circumstances;
  const { installed } = question;
  if (installed === undefined) return {};
  const wanted = offers.flatMap((offer) =>
    viewOf(offer, question, minimal)
      .channels.flatMap(({ entries }) => entries)
      .filter(({ bundle }) => bundle.name !== installed.name && !isLower(bundle, installed))
      .filter(({ bundle }) => isSuited({ bundle, catalog: offer.catalog }, circumstances)),
  );
  const skipRanges = skipRangesAtFault(wanted, installed);
  return skipRanges.length === 0 ? {} : { skipRanges };
}

/** All bundles that edges lead to if only the graph counts, the highest version first. */
function reachedBy({ offers, question, minimal }: ConflictFacts): readonly Reached[] {
  const rules = [...minimal].filter((rule) => rule === 'edges' || rule === 'channel');
  return offers
    .flatMap((offer) =>
      [...viewOf(offer, question, rules).ways.values()].map((way) => ({
        way,
        bundle: way.entry.bundle,
        catalog: offer.catalog,
      })),
    )
    .sort((a, b) => compareHighestFirst(a.bundle, b.bundle));
}

/** Whether the other facts permit the bundle itself; bundles on the way to it are not checked. */
function isSuited({ bundle, catalog }: Omit<Reached, 'way'>, { question, minimal }: ConflictFacts): boolean {
  const inside = bundle.version.ok && isInside(question.range, bundle.version.value);
  if (minimal.has('version') && !inside) return false;
  return BARRING.every((rule) => !minimal.has(rule) || faultOf(rule, { bundle, catalog }, question) === undefined);
}

const BARRING: readonly ChoiceRule[] = ['quarantined', 'cluster', 'dependency'];

function onlyLowerWithout({ offers, question, minimal }: ConflictFacts): boolean {
  const kept = [...minimal].filter((rule) => rule !== 'edges');
  const targets = offers.flatMap((offer) => viewOf(offer, question, kept).candidate?.target ?? []);
  return targets.length > 0 && targets.every((target) => isLower(target, question.installed));
}

function firstOf(offers: readonly Offer[]): Offer {
  const [first] = offers;
  if (first === undefined) throw new Error('an explanation needs at least one offer');
  return first;
}
