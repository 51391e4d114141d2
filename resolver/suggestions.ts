/**
 * Finds changes that would turn a refusal into a choice, the smallest first: it lifts rules one by one, then a few
 * together, and tries every change before proposing it. conflict.ts finds the facts that rule a choice out.
 */
import { evaluate, type Offer } from './candidates.ts';
import { isInside, isLower } from './selection.ts';
import { isOlder } from './cluster.ts';
import type { Suggestion } from './decision.ts';
import { bundlesOn, faultOf } from './faults.ts';
import type { GraphBundle, EdgeStart } from './graph.ts';
import { RULES, type Candidate, type ResolveQuestion, type ChoiceRule } from './question.ts';
import { parseMastermindsRange } from './ranges/masterminds.ts';
import { similarTo } from './similar.ts';

/**
 * Every single change that would help; if none does, the first few that help together. Staying with the installed
 * bundle comes last, because a spec that asks for another bundle has a reason.
 * @param minimal Rules that cannot hold together: lifting other rules helps only together with one of them.
 */
export function suggestChanges(
  offers: readonly Offer[],
  question: ResolveQuestion,
  minimal: ReadonlySet<ChoiceRule>,
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
  question: ResolveQuestion,
  minimal: ReadonlySet<ChoiceRule>,
): readonly Suggestion[] {
  for (const rules of severalRules()) {
    if (!rules.some((rule) => minimal.has(rule))) continue;
    const several = suggestWithout(rules, offers, question);
    if (several.length > 0) return several;
  }
  return [];
}

/** Rules that a person can lift, by a change of the spec or by releasing a bundle from quarantine. */
const SPEC_RULES: readonly ChoiceRule[] = RULES.filter((rule) => rule !== 'dependency' && rule !== 'cluster');

/** Two rules, then three: more changes than that are no advice. */
function severalRules(): readonly (readonly ChoiceRule[])[] {
  const after = (rule: ChoiceRule): readonly ChoiceRule[] => SPEC_RULES.slice(SPEC_RULES.indexOf(rule) + 1);
  const pairs = SPEC_RULES.flatMap((a) => after(a).map((b) => [a, b] as const));
  return [...pairs, ...pairs.flatMap(([a, b]) => after(b).map((c) => [a, b, c]))];
}

function suggestWithout(
  rules: readonly ChoiceRule[],
  offers: readonly Offer[],
  question: ResolveQuestion,
): readonly Suggestion[] {
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
 * A candidate of a channel whose name is like the requested one, else of the channel of the given one, else of another
 * channel, else of all channels, because the way may lead over several. The candidate of a channel may be to stay,
 * although the channel has another bundle too.
 */
function inOneChannel({
  candidate,
  offer,
  question,
  rules,
}: Omit<Lifted, 'channel'> & { readonly rules: readonly ChoiceRule[] }): Lifted | undefined {
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

/** The candidate without some rules. */
interface Lifted {
  readonly candidate: Candidate;
  readonly offer: Offer;
  readonly question: ResolveQuestion;
  /** The channel that the spec would name, if the rule `channel` is lifted. */
  readonly channel: string;
}

/** The changes that lift one rule for a candidate; each of them is enough. */
function changesFor(rule: ChoiceRule, lifted: Lifted): readonly Suggestion[] {
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

/** Whether the installed bundle is outside a pin; all releases of one version are inside. */
function excludes(pin: string, installed: EdgeStart | undefined): boolean {
  const range = parseMastermindsRange(pin);
  return range.ok && !isInside(range.value, installed?.version);
}

/** No edge from the installed bundle leads down, so the author of the catalog cannot help there. */
function changesForEdges({ candidate: { target, channel }, question: { installed } }: Lifted): readonly Suggestion[] {
  const lower = isLower(target, installed);
  const ignore: Suggestion = { change: 'edges', gives: target.bundle.version, lower };
  if (lower || installed === undefined) return [ignore];
  return [ignore, { change: 'edge', channel, into: target.name, from: installed.name }];
}

function changeForCluster({ candidate, offer, question }: Lifted): readonly Suggestion[] {
  const causes = bundlesOn(candidate).flatMap(
    (bundle) => faultOf('cluster', { bundle, catalog: offer.catalog }, question) ?? [],
  );
  const needed = causes.flatMap((cause) => (cause.kind === 'kubernetesTooOld' ? [cause.needs] : []));
  const [first, ...others] = needed;
  if (first === undefined) return [];
  return [{ change: 'cluster', kubernetes: others.reduce((a, b) => (isOlder(a, b) ? b : a), first) }];
}

function faulty(rule: ChoiceRule, { candidate, offer: { catalog }, question }: Lifted): readonly GraphBundle[] {
  return bundlesOn(candidate).filter((bundle) => faultOf(rule, { bundle, catalog }, question) !== undefined);
}

/** Orders suggestions: first those that a person can act on and that give the requested version. */
const ORDER: readonly Suggestion['change'][] = [
  'selector',
  'range',
  'package',
  'dependencies',
  'narrow',
  'otherPackage',
  'awaitPackage',
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
  'anyCatalog',
  'ignoreDependencies',
];

/** Changes that help less than any other one. */
const LAST_RESORTS: ReadonlySet<Suggestion['change']> = new Set(['anyCatalog', 'ignoreDependencies']);

/** Suggestions without duplicates, in the order of reporting; the last resort only if there is nothing else. */
export function distinct(suggestions: readonly Suggestion[]): readonly Suggestion[] {
  const byContent = new Map(suggestions.map((one) => [JSON.stringify(one), one]));
  const sorted = [...byContent.values()].sort(compareSuggestions);
  const better = sorted.filter(({ change }) => !LAST_RESORTS.has(change));
  return better.length > 0 ? better : sorted;
}

function compareSuggestions(a: Suggestion, b: Suggestion): number {
  return Number(stays(a)) - Number(stays(b)) || ORDER.indexOf(a.change) - ORDER.indexOf(b.change);
}

function stays(suggestion: Suggestion): boolean {
  if (suggestion.change === 'together') return suggestion.of.some(stays);
  return 'stays' in suggestion && suggestion.stays;
}
