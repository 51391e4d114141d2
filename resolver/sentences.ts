/** Writes the clauses of explanations: one for each cause, fact and suggestion of a decision. */
import { nameFirst, nameSome } from '../api/name-some.ts';
import { GROUP } from '../api/names.ts';
import type { GroupVersionKind } from '../catalog/model.ts';
import type { Need } from './dependencies/requirements.ts';
import type { Cause, Conflict, RefusedCandidate, SkipRangeAtFault, Suggestion } from './decision.ts';

/** A table with a sentence for each member of a tagged union, by its tag. */
type Sentences<Union extends Readonly<Record<Tag, string>>, Tag extends keyof Union> = {
  readonly [Value in Union[Tag]]: (one: Extract<Union, Readonly<Record<Tag, Value>>>) => string;
};

/** The sentence for one member: its own tag chooses the entry, so that the entry takes this member. */
function sentenceFor<Value extends string>(
  one: Cause | Suggestion | Conflict,
  tag: Value,
  table: Readonly<Record<Value, (one: never) => string>>,
): string {
  return table[tag](one as never);
}

/** Longest list that is written out; longer ones end with a count. */
const MAX_LISTED = 8;

/** Why one bundle is not chosen, as the end of a sentence. */
export function describeCause(cause: Cause): string {
  return sentenceFor(cause, cause.kind, CAUSES);
}

const CAUSES: Sentences<Cause, 'kind'> = {
  invalidVersion: ({ problem }) => `its version cannot be read: ${problem}`,
  otherChannel: ({ channels }) =>
    channels.length === 0 ? 'no channel has it' : `it is only in ${plural('channel', channels)}`,
  outOfRange: ({ range }) => `it is not in the range ${quote(range)}`,
  quarantined: () => 'it failed before and is quarantined',
  kubernetesTooOld: ({ has, needs }) => `it needs Kubernetes ${needs} and the cluster has ${has}`,
  requirementInvalid: ({ problem }) => `its dependencies cannot be parsed: ${problem}`,
  dependency: ({ because }) =>
    because.some(isWay) ? describeFacts(because) : `its dependencies cannot be satisfied: ${describeFacts(because)}`,
  noPath: ({ from }) => `no edges lead to it from ${from}`,
  wayBarred: ({ from, over }) => `the way to it from ${from} is barred: ${list(over.map(describeRefused), '; ')}`,
  downgrade: ({ from }) => `it is lower than ${from}, and following the graph never goes down`,
  deprecated: ({ message }) => `it is deprecated: ${message}`,
  notHead: ({ head }) => `${head} supersedes it in its channel`,
  lower: ({ than }) => `${than} is preferred`,
  publishedAgain: ({ cause }) =>
    `it has another content than the installed bundle of this name, and ${describeCause(cause)}`,
  otherCatalog: ({ catalog, why }) => describeOtherCatalog(why, catalog),
};

/** Most changes that one message suggests. */
const MAX_SUGGESTED = 3;

/** The first few changes that would help, as alternatives; undefined if there is none. */
export function describeSuggestions(suggestions: readonly Suggestion[]): string | undefined {
  if (suggestions.length === 0) return undefined;
  return joinInstructions(suggestions.slice(0, MAX_SUGGESTED).map(describeSuggestion), '; or ');
}

/** Instructions as one sentence. */
function joinInstructions([first = '', ...others]: readonly string[], joint: string): string {
  return [first, ...others.map((text) => text.charAt(0).toLowerCase() + text.slice(1))].join(joint);
}

/** A change that would help, as an instruction. */
function describeSuggestion(suggestion: Suggestion): string {
  return sentenceFor(suggestion, suggestion.change, SUGGESTIONS);
}

