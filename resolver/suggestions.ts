/**
 * Finds what would turn a "no" into an answer, the smallest change first: rules are lifted one by one, then a few
 * together, and every change that is proposed has been tried. Which facts stand in the way is told in conflict.ts.
 */
import {
  evaluate,
  isInside,
  isLower,
  RULES,
  type Candidate,
  type Offer,
  type Question,
  type Rule,
} from './candidates.ts';
import { isOlder } from './cluster.ts';
import type { Suggestion } from './decision.ts';
import { bundlesOn, faultOf } from './faults.ts';
import type { GraphBundle, Origin } from './graph.ts';
import { parseMastermindsRange } from './ranges/masterminds.ts';
import { similarTo } from './similar.ts';

/**
 * Every single change that would lead on; where none does, the first few that do together. To stay with what is
 * installed comes last: who asks for something else has a reason.
 * @param minimal Rules that cannot hold together: none of the others helps, unless with one of them.
 */
export function suggestChanges(
  offers: readonly Offer[],
  question: Question,
  minimal: ReadonlySet<Rule>,
): readonly Suggestion[] {
  const leaving = { ...question, leaves: true };
  const single = [...minimal].flatMap((rule) => suggestWithout([rule], offers, leaving));
  const onward = single.length > 0 ? single : suggestSeveral(offers, leaving, minimal);
  const staying = [...minimal].flatMap((rule) => suggestWithout([rule], offers, question)).filter(stays);
  const found = [...onward, ...staying];
  return found.length > 0 ? found : suggestSeveral(offers, question, minimal);
}

function suggestSeveral(
  offers: readonly Offer[],
  question: Question,
  minimal: ReadonlySet<Rule>,
): readonly Suggestion[] {
  for (const rules of severalRules()) {
    if (!rules.some((rule) => minimal.has(rule))) continue;
    const several = suggestWithout(rules, offers, question);
    if (several.length > 0) return several;
  }
  return [];
}

/** Rules that a change of the spec, or a person's word, can lift. */
const SPEC_RULES: readonly Rule[] = RULES.filter((rule) => rule !== 'dependency' && rule !== 'cluster');

/** Two rules, then three: more changes than that are no advice. */
function severalRules(): readonly (readonly Rule[])[] {
  const after = (rule: Rule): readonly Rule[] => SPEC_RULES.slice(SPEC_RULES.indexOf(rule) + 1);
  const pairs = SPEC_RULES.flatMap((a) => after(a).map((b) => [a, b] as const));
  return [...pairs, ...pairs.flatMap(([a, b]) => after(b).map((c) => [a, b, c]))];
}

function suggestWithout(rules: readonly Rule[], offers: readonly Offer[], question: Question): readonly Suggestion[] {
  const kept = new Set(RULES.filter((rule) => !rules.includes(rule)));
  for (const offer of offers) {
    const { candidate } = evaluate(offer, question, kept);
    if (candidate === undefined) continue;
    const lifted = rules.includes('channel')
      ? inOneChannel({ candidate, offer, question, rules })
      : { candidate, offer, question, channel: candidate.channel };
    const changes = lifted === undefined ? [] : rules.map((rule) => changesFor(rule, lifted));
    if (changes.some((one) => one.length === 0)) return [];
    if (changes.length <= 1) return changes.flat();
    return [{ change: 'together', of: changes.flatMap(([first]) => first ?? []).sort(compareSuggestions) }];
  }
  return [];
}

/**
 * A candidate of a channel whose name is like the one asked for, else of the channel that has the given one, else of
 * another channel, else of all of them, as the way may lead over several. What a channel gives may be to stay, although there is something else in it too.
 */
function inOneChannel({
  candidate,
  offer,
  question,
  rules,
}: Omit<Lifted, 'channel'> & { readonly rules: readonly Rule[] }): Lifted | undefined {
  const kept = new Set(RULES.filter((rule) => rule === 'channel' || !rules.includes(rule)));
  const channels = [...offer.graph.channels.keys()];
  for (const channel of new Set([...meantBy(question.wanted.channel, channels), candidate.channel, ...channels, '*'])) {
    const asked = { ...question, leaves: false, wanted: { ...question.wanted, channel } };
    const there = evaluate(offer, asked, kept).candidate;
    if (there !== undefined && !(question.leaves === true && there.stay))
      return { candidate: there, offer, question, channel };
  }
  return undefined;
}

