/**
 * Brings a "no" down to the smallest set of facts that cannot hold together, and finds the changes that would help.
 * It asks the same evaluation again with single rules lifted, so an explanation cannot disagree with the decision.
 */
import type { Reason } from '../api/reasons.ts';
import {
  evaluate,
  isLower,
  RULES,
  selectChannels,
  type Candidate,
  type Offer,
  type Question,
  type Rule,
  type View,
} from './candidates.ts';
import type { Conflict, Refusal, RefusedCandidate, Suggestion } from './decision.ts';
import { compareText, type UpgradeGraph } from './graph.ts';
import { minimize } from './minimize.ts';
import { describeRefused } from './refused.ts';

/** Explains why no offer has an acceptable bundle. `offers` has at least one, the most important first. */
export function explainNoCandidate(offers: readonly Offer[], question: Question): Refusal {
  const minimal = minimize(new Set(RULES), (rules) => (hasCandidate(offers, question, rules) ? undefined : rules));
  const refused = offers.flatMap((offer) => describeRefused(offer, question, { view: viewOf(offer, question, RULES) }));
  if (minimal === undefined) {
    const { graph } = firstOf(offers);
    const because: Conflict[] = [
      { kind: 'noBundles', package: graph.package.name, catalogs: offers.map(({ catalog }) => catalog) },
    ];
    return { kind: 'none', reason: 'VersionNotFound', because, suggestions: [], refused };
  }
  const because = [...minimal].map((rule) => describeRule(rule, { offers, question, minimal, refused }));
  const suggestions = [
    ...suggestChanges(offers, question),
    ...because.flatMap((fact) => (fact.kind === 'dependency' ? suggestForDependencies(fact.because) : [])),
  ];
  return {
    kind: 'none',
    reason: reasonOf(minimal, because),
    because,
    suggestions: suggestions.sort(compareSuggestions),
    refused,
  };
}

function hasCandidate(offers: readonly Offer[], question: Question, rules: ReadonlySet<Rule>): boolean {
  return offers.some((offer) => evaluate(offer, question, rules).candidate !== undefined);
}

function viewOf(offer: Offer, question: Question, rules: Iterable<Rule>): View {
  return evaluate(offer, question, new Set(rules));
}

/** The most telling of the facts names the reason. */
function reasonOf(rules: ReadonlySet<Rule>, because: readonly Conflict[]): Reason {
  if (because.some((conflict) => conflict.kind === 'channel' && !conflict.exists)) return 'ChannelNotFound';
  if (rules.has('quarantined')) return 'Quarantined';
  if (rules.has('cluster') || rules.has('dependency')) return 'ResolutionFailed';
  return rules.has('edges') || rules.has('downgrade') ? 'NoUpgradePath' : 'VersionNotFound';
}

interface Circumstances {
  readonly offers: readonly Offer[];
  readonly question: Question;
  readonly minimal: ReadonlySet<Rule>;
  readonly refused: readonly RefusedCandidate[];
}