const SUGGESTIONS: Sentences<Suggestion, 'change'> = {
  selector: () => 'Use In, NotIn, Exists or DoesNotExist with keys and values that labels may have',
  channel: (one) => `Set channel to ${quote(one.channel)}, which ${gives(one)}`,
  version: ({ stays, version }) => `Let version include ${version}${stays === true ? ', which is installed' : ''}`,
  anyVersion: ({ gives }) => `Remove version, which keeps ${gives}`,
  edges: ({ gives, lower }) =>
    lower
      ? `Set edges to Ignore to go down to ${gives}`
      : `Set edges to Ignore to install ${gives} without following the graph`,
  release: ({ bundles }) => `Release ${list(bundles)} from quarantine by asking for a reconcile`,
  edge: ({ channel, from, into }) =>
    `Let ${into} in channel ${quote(channel)} of the catalog accept ${from} by replaces, skips or skipRange`,
  catalog: describeCatalogs,
  anyCatalog: () =>
    'Create a Catalog that has the package; if there is one, see whether its allowedNamespaces or catalogSelector leaves it out',
  wait: ({ catalog, unreadable }) =>
    unreadable === true
      ? `See why catalog ${catalog} cannot be read: kubectl describe catalogs.${GROUP} ${catalog}`
      : `Wait until the catalog ${catalog} has content`,
  package: ({ packages }) => `Set package to ${packages.map(quote).join(' or ')}`,
  range: ({ offered }) => describeRangeGrammar(offered),
  goDown: ({ version }) => `Set version to ${version}, although it is lower`,
  together: ({ of }) => joinInstructions(of.map(describeSuggestion), ', and '),
  narrow: () =>
    'Install its dependencies by Subscriptions of their own, or set dependencies to Ignore, so that there is less to search',
  dependencies: () => 'Set dependencies to Install',
  otherPackage: ({ package: name, range, subscription }) =>
    `Bring ${name}${bySubscription(subscription)} to a version in ${quote(range)}`,
  awaitPackage: ({ package: name, bundle, subscription }) =>
    `Wait until ${name} has been upgraded to ${bundle}${bySubscription(subscription)}`,
  removePackage: ({ package: name, subscription }) =>
    `Uninstall ${name}${subscription === undefined ? '' : `, installed${bySubscription(subscription)}`}`,
  ignoreDependencies: ({ bundle }) => `Set dependencies to Ignore to install ${bundle} without its dependencies`,
  cluster: ({ kubernetes }) => `Upgrade the cluster to Kubernetes ${kubernetes}`,
  offer: ({ need }) => `Add a catalog that has ${describeRequired(need)}`,
};

function gives({ gives: version, stays }: { readonly gives: string; readonly stays?: boolean }): string {
  return stays === true ? `has the installed ${version}` : `gives ${version}`;
}

function describeCatalogs({
  catalogs,
  gives: version,
  insteadOfSelector,
  stays,
}: Extract<Suggestion, { change: 'catalog' }>): string {
  const instead = insteadOfSelector === true ? ' instead of catalogSelector' : '';
  const what = version === undefined ? '' : `, which ${gives({ gives: version, ...(stays === true && { stays }) })}`;
  return `Set catalog to ${catalogs.slice(0, MAX_LISTED).join(' or ')}${instead}${what}`;
}

/** One fact of a refusal, as a clause. */
export function describeConflict(conflict: Conflict): string {
  return sentenceFor(conflict, conflict.kind, CONFLICTS);
}