/** The channels that one that there is not may stand for. */
function meantBy(channel: string | undefined, channels: readonly string[]): readonly string[] {
  return channel === undefined || channel === '*' || channels.includes(channel) ? [] : similarTo(channel, channels);
}

/** What there would be without some rules. */
interface Lifted {
  readonly candidate: Candidate;
  readonly offer: Offer;
  readonly question: Question;
  /** What the spec would name, where the channel is one of them. */
  readonly channel: string;
}

/** What has to be changed for one rule not to stand in the way of a candidate; each change does it alone. */
function changesFor(rule: Rule, lifted: Lifted): readonly Suggestion[] {
  const { target, stay: stays } = lifted.candidate;
  const { version } = target.bundle;
  const { installed } = lifted.question;
  switch (rule) {
    case 'version':
      if (!target.version.ok) return [{ change: 'anyVersion', gives: target.name, ...(stays && { stays }) }];
      return isLower(target, installed) && !excludes(version, installed)
        ? []
        : [{ change: 'version', version, ...(stays && { stays }) }];
    case 'channel':
      return [{ change: 'channel', channel: lifted.channel, gives: version, ...(stays && { stays }) }];
    case 'edges':
      return changesForEdges(lifted);
    case 'downgrade':
      return excludes(version, installed) ? [{ change: 'goDown', version }] : [];
    case 'quarantined':
      return [{ change: 'release', bundles: faulty(rule, lifted).map(({ name }) => name) }];
    case 'cluster':
      return changeForCluster(lifted);
    default:
      return [{ change: 'ignoreDependencies', bundle: target.name }];
  }
}

/** Whether what is installed is outside a pin; releases of one version are all inside. */
function excludes(pin: string, installed: Origin | undefined): boolean {
  const range = parseMastermindsRange(pin);
  return range.ok && !isInside(range.value, installed?.version);
}

/** An edge from what is installed never leads down, so that no author can help there. */
function changesForEdges({ candidate: { target, channel }, question: { installed } }: Lifted): readonly Suggestion[] {
  const lower = isLower(target, installed);
  const ignore: Suggestion = { change: 'edges', gives: target.bundle.version, lower };
  if (lower || installed === undefined) return [ignore];
  return [ignore, { change: 'edge', channel, into: target.name, from: installed.name }];
}

/** A cluster can be brought up to what is needed, and not down again. */
function changeForCluster({ candidate, offer, question }: Lifted): readonly Suggestion[] {
  const causes = bundlesOn(candidate).flatMap(
    (bundle) => faultOf('cluster', { bundle, catalog: offer.catalog }, question) ?? [],
  );
  const needed = causes.flatMap((cause) => (cause.kind === 'kubernetesTooOld' ? [cause.needs] : []));
  const [first, ...others] = needed;
  if (first === undefined || needed.length < causes.length) return [];
  return [{ change: 'cluster', kubernetes: others.reduce((a, b) => (isOlder(a, b) ? b : a), first) }];
}

function faulty(rule: Rule, { candidate, offer: { catalog }, question }: Lifted): readonly GraphBundle[] {
  return bundlesOn(candidate).filter((bundle) => faultOf(rule, { bundle, catalog }, question) !== undefined);
}

/** Those first that a person can act on and that give what was asked for. */
const ORDER: readonly Suggestion['change'][] = [
  'selector',
  'range',
  'package',
  'dependencies',
  'narrow',
  'otherPackage',
  'channel',
  'wait',
  'catalog',
  'version',
  'anyVersion',
  'removePackage',
  'offer',
  'cluster',
  'release',
  'edges',
  'edge',
  'goDown',
  'together',
  'ignoreDependencies',
];

/** Suggestions without repetition, in the order in which they are to be told; the last resort only where it is one. */
export function distinct(suggestions: readonly Suggestion[]): readonly Suggestion[] {
  const byContent = new Map(suggestions.map((one) => [JSON.stringify(one), one]));
  const sorted = [...byContent.values()].sort(compareSuggestions);
  const better = sorted.filter(({ change }) => change !== 'ignoreDependencies');
  return better.length > 0 ? better : sorted;
}

function compareSuggestions(a: Suggestion, b: Suggestion): number {
  return Number(stays(a)) - Number(stays(b)) || ORDER.indexOf(a.change) - ORDER.indexOf(b.change);
}

function stays(suggestion: Suggestion): boolean {
  if (suggestion.change === 'together') return suggestion.of.some(stays);
  return 'stays' in suggestion && suggestion.stays;
}
