/** The clauses of which explanations are made: one for each cause, fact and suggestion of a decision. */
import type { Need } from './dependencies/requirements.ts';
import type { Cause, Conflict, RefusedCandidate, Suggestion } from './decision.ts';
import type { Kind } from './input.ts';

/** Longest list that is written out; longer ones end with a count. */
const MAX_LISTED = 8;

/** Why one bundle is not chosen, as the end of a sentence. */
export function describeCause(cause: Cause): string {
  switch (cause.kind) {
    case 'invalidVersion':
      return `its version cannot be read: ${cause.problem}`;
    case 'otherChannel':
      return cause.channels.length === 0 ? 'no channel has it' : `it is only in ${plural('channel', cause.channels)}`;
    case 'outOfRange':
      return `it is not in the range ${quote(cause.range)}`;
    case 'quarantined':
      return 'it failed before and is quarantined';
    case 'kubernetesTooOld':
      return `it needs Kubernetes ${cause.needs} and the cluster has ${cause.has}`;
    case 'openShiftTooNew':
      return `it supports OpenShift up to ${cause.upTo} and the cluster has ${cause.has}`;
    case 'requirementInvalid':
      return `its dependencies cannot be read: ${cause.problem}`;
    case 'dependency':
      return `its dependencies cannot be satisfied: ${describeFacts(cause.because)}`;
    case 'noPath':
      return `no edges lead to it from ${cause.from}`;
    case 'wayBarred':
      return `the way to it from ${cause.from} is barred: ${list(cause.over.map(describeRefused), '; ')}`;
    case 'downgrade':
      return `it is lower than ${cause.from}, and following the graph never goes down`;
    case 'deprecated':
      return `it is deprecated: ${cause.message}`;
    case 'notHead':
      return `${cause.head} supersedes it in its channel`;
    case 'lower':
      return `${cause.than} is preferred`;
    default:
      return describeOtherCatalog(cause.why, cause.catalog);
  }
}

/** Most changes that are told at once. */
const MAX_TOLD = 3;

/** The first few changes that would help, as alternatives; undefined where none would. */
export function describeSuggestions(suggestions: readonly Suggestion[]): string | undefined {
  if (suggestions.length === 0) return undefined;
  return joinInstructions(suggestions.slice(0, MAX_TOLD).map(describeSuggestion), '; or ');
}

/** Instructions as one sentence. */
function joinInstructions([first = '', ...others]: readonly string[], joint: string): string {
  return [first, ...others.map((text) => text.charAt(0).toLowerCase() + text.slice(1))].join(joint);
}

/** A change that would help, as an instruction. */
function describeSuggestion(suggestion: Suggestion): string {
  switch (suggestion.change) {
    case 'selector':
      return 'Use In, NotIn, Exists or DoesNotExist with keys and values that labels may have';
    case 'channel':
      return `Set channel to ${quote(suggestion.channel)}, which ${gives(suggestion)}`;
    case 'version':
      return `Let version include ${suggestion.version}${suggestion.stays === true ? ', which is installed' : ''}`;
    case 'anyVersion':
      return `Remove version, which keeps ${suggestion.gives}`;
    case 'edges':
      return suggestion.lower
        ? `Set edges to Ignore to go down to ${suggestion.gives}`
        : `Set edges to Ignore to install ${suggestion.gives} without following the graph`;
    case 'release':
      return `Release ${list(suggestion.bundles)} from quarantine by asking for a reconcile`;
    case 'edge':
      return `Let ${suggestion.into} in channel ${quote(suggestion.channel)} of the catalog accept ${suggestion.from} by replaces, skips or skipRange`;
    case 'catalog':
      return describeCatalogs(suggestion);
    case 'wait':
      return `Wait until the catalog ${suggestion.catalog} has content`;
    case 'goDown':
      return `Set version to ${suggestion.version}, although it is lower`;
    case 'together':
      return joinInstructions(suggestion.of.map(describeSuggestion), ', and ');
    case 'narrow':
      return 'Install what it depends on by Subscriptions of their own, or set dependencies to Ignore, so that there is less to search';
    case 'dependencies':
      return 'Set dependencies to Install';
    case 'otherPackage':
      return `Bring ${suggestion.package}${bySubscription(suggestion.subscription)} to a version in ${quote(suggestion.range)}`;
    case 'removePackage':
      return `Uninstall ${suggestion.package}${suggestion.subscription === undefined ? '' : `, installed${bySubscription(suggestion.subscription)}`}`;
    case 'ignoreDependencies':
      return `Set dependencies to Ignore to install ${suggestion.bundle} without what it depends on`;
    case 'cluster':
      return `Upgrade the cluster to Kubernetes ${suggestion.kubernetes}`;
    default:
      return `Add a catalog that has ${describeRequired(suggestion.need)}`;
  }
}

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

