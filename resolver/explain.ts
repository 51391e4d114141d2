/**
 * Writes the sentences for a decision: conditions, events and commands say the same thing in the same words. A sentence
 * depends on the data of the decision alone, so it stays the same as long as nothing changes.
 */
import { redact } from '../api/errors.ts';
import type { Reason } from '../api/reasons.ts';
import type { CatalogChange, Choice, Decision, DependencyStep, OpenShiftLimit, Refusal } from './decision.ts';
import type { Hop } from './paths.ts';
import { describeCause, describeFacts, describeSuggestions, list, quote } from './sentences.ts';

export { describeCause } from './sentences.ts';

/** A decision in words. */
export interface Explanation {
  readonly reason: Reason;
  readonly message: string;
  /** Advice to the reader. */
  readonly hint?: string;
}

/** The decision about a package as reason, message and hint. */
export function explainDecision(decision: Decision, packageName: string): Explanation {
  return decision.kind === 'none' ? explainRefusal(decision, packageName) : explainChoice(decision);
}

/** Why a version, or a bundle named by its name, is not chosen; one sentence for each bundle that it names. */
export function explainWhyNot(decision: Decision, version: string): readonly string[] {
  return decision.refused
    .filter((one) => one.version === version || one.bundle === version)
    .map((one) => redact(`${one.bundle} is not chosen: ${describeCause(one.cause)}`));
}

/** Each hop of a path: the edge that allows it, and why it cannot be left out. */
export function explainPath(path: readonly Hop[]): readonly string[] {
  return path.map((hop) =>
    redact(`${hop.bundle} (${hop.version}): ${[...describeEdge(hop), ...describeNeed(hop)].join('; ')}`),
  );
}

function explainRefusal({ reason, because, suggestions }: Refusal, packageName: string): Explanation {
  const isContradiction = because.length > 1 && because.every(({ kind }) => kind !== 'package');
  const lead = isContradiction ? 'these cannot hold together: ' : '';
  const hint = describeSuggestions(suggestions);
  return {
    reason,
    message: redact(`Package ${quote(packageName)}: ${lead}${describeFacts(because)}`),
    ...(hint !== undefined && { hint: redact(hint) }),
  };
}

function explainChoice(choice: Choice): Explanation {
  const { kind, bundle, next, catalog, channel, path } = choice;
  const further = path.length > 1 ? `, the first of ${path.length} steps to ${bundle.name}` : '';
  const from = `channel ${quote(channel)} of catalog ${catalog}`;
  const lead =
    kind === 'upToDate' ? `${bundle.name} is the newest that ${from} allows` : `${next.name} from ${from}${further}`;
  const message = [lead, ...remarksOn(choice)].join('; ');
  const reason = kind === 'upToDate' ? 'UpToDate' : kind === 'install' ? 'Installing' : 'UpgradeAvailable';
  return { reason, message: redact(message) };
}

/**
 * Remarks that a reader must not miss: a move to another catalog, a downgrade, a limit of OpenShift that is reached, a head that
 * is not chosen, a tie between catalogs.
 */
function remarksOn(choice: Choice): readonly string[] {
  const { catalogChange, head, bundle, openShift } = choice;
  const again = choice.refused.find(({ cause }) => cause.kind === 'publishedAgain');
  const passedOver = choice.refused.find((one) => one.bundle === head?.name && one.catalog === choice.catalog);
  return [
    ...(choice.downgrade ? [`it ${describeDowngrade(choice)}`] : []),
    ...(catalogChange === undefined ? [] : [`it moves ${describeCatalogChange(catalogChange)}`]),
    ...(openShift === undefined ? [] : [`it ${describeOpenShift(openShift)}`]),
    ...(passedOver === undefined || head?.name === bundle.name
      ? []
      : [`the head ${passedOver.bundle} is not chosen: ${describeCause(passedOver.cause)}`]),
    ...(again === undefined
      ? []
      : [`the ${again.version} that the catalog has under this name is not chosen: ${describeCause(again.cause)}`]),
    ...choice.dependencies.flatMap(describeTie),
  ];
}

/** The limit of a bundle: `supports OpenShift up to 4.18, and the cluster has 4.18.3`. */
export function describeOpenShift({ upTo, has }: OpenShiftLimit): string {
  return redact(`supports OpenShift up to ${upTo}, and the cluster has ${has}`);
}

/** The move to another catalog and its cause: `from catalog b instead of a, because …`. */
export function describeCatalogChange({ from, to, why }: CatalogChange): string {
  return redact(`from catalog ${to} instead of ${from}, because ${WHY_CHANGED[why](from, to)}`);
}

const WHY_CHANGED: Readonly<Record<CatalogChange['why'], (from: string, to: string) => string>> = {
  named: (_, to) => `the spec names ${to}`,
  notSelected: (from) => `the spec does not select ${from}`,
  lacking: (from) => `${from} no longer has the package`,
  gone: (from) => `there is no catalog ${from} any more`,
};

/** Describes a downgrade: `goes down from X to Y`. */
export function describeDowngrade({
  installed = 'what is installed',
  next,
}: Pick<Choice, 'installed' | 'next'>): string {
  return redact(`goes down from ${installed} to ${next.name}`);
}

function describeTie({ bundle, catalog, tiedWith = [] }: DependencyStep): readonly string[] {
  return tiedWith.length === 0
    ? []
    : [
        `${bundle.name} is taken from catalog ${catalog}, as its name comes before ${list(tiedWith)} of the same priority`,
      ];
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
