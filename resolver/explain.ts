/**
 * Writes the sentences for a decision: conditions, events, `why` and `why-not` say the same thing in the same words.
 * A sentence depends on the decision's data alone, so it stays the same for as long as nothing changes.
 */
import { redact } from '../api/errors.ts';
import type { Reason } from '../api/reasons.ts';
import type { Cause, Choice, Conflict, Decision, Refusal, RefusedCandidate, Suggestion } from './decision.ts';
import type { Hop } from './paths.ts';

/** A decision in words. */
export interface Explanation {
  readonly reason: Reason;
  readonly message: string;
  /** What the reader can do. */
  readonly hint?: string;
}

/** Longest list that is written out; longer ones end with a count. */
const MAX_LISTED = 8;

/** The decision about a package as reason, message and hint. */
export function explainDecision(decision: Decision, packageName: string): Explanation {
  return decision.kind === 'none' ? explainRefusal(decision, packageName) : explainChoice(decision);
}

/** Why a version (or a bundle, by name) is not chosen, one sentence for each bundle that it names. */
export function explainWhyNot(decision: Decision, version: string): readonly string[] {
  return decision.refused
    .filter((one) => one.version === version || one.bundle === version)
    .map((one) => redact(`${one.bundle} is not chosen: ${describeCause(one.cause)}`));
}

/** Each hop of a path, with the edge that allows it and why it cannot be left out. */
export function explainPath(path: readonly Hop[]): readonly string[] {
  return path.map((hop) =>
    redact(`${hop.bundle} (${hop.version}): ${[...describeEdge(hop), ...describeNeed(hop)].join('; ')}`),
  );
}

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
      return `what it depends on cannot be read: ${cause.problem}`;
    case 'dependency':
      return `what it depends on cannot be had: ${cause.because.map(describeConflict).join('; ')}`;
    case 'noPath':
      return `no edges lead to it from ${cause.from}`;
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

/** A change that would help, as an instruction. */
export function describeSuggestion(suggestion: Suggestion): string {
  switch (suggestion.change) {
    case 'channel':
      return `Set channel to ${quote(suggestion.channel)}, which gives ${suggestion.gives}`;
    case 'version':
      return `Let version include ${suggestion.version}`;
    case 'edges':
      return suggestion.lower
        ? `Set edges to Ignore to go down to ${suggestion.gives}`
        : `Set edges to Ignore to install ${suggestion.gives} although no edges lead there`;
    case 'release':
      return `Release ${suggestion.bundle} from quarantine`;
    case 'catalog':
      return `Set catalog to ${suggestion.catalogs.slice(0, MAX_LISTED).join(' or ')}`;
    default:
      return `Wait until the catalog ${suggestion.catalog} has content`;
  }
}

/** One fact of a "no", as a clause. */
export function describeConflict(conflict: Conflict): string {
  switch (conflict.kind) {
    case 'version':
      return conflict.problem === undefined
        ? `the version must be in ${quote(conflict.range)}`
        : `the version range ${quote(conflict.range)} cannot be parsed: ${conflict.problem}`;
    case 'channel':
      return describeChannel(conflict);
    case 'edges':
      return describeEdges(conflict);
    case 'quarantined':
      return `${list(conflict.bundles)} failed before and ${conflict.bundles.length === 1 ? 'is' : 'are'} quarantined`;
    case 'cluster':
      return list(conflict.causes.map(describeRefused), '; ');
    case 'dependency':
      return `what ${conflict.bundle} depends on cannot be had: ${conflict.because.map(describeConflict).join('; ')}`;
    case 'package':
      return conflict.catalogs.length === 0
        ? 'there is no catalog to search'
        : `${plural('catalog', conflict.catalogs)} ${conflict.catalogs.length === 1 ? 'does' : 'do'} not have it`;
    case 'noBundles':
      return `${plural('catalog', conflict.catalogs)} ${conflict.catalogs.length === 1 ? 'has' : 'have'} no bundle of it that can be installed`;
    case 'catalog':
      return describeCatalog(conflict);
    default:
      return `${conflict.offers.map(({ catalog, version }) => `${catalog} (${version})`).join(' and ')} offer it with the same priority ${conflict.priority}`;
  }
}

function explainRefusal({ reason, because, suggestions }: Refusal, packageName: string): Explanation {
  const facts = because.map(describeConflict);
  const lead = because.length > 1 ? 'these cannot hold together: ' : '';
  const [first] = suggestions;
  return {
    reason,
    message: redact(`Package ${quote(packageName)}: ${lead}${facts.join('; ')}`),
    ...(first !== undefined && { hint: redact(describeSuggestion(first)) }),
  };
}

function explainChoice({ kind, bundle, next, catalog, channel, path, catalogChange }: Choice): Explanation {
  if (kind === 'upToDate')
    return {
      reason: 'UpToDate',
      message: redact(`${bundle.name} is the newest that channel ${quote(channel)} of catalog ${catalog} allows`),
    };
  const further = path.length > 1 ? `, the first of ${path.length} steps to ${bundle.name}` : '';
  const moved = catalogChange === undefined ? '' : `; catalog ${catalogChange.from} no longer has the package`;
  const message = `${next.name} from channel ${quote(channel)} of catalog ${catalog}${further}${moved}`;
  return { reason: kind === 'install' ? 'Installing' : 'UpgradeAvailable', message: redact(message) };
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

function describeEdges({ installed, version, known, lowerOnly }: Extract<Conflict, { kind: 'edges' }>): string {
  const what = installed.endsWith(version) ? installed : `${installed} (${version})`;
  if (lowerOnly) return `${what} is installed, and following the graph never goes down`;
  return known
    ? `no edges lead on from the installed ${what}`
    : `the installed ${what} is not in the catalog, and no edges lead on from it`;
}

function describeCatalog({ catalog, state, message, role }: Extract<Conflict, { kind: 'catalog' }>): string {
  if (state === 'Missing') return `there is no catalog ${catalog}`;
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

function describeEdge({ edge }: Hop): readonly string[] {
  if (edge === undefined) return ['chosen without an edge'];
  if (edge.kind === 'skipRange') return [`its skipRange ${quote(edge.range)} accepts what is before it`];
  return [edge.kind === 'replaces' ? 'it replaces what is before it' : 'it skips what is before it'];
}

function describeNeed({ neededBetween }: Hop): readonly string[] {
  return neededBetween === undefined
    ? []
    : [`it cannot be left out, as ${neededBetween.to} does not accept ${neededBetween.from}`];
}

function plural(noun: string, items: readonly string[]): string {
  return `${noun}${items.length === 1 ? '' : 's'} ${list(items)}`;
}

function list(items: readonly string[], separator = ', '): string {
  const more = items.length - MAX_LISTED;
  return `${items.slice(0, MAX_LISTED).join(separator)}${more > 0 ? ` and ${more} more` : ''}`;
}

function quote(text: string): string {
  return JSON.stringify(text);
}
