/**
 * Finds the versions of a package whose users are stranded: installed versions from which no upgrade leads to the head of
 * their channel, ways that other tools do not take, and images whose content can change. `slipway catalog lint` calls
 * it with catalogs that follow the rules of the format. Pure.
 */
import type { CatalogPackage } from '../catalog/model.ts';
import { waysIn, type Ways } from './channel-ways.ts';
import { comparePreference, upgradeGraph, type ChannelGraph, type GraphBundle, type GraphEntry } from './graph.ts';

/** Every finding of a lint, with its rule. */
export const LINT_RULES = {
  'dead-end': 'From every version but the head an upgrade leads to another one.',
  'unreachable-head': 'From every version a way of upgrades leads to the head.',
  'skipped-way': 'The way to the head uses no version that another one skips.',
  'gone-version': 'Every version that is replaced is in the catalog, but for the oldest.',
  'low-head': 'The head of a channel is its highest version.',
  'unpinned-image': 'Images are named by digest.',
} as const;

export interface LintFinding {
  readonly level: 'error' | 'warning';
  readonly rule: keyof typeof LINT_RULES;
  readonly package: string;
  /** Absent for findings about images. */
  readonly channel?: string;
  readonly bundle: string;
  readonly message: string;
  readonly advice: string;
}

/** The findings of a package: by channel in the order of the catalog, then its images. */
export function lintPackage(content: CatalogPackage): readonly LintFinding[] {
  const graph = upgradeGraph(content);
  return [
    ...graph.channels.values().flatMap((channel) => lintChannel(content.name, channel, graph.bundles)),
    ...graph.bundles.values().flatMap((bundle) => lintImage(content.name, bundle)),
  ];
}

function lintChannel(
  packageName: string,
  channel: ChannelGraph,
  bundles: ReadonlyMap<string, GraphBundle>,
): readonly LintFinding[] {
  const { head } = channel;
  if (head === undefined) return [];
  const flaws = [...strandedIn(channel, head), ...goneIn(channel, bundles), ...lowHeadOf(channel, head)];
  return flaws.map(({ rule, bundle, text: [message, advice] }) => ({
    level: STRANDING.has(rule) ? 'error' : 'warning',
    rule,
    package: packageName,
    channel: channel.name,
    bundle,
    message,
    advice,
  }));
}

/** A finding about a bundle of one channel. */
interface ChannelFlaw {
  readonly rule: LintFinding['rule'];
  readonly bundle: string;
  readonly text: Words;
}

type Words = readonly [message: string, advice: string];

/** The users of a version cannot go on. */
const STRANDING: ReadonlySet<LintFinding['rule']> = new Set(['dead-end', 'unreachable-head', 'skipped-way']);

function strandedIn(channel: ChannelGraph, head: GraphBundle): readonly ChannelFlaw[] {
  const ways = waysIn(channel, head, MOST_NEXT + 1);
  return channel.entries.flatMap(({ bundle }) => strandedBy(head.name, bundle, ways) ?? []);
}

function goneIn(channel: ChannelGraph, bundles: ReadonlyMap<string, GraphBundle>): readonly ChannelFlaw[] {
  return goneVersions(channel, bundles).map(({ entry, name }) => ({
    rule: 'gone-version',
    bundle: entry.bundle.name,
    text: [
      `it replaces ${name}, which the catalog does not have: a user of that version sees an upgrade, but its content cannot be inspected or restored`,
      `Add ${name} again, or name in replaces a version that the catalog has`,
    ],
  }));
}

function lowHeadOf({ entries }: ChannelGraph, head: GraphBundle): readonly ChannelFlaw[] {
  const highest = entries.map(({ bundle }) => bundle).toSorted(comparePreference)[0];
  if (highest === undefined || highest.name === head.name) return [];
  const text: Words = [
    `it is the head, but ${highest.name} is a higher version`,
    `Let ${highest.name} replace the head, or remove it from the channel`,
  ];
  return [{ rule: 'low-head', bundle: head.name, text }];
}

function strandedBy(
  to: string,
  { name }: GraphBundle,
  { all, skipped, unskipped, next }: Ways,
): ChannelFlaw | undefined {
  if (!all.has(name)) {
    const advice = `Name it in skips of ${to}, in its skipRange, or in replaces of a version on the way`;
    const steps = next.get(name);
    return steps === undefined
      ? {
          rule: 'dead-end',
          bundle: name,
          text: [`no upgrade leads away from it: its users stay on it for ever`, advice],
        }
      : {
          rule: 'unreachable-head',
          bundle: name,
          text: [`its upgrades lead to ${listSome(steps)}, and from there no way leads to ${to}`, advice],
        };
  }
  if (skipped.has(name) || unskipped.has(name)) return undefined;
  return {
    rule: 'skipped-way',
    bundle: name,
    text: [
      `every way to ${to} uses a version that another one skips; OLM offers none of those as an upgrade`,
      `Let a version that is not skipped replace it, or name it in skips or the skipRange of ${to}`,
    ],
  };
}

/** A message names so many of the versions to which upgrades lead. */
const MOST_NEXT = 5;

function listSome(names: readonly string[]): string {
  return names.length > MOST_NEXT ? `${names.slice(0, MOST_NEXT).join(', ')} and others` : names.join(', ');
}

/** The oldest version of a channel may replace one that is gone: nothing else leads to that. */
function goneVersions(
  { entries }: ChannelGraph,
  bundles: ReadonlyMap<string, GraphBundle>,
): readonly { readonly entry: GraphEntry; readonly name: string }[] {
  const gone = entries.flatMap((entry) =>
    entry.replaces === undefined || entry.replaces === '' || bundles.has(entry.replaces)
      ? []
      : [{ entry, name: entry.replaces }],
  );
  const oldest = entries
    .map(({ bundle }) => bundle)
    .toSorted(comparePreference)
    .at(-1)?.name;
  return gone.filter(({ entry }) => entry.bundle.name !== oldest);
}

function lintImage(packageName: string, { name, bundle }: GraphBundle): readonly LintFinding[] {
  const { image } = bundle;
  if (image === '' || image.includes('@')) return [];
  return [
    {
      level: 'warning',
      rule: 'unpinned-image',
      package: packageName,
      bundle: name,
      message: `its image ${image} has no digest, so the content of the version can change`,
      advice: 'Build the catalog with --pin, or name the image by digest',
    },
  ];
}
