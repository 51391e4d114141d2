/**
 * Reports how one version stands in a decision: chosen, on the way, or not; then why not, at its shortest, and which
 * changes would help. `slipway why` and `why-not` call it. Every change that it reports has been tried: the same
 * resolution runs with the version pinned, and then with each suggested change, with and without the pin.
 */
import { redact } from '../api/errors.ts';
import { graphIn } from './catalogs.ts';
import type { Choice, Decision, Suggestion } from './decision.ts';
import { explainDecision, explainWhyNot } from './explain.ts';
import { compareHighestFirst, type GraphBundle } from './graph.ts';
import type { ResolveInput, Wanted } from './input.ts';
import { resolve } from './resolve.ts';
import { describeSuggestions, list, quote } from './sentences.ts';

/** How a version stands, with sentences if there is something to say. */
export interface VersionExplanation {
  /**
   * Chosen: the path ends at it. OnTheWay: the path leads over it. Installed: it is installed, but not chosen.
   * NotOffered: no catalog has it. Refused: a catalog has it.
   */
  readonly standing: 'Chosen' | 'OnTheWay' | 'Installed' | 'NotOffered' | 'Refused';
  /** Why it is not chosen, one sentence for each bundle of that version; empty if it is chosen or on the way. */
  readonly causes: readonly string[];
  /** Changes that would make it the chosen one, as instructions, the smallest first; each of them is enough. */
  readonly changes: readonly string[];
}

/** How a version, or a bundle by its name, stands in the decision that `resolve(input)` has given. */
export function explainVersion(input: ResolveInput, decision: Decision, asked: string): VersionExplanation {
  const offered = listBundles(input);
  const meant = offered.filter(({ bundle }) => isMeant(bundle.name, bundle.bundle.version, asked));
  const standing = standingOf({ input, decision, asked }, meant);
  if (standing === 'Chosen' || standing === 'OnTheWay') return { standing, causes: [], changes: [] };
  if (standing === 'NotOffered') return { standing, ...explainAbsence({ input, decision, asked }, offered) };
  const causes = explainWhyNot(decision, asked);
  return {
    standing,
    causes: causes.length > 0 ? causes : explainUnlisted({ input, decision, asked }, meant),
    changes: findChanges(input, meant).map(redact),
  };
}

interface AskedVersion {
  readonly input: ResolveInput;
  readonly decision: Decision;
  readonly asked: string;
}

interface OfferedBundle {
  readonly catalog: string;
  readonly bundle: GraphBundle;
}

function listBundles({ wanted, catalogs }: ResolveInput): readonly OfferedBundle[] {
  return catalogs.flatMap((source) => {
    const bundles = graphIn(source, wanted.package)?.bundles.values() ?? [];
    return [...bundles].map((bundle) => ({ catalog: source.name, bundle }));
  });
}

function isMeant(name: string, version: string, asked: string): boolean {
  return version === asked || name === asked;
}

function standingOf(
  { input: { installed }, decision, asked }: AskedVersion,
  meant: readonly OfferedBundle[],
): VersionExplanation['standing'] {
  if (decision.kind !== 'none') {
    const { bundle, path } = decision;
    if (isMeant(bundle.name, bundle.version, asked)) return 'Chosen';
    if (path.some((hop) => isMeant(hop.bundle, hop.version, asked))) return 'OnTheWay';
  }
  if (installed !== undefined && isMeant(installed.bundle, installed.version, asked)) return 'Installed';
  return meant.length === 0 ? 'NotOffered' : 'Refused';
}

type Told = Pick<VersionExplanation, 'causes' | 'changes'>;

/** If no catalog has the package, or the spec is invalid, every version of it has that answer. */
function explainAbsence({ input: { wanted }, decision, asked }: AskedVersion, offered: readonly OfferedBundle[]): Told {
  if (offered.length === 0 && decision.kind === 'none') {
    const { message, hint } = explainDecision(decision, wanted.package);
    return { causes: [message], changes: hint === undefined ? [] : [hint] };
  }
  const versions = offered.map(({ bundle }) => bundle).toSorted(compareHighestFirst);
  const there = list([...new Set(versions.map(({ bundle }) => bundle.version))]);
  return {
    causes: [redact(`no catalog has ${quote(asked)} of package ${quote(wanted.package)} (there are: ${there})`)],
    changes: [],
  };
}