const CONFLICTS: Sentences<Conflict, 'kind'> = {
  selector: ({ problem }) => `the catalog selector is invalid: ${problem}`,
  version: ({ offered = [], problem, range }) =>
    problem === undefined
      ? `the version must be in ${quote(range)}${describeOffered(offered)}`
      : `the version range ${quote(range)} cannot be parsed: ${problem}`,
  channel: describeChannel,
  edges: describeEdges,
  downgrade: ({ installed, version, channel }) =>
    channel === undefined
      ? `the installed ${nameVersion(installed, version)} is not in the catalog, and every bundle that the catalog has is lower`
      : `the installed ${nameVersion(installed, version)} is not in the default channel ${quote(channel)}, and every bundle of that channel is lower`,
  quarantined: ({ bundles }) => `${list(bundles)} failed before and ${bundles.length === 1 ? 'is' : 'are'} quarantined`,
  cluster: ({ causes }) => list(causes.map(describeRefused), '; '),
  dependency: ({ because, bundle, problem }) => {
    if (problem !== undefined) return `the dependencies of ${bundle} cannot be parsed: ${problem}`;
    const facts = describeFacts(because);
    return because.some(isWay) ? facts : `the dependencies of ${bundle} cannot be satisfied: ${facts}`;
  },
  package: ({ catalogs }) =>
    catalogs.length === 0
      ? 'there is no catalog to search'
      : `${plural('catalog', catalogs)} ${catalogs.length === 1 ? 'does' : 'do'} not have it`,
  noBundles: ({ catalogs, problem }) =>
    `${plural('catalog', catalogs)} ${catalogs.length === 1 ? 'has' : 'have'} no bundle of it that can be installed` +
    (problem === undefined ? '' : ` (${problem})`),
  catalog: describeCatalog,
  requires: describeRequires,
  keeps: ({ bundle, movable, suspended, subscription }) =>
    `${bundle} is installed${bySubscription(subscription)} and ${movable ? (suspended === true ? 'does not move while that is suspended' : 'moves only along its graph, as its spec allows') : 'is not changed for another package'}`,
  provider: ({ gvk, packages }) => `only one package may provide ${describeKind(gvk)} (here ${list(packages)})`,
  barred: ({ causes }) => list(causes.map(describeRefused), '; '),
  mustBeThere: () => 'dependencies must be there already',
  way: describeWay,
  hiddenWay: ({ subscription }) =>
    `it waits for an upgrade of Subscription ${subscription}, which acts with an administrator's rights`,
  effort: ({ why }) =>
    why === 'tooLarge' ? 'there are too many bundles to consider' : 'the search for a way takes too long',
  ambiguous: ({ offers, priority }) =>
    `${offers.map(({ catalog, version }) => `${catalog} (${version})`).join(' and ')} offer it with the same priority ${priority}`,
};

/** Facts one after another; those beyond a readable number are counted. */
export function describeFacts(facts: readonly Conflict[]): string {
  return nameFirst(facts.slice(0, MAX_LISTED).map(describeConflict), facts.length, '; ');
}

function describeOffered(versions: readonly string[]): string {
  return versions.length === 0 ? '' : ` (there ${be(versions)}: ${list(versions)})`;
}

function describeRangeGrammar(offered: readonly string[]): string {
  const there = offered.length === 0 ? '' : `; there ${be(offered)}: ${list(offered)}`;
  return `Write a version as 1.2.3, or a range as ~1.2, ^1.2, 1.x, 1.2 - 1.4 or >=1.2.0 <2.0.0, and several of them with ||${there}`;
}

function describeChannel({ channel, byDefault, exists, channels }: Extract<Conflict, { kind: 'channel' }>): string {
  if (exists) return `the channel is ${quote(channel)}${byDefault ? ', the default' : ''}`;
  const there = channels.length === 0 ? 'none' : list(channels.map(quote));
  if (byDefault && channel === '')
    return `the package has no default channel and the spec names none (there ${be(channels)}: ${there})`;
  return `the package has no channel ${quote(channel)}${byDefault ? ', its default' : ''} (there ${be(channels)}: ${there})`;
}

function be(items: readonly string[]): string {
  return items.length === 1 ? 'is' : 'are';
}

function describeRequires({ package: name, bundles, need, offered }: Extract<Conflict, { kind: 'requires' }>): string {
  const who = bundles.length === 1 ? (bundles[0] ?? name) : `${name} (${bundles.length} versions)`;
  const there =
    need.kind !== 'package'
      ? ''
      : offered.length === 0
        ? ', which no catalog has'
        : ` (there ${be(offered)}: ${list(offered)})`;
  return `${who} needs ${describeRequired(need)}${there}`;
}

/** A requirement, as the object of a sentence. */
export function describeRequired(need: Need): string {
  const message = need.message === undefined ? '' : ` (${need.message})`;
  switch (need.kind) {
    case 'package':
      return `${need.package} in ${quote(need.range)}${message}`;
    case 'gvk':
      return `a provider of ${describeKind(need.gvk)}${message}`;
    case 'cel':
      return `a bundle with ${need.rule}${message}`;
    default:
      return `${COMPOUND[need.kind]} of (${list(need.of.map(describeRequired))})${message}`;
  }
}

const COMPOUND = { all: 'all', any: 'any', not: 'none' } as const;

function describeKind({ group, version, kind }: GroupVersionKind): string {
  return `${kind}.${version}${group === '' ? '' : `.${group}`}`;
}