/** One fact of a "no", as a clause. */
export function describeConflict(conflict: Conflict): string {
  switch (conflict.kind) {
    case 'selector':
      return `the catalog selector is invalid: ${conflict.problem}`;
    case 'version':
      return conflict.problem === undefined
        ? `the version must be in ${quote(conflict.range)}`
        : `the version range ${quote(conflict.range)} cannot be parsed: ${conflict.problem}`;
    case 'channel':
      return describeChannel(conflict);
    case 'edges':
      return describeEdges(conflict);
    case 'downgrade':
      return `the installed ${nameVersion(conflict.installed, conflict.version)} is not in the catalog, which has only lower versions`;
    case 'quarantined':
      return `${list(conflict.bundles)} failed before and ${conflict.bundles.length === 1 ? 'is' : 'are'} quarantined`;
    case 'cluster':
      return list(conflict.causes.map(describeRefused), '; ');
    case 'dependency':
      return conflict.problem === undefined
        ? `the dependencies of ${conflict.bundle} cannot be satisfied: ${describeFacts(conflict.because)}`
        : `what ${conflict.bundle} depends on cannot be read: ${conflict.problem}`;
    case 'package':
      return conflict.catalogs.length === 0
        ? 'there is no catalog to search'
        : `${plural('catalog', conflict.catalogs)} ${conflict.catalogs.length === 1 ? 'does' : 'do'} not have it`;
    case 'noBundles':
      return `${plural('catalog', conflict.catalogs)} ${conflict.catalogs.length === 1 ? 'has' : 'have'} no bundle of it that can be installed`;
    case 'catalog':
      return describeCatalog(conflict);
    case 'requires':
      return describeRequires(conflict);
    case 'keeps':
      return `${conflict.bundle} is installed${bySubscription(conflict.subscription)} and ${conflict.movable ? 'moves only along its graph' : 'is not changed for another package'}`;
    case 'provider':
      return `only one package may provide ${describeKind(conflict.gvk)} (here ${list(conflict.packages)})`;
    case 'barred':
      return list(conflict.causes.map(describeRefused), '; ');
    case 'mustBeThere':
      return 'dependencies must be there already';
    case 'effort':
      return conflict.why === 'tooLarge'
        ? 'there are too many bundles to consider'
        : 'the search for a way takes too long';
    default:
      return `${conflict.offers.map(({ catalog, version }) => `${catalog} (${version})`).join(' and ')} offer it with the same priority ${conflict.priority}`;
  }
}

/** Facts one after another; more than a person would read are counted. */
export function describeFacts(facts: readonly Conflict[]): string {
  const more = facts.length - MAX_LISTED;
  const listed = facts.slice(0, MAX_LISTED).map(describeConflict).join('; ');
  return more > 0 ? `${listed}; and ${more} more facts` : listed;
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

function describeRequired(need: Need): string {
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

function describeKind({ group, version, kind }: Kind): string {
  return `${kind}.${version}${group === '' ? '' : `.${group}`}`;
}

function bySubscription(subscription: string | undefined): string {
  return subscription === undefined ? '' : ` by Subscription ${subscription}`;
}

function describeEdges(conflict: Extract<Conflict, { kind: 'edges' }>): string {
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
  if (state === 'Missing') return `there is no catalog ${catalog}`;
  if (state === 'NotAllowed') {
    const origin = role === 'origin' ? 'its catalog of origin' : 'catalog';
    return `${origin} ${catalog} may not be used in this namespace${message === undefined ? '' : `: ${message}`}`;
  }
  const why = message === undefined ? '' : ` (${message})`;
  if (role === 'origin') return `its catalog of origin ${catalog} has no content yet${why}`;
  if (role === 'precedence') return `catalog ${catalog} takes precedence and has no content yet${why}`;
  return `catalog ${catalog} has no content yet${why}`;
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

/** Items one after another; more than a person would read are counted. */
export function list(items: readonly string[], separator = ', '): string {
  const more = items.length - MAX_LISTED;
  return `${items.slice(0, MAX_LISTED).join(separator)}${more > 0 ? ` and ${more} more` : ''}`;
}

/** A text from a spec or a catalog, as it is to be typed. */
export function quote(text: string): string {
  return JSON.stringify(text);
}