function describeRule(rule: Rule, circumstances: Circumstances): Conflict {
  const { offers, question, refused } = circumstances;
  const { graph } = firstOf(offers);
  const { wanted, installed } = question;
  switch (rule) {
    case 'version':
      return { kind: 'version', range: wanted.version ?? '' };
    case 'channel':
      return describeChannel(graph, wanted.channel);
    case 'edges':
      return {
        kind: 'edges',
        installed: installed?.name ?? '',
        version: installed?.version?.version.text ?? '',
        known: offers.some((offer) => viewOf(offer, question, RULES).known !== undefined),
        lowerOnly: onlyLowerWithout(circumstances),
      };
    case 'downgrade':
      return { kind: 'downgrade', installed: installed?.name ?? '', version: installed?.version?.version.text ?? '' };
    case 'quarantined':
      return { kind: 'quarantined', bundles: freedBy(rule, circumstances) };
    case 'cluster': {
      const freed = new Set(freedBy(rule, circumstances));
      return { kind: 'cluster', causes: refused.filter(({ bundle }) => freed.has(bundle)) };
    }
    default: {
      const bundle = freedBy(rule, circumstances)[0] ?? '';
      const cause = refused.find((one) => one.bundle === bundle)?.cause;
      return { kind: 'dependency', bundle, because: cause?.kind === 'dependency' ? cause.because : [] };
    }
  }
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

/** The bundles that lifting one rule of the minimal set makes acceptable: the best one, and those with the same fault. */
function freedBy(rule: Rule, { offers, question, minimal }: Circumstances): readonly string[] {
  const kept = [...minimal].filter((other) => other !== rule);
  const names = new Set<string>();
  for (const offer of offers) {
    const { target } = viewOf(offer, question, kept).candidate ?? {};
    if (target !== undefined) names.add(target.name);
  }
  return [...names].sort(compareText);
}

function onlyLowerWithout({ offers, question, minimal }: Circumstances): boolean {
  const kept = [...minimal].filter((rule) => rule !== 'edges');
  const targets = offers.flatMap((offer) => viewOf(offer, question, kept).candidate?.target ?? []);
  return targets.length > 0 && targets.every((target) => isLower(target, question.installed));
}

/** Rules that a change of the spec, or a person's word, can lift. */
const LIFTABLE: readonly Rule[] = RULES.filter((rule) => rule !== 'dependency' && rule !== 'cluster');

/** Every single change that would help; where none does, the first few that do together. */
function suggestChanges(offers: readonly Offer[], question: Question): readonly Suggestion[] {
  const single = LIFTABLE.flatMap((rule) => suggestWithout([rule], offers, question));
  if (single.length > 0) return single;
  for (const rules of severalRules()) {
    const several = suggestWithout(rules, offers, question);
    if (several.length > 0) return several;
  }
  return [];
}

/** Two rules, then three: more changes than that are no advice. */
function severalRules(): readonly (readonly Rule[])[] {
  const after = (rule: Rule): readonly Rule[] => LIFTABLE.slice(LIFTABLE.indexOf(rule) + 1);
  const pairs = LIFTABLE.flatMap((a) => after(a).map((b) => [a, b] as const));
  return [...pairs, ...pairs.flatMap(([a, b]) => after(b).map((c) => [a, b, c]))];
}

function suggestWithout(rules: readonly Rule[], offers: readonly Offer[], question: Question): readonly Suggestion[] {
  const kept = RULES.filter((rule) => !rules.includes(rule));
  const candidates = offers.flatMap((offer) => viewOf(offer, question, kept).candidate ?? []);
  const [candidate] = candidates;
  if (candidate === undefined) return [];
  const changes = rules.flatMap((rule) => suggestChange(rule, candidate, question));
  if (changes.length < rules.length) return [];
  return changes.length > 1 ? [{ change: 'together', of: changes.sort(compareSuggestions) }] : changes;
}

function suggestChange(rule: Rule, { target, channel }: Candidate, { installed }: Question): readonly Suggestion[] {
  const { version } = target.bundle;
  switch (rule) {
    case 'version':
      return target.version.ok ? [{ change: 'version', version }] : [{ change: 'anyVersion', gives: target.name }];
    case 'channel':
      return [{ change: 'channel', channel, gives: version }];
    case 'edges':
      return [{ change: 'edges', gives: version, lower: isLower(target, installed) }];
    case 'downgrade':
      return [{ change: 'goDown', version }];
    case 'quarantined':
      return [{ change: 'release', bundle: target.name }];
    default:
      return [];
  }
}

/** What would let the dependencies be had. */
function suggestForDependencies(because: readonly Conflict[]): readonly Suggestion[] {
  return because.flatMap((fact): readonly Suggestion[] => {
    if (fact.kind === 'mustBeThere') return [{ change: 'dependencies' }];
    if (fact.kind === 'requires')
      return fact.offered.length === 0 && fact.need.kind !== 'not' ? [{ change: 'offer', need: fact.need }] : [];
    if (fact.kind !== 'keeps') return [];
    const ranges = because.flatMap((other) => rangeFor(fact.package, other));
    const { package: name, subscription } = fact;
    const [range] = ranges;
    if (range === undefined) return [];
    return [{ change: 'otherPackage', package: name, range, ...(subscription !== undefined && { subscription }) }];
  });
}

function rangeFor(name: string, fact: Conflict): readonly string[] {
  return fact.kind === 'requires' && fact.need.kind === 'package' && fact.need.package === name
    ? [fact.need.range]
    : [];
}

const ORDER: readonly Suggestion['change'][] = [
  'selector',
  'dependencies',
  'otherPackage',
  'version',
  'anyVersion',
  'channel',
  'wait',
  'catalog',
  'offer',
  'release',
  'edges',
  'goDown',
  'together',
];

function compareSuggestions(a: Suggestion, b: Suggestion): number {
  return ORDER.indexOf(a.change) - ORDER.indexOf(b.change);
}

function firstOf(offers: readonly Offer[]): Offer {
  const [first] = offers;
  if (first === undefined) throw new Error('an explanation needs at least one offer');
  return first;
}