/** Explains bundles that a decision has no cause for: the installed one, and those of catalogs that were not read. */
function explainUnlisted({ input, decision, asked }: AskedVersion, meant: readonly OfferedBundle[]): readonly string[] {
  if (decision.kind === 'none') return [explainDecision(decision, input.wanted.package).message];
  const { installed } = input;
  if (installed !== undefined && isMeant(installed.bundle, installed.version, asked))
    return [redact(`${installed.bundle} is installed, and ${decision.next.name} follows it`)];
  return meant.map(({ catalog, bundle }) =>
    redact(`${bundle.name} is not chosen: only catalog ${catalog} has it, and ${whyThere(decision, input)}`),
  );
}

function whyThere({ catalog }: Choice, { installed }: ResolveInput): string {
  return installed?.catalog === catalog
    ? `the installed version stays with catalog ${catalog}`
    : `catalog ${catalog} goes before it`;
}

function findChanges(input: ResolveInput, meant: readonly OfferedBundle[]): readonly string[] {
  const version = meant[0]?.bundle.bundle.version;
  if (version === undefined) return [];
  const names = new Set(meant.map(({ bundle }) => bundle.name));
  const isChosen = (changed: ResolveInput): boolean => {
    const decision = resolve(changed);
    return decision.kind !== 'none' && names.has(decision.bundle.name);
  };
  const pinned = resolve(pin(input, version));
  if (pinned.kind !== 'none') return isChosen(pin(input, version)) ? [`Set version to ${version}`] : [];
  const describe = (suggestion: Suggestion): readonly string[] => {
    const reported = describeSuggestions([suggestion]) ?? '';
    const changed = withChange(input, suggestion);
    if (suggestion.change === 'wait' || isChosen(changed)) return [reported];
    return isChosen(pin(changed, version))
      ? [`Set version to ${version}, and ${reported.charAt(0).toLowerCase()}${reported.slice(1)}`]
      : [];
  };
  const single = pinned.suggestions.flatMap(describe);
  return single.length > 0
    ? single
    : (severalChanges(meant, version)
        .map(describe)
        .find((reported) => reported.length > 0) ?? []);
}

/** Most channels that are tried, each by a resolution: an author may put a bundle into any number of them. */
const MOST_CHANNELS = 20;

/** A channel that has the version, together with `edges: Ignore`: the resolver does not try these with a pin. */
function severalChanges(meant: readonly OfferedBundle[], version: string): readonly Suggestion[] {
  const channels = new Set(meant.flatMap(({ bundle }) => bundle.channels));
  return [...channels].slice(0, MOST_CHANNELS).map((channel) => ({
    change: 'together',
    of: [
      { change: 'channel', channel, gives: version },
      { change: 'edges', gives: version, lower: false },
    ],
  }));
}

function pin(input: ResolveInput, version: string): ResolveInput {
  return asking(input, { version });
}

function asking(input: ResolveInput, changes: Partial<Wanted>): ResolveInput {
  return { ...input, wanted: { ...input.wanted, ...changes } };
}

/**
 * The input after a change. A change that others have to make (an edge in a catalog, another package) is replaced by
 * one with the same effect on this package alone.
 */
function withChange(input: ResolveInput, suggestion: Suggestion): ResolveInput {
  switch (suggestion.change) {
    case 'channel':
      return asking(input, { channel: suggestion.channel });
    case 'edges':
    case 'edge':
      return asking(input, { edges: 'Ignore' });
    case 'catalog':
      return naming(input, suggestion.catalogs);
    case 'release':
      return { ...input, quarantined: input.quarantined.filter((one) => !suggestion.bundles.includes(one)) };
    case 'cluster':
      return {
        ...input,
        cluster: { providedKinds: [], ...input.cluster, kubernetesVersion: suggestion.kubernetes },
      };
    case 'dependencies':
      return asking(input, { dependencies: 'Install' });
    case 'ignoreDependencies':
    case 'otherPackage':
    case 'awaitPackage':
    case 'removePackage':
    case 'offer':
    case 'narrow':
      return asking(input, { dependencies: 'Ignore' });
    case 'together':
      return suggestion.of.reduce(withChange, input);
    default:
      return input;
  }
}

function naming(input: ResolveInput, [catalog = '']: readonly string[]): ResolveInput {
  const catalogs = input.catalogs.filter(({ name }) => name === catalog).map((one) => ({ ...one, selected: true }));
  return asking({ ...input, catalogs }, { catalog, catalogSelector: undefined });
}