function bySubscription(subscription: string | undefined): string {
  return subscription === undefined ? '' : ` by Subscription ${subscription}`;
}

function describeEdges(conflict: Extract<Conflict, { kind: 'edges' }>): string {
  const { version, skipRanges = [] } = conflict;
  return [describeWays(conflict), ...skipRanges.map((one) => describeSkipRange(one, version))].join(', and ');
}

function describeSkipRange({ bundle, range, problem }: SkipRangeAtFault, installed: string): string {
  return problem === undefined
    ? `the skipRange ${quote(range)} of ${bundle} does not include ${installed}`
    : `the skipRange ${quote(range)} of ${bundle} has no effect, as it cannot be parsed: ${problem}`;
}

function describeWays(conflict: Extract<Conflict, { kind: 'edges' }>): string {
  const { known, lowerOnly, channel, reaches, barredWay } = conflict;
  const what = nameVersion(conflict.installed, conflict.version);
  if (lowerOnly) return `${what} is installed, and following the graph never goes down`;
  const edges = channel === undefined ? 'edges' : `edges of channel ${quote(channel)}`;
  const from = known ? `from the installed ${what}` : `from the installed ${what}, which is not in the catalog,`;
  if (barredWay !== undefined && barredWay.over.length > 0)
    return `${from} ${edges} lead to ${barredWay.to} only over ${list(barredWay.over)}`;
  if (reaches.length > 0) return `${from} ${edges} lead only to ${list(reaches)}`;
  return known
    ? `no ${edges} lead on from the installed ${what}`
    : `the installed ${what} is not in the catalog, and no ${edges} lead on from it`;
}

function nameVersion(bundle: string, version: string): string {
  return bundle.endsWith(version) ? bundle : `${bundle} (${version})`;
}

function describeCatalog({ catalog, state, message, role }: Extract<Conflict, { kind: 'catalog' }>): string {
  if (state === 'Missing')
    return role === 'origin'
      ? `its catalog of origin ${catalog} does not exist any more`
      : `there is no catalog ${catalog}`;
  if (state === 'NotAllowed') {
    const origin = role === 'origin' ? 'its catalog of origin' : 'catalog';
    return `${origin} ${catalog} may not be used in this namespace${message === undefined ? '' : `: ${message}`}`;
  }
  const why = message === undefined ? '' : ` (${message})`;
  if (role === 'origin') return `its catalog of origin ${catalog} has no content yet${why}`;
  if (role === 'mayHave') return `catalog ${catalog} could not be read, and may have it${why}`;
  if (role === 'precedence') return `catalog ${catalog} takes precedence and has no content yet${why}`;
  return `catalog ${catalog} has no content yet${why}`;
}

function isWay({ kind }: Conflict): boolean {
  return kind === 'way' || kind === 'hiddenWay';
}

/** Says how the wait ends by itself, and how a person ends it. */
function describeWay({ bundle, subscription, to, step, need }: Extract<Conflict, { kind: 'way' }>): string {
  const over = step === to ? '' : ` over ${step}`;
  return `it waits for Subscription ${subscription}, which goes on to ${to}${over}: ${step} needs ${describeRequired(need)}, and no edges lead from ${bundle} to that. The wait ends when that step is made; to end it now, exclude the step by spec.version of Subscription ${subscription}, or suspend it`;
}

function describeRefused({ bundle, cause }: RefusedCandidate): string {
  return `${bundle}: ${describeCause(cause)}`;
}

function describeOtherCatalog(why: 'priority' | 'identical' | 'deprecated', catalog: string): string {
  switch (why) {
    case 'priority':
      return `catalog ${catalog} has a higher priority`;
    case 'identical':
      return `catalog ${catalog} offers the same`;
    default:
      return `catalog ${catalog} offers one that is not deprecated`;
  }
}

function plural(noun: string, items: readonly string[]): string {
  return `${noun}${items.length === 1 ? '' : 's'} ${list(items)}`;
}

/** Items one after another; those beyond a readable number are counted. */
export function list(items: readonly string[], separator: ', ' | '; ' = ', '): string {
  return nameSome(items, MAX_LISTED, separator);
}

/** A text from a spec or a catalog, as a person would type it. */
export function quote(text: string): string {
  return JSON.stringify(text);
}
