/**
 * Writes the sentences for a decision: conditions, events, `why` and `why-not` say the same thing in the same words.
 * A sentence depends on the decision's data alone, so it stays the same for as long as nothing changes.
 */
import { redact } from '../api/errors.ts';
import type { Reason } from '../api/reasons.ts';
import type { Choice, Decision, Refusal } from './decision.ts';
import type { Hop } from './paths.ts';
import { describeCause, describeFacts, describeSuggestion, quote } from './sentences.ts';

export { describeCause } from './sentences.ts';

/** A decision in words. */
export interface Explanation {
  readonly reason: Reason;
  readonly message: string;
  /** What the reader can do. */
  readonly hint?: string;
}

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

function explainRefusal({ reason, because, suggestions }: Refusal, packageName: string): Explanation {
  const isContradiction = because.length > 1 && because.every(({ kind }) => kind !== 'package');
  const lead = isContradiction ? 'these cannot hold together: ' : '';
  const [first] = suggestions;
  return {
    reason,
    message: redact(`Package ${quote(packageName)}: ${lead}${describeFacts(because)}`),
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
