/**
 * Finds the versions of a package whose users are stranded: installed versions from which no upgrade leads to the head of
 * their channel, ways that other tools do not take, and images whose content can change. `slipway catalog lint` calls
 * it with catalogs that follow the rules of the format. Pure.
 */
import type { CatalogPackage } from '../catalog/model.ts';
import {
  comparePreference,
  edgeInto,
  upgradeGraph,
  type ChannelGraph,
  type GraphBundle,
  type GraphEntry,
} from './graph.ts';

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
  const all = waysToHead(channel);
  const skipped = new Set(channel.entries.flatMap(({ skips }) => [...skips]));
  const unskipped = waysTo(
    channel.entries.filter(({ bundle }) => !skipped.has(bundle.name)),
    head.name,
  );
  const finding = (
    level: LintFinding['level'],
    rule: LintFinding['rule'],
    name: string,
    words: Words,
  ): LintFinding => ({
    level,
    rule,
    package: packageName,
    channel: channel.name,
    bundle: name,
    message: words[0],
    advice: words[1],
  });
  const stranded = channel.entries.flatMap(({ bundle }) => {
    const words = strandedBy(channel, bundle, { all, unskipped });
    return words === undefined ? [] : [finding('error', words.rule, bundle.name, words.text)];
  });
  const gone = goneVersions(channel, bundles).map(({ entry, name }) =>
    finding('warning', 'gone-version', entry.bundle.name, [
      `it replaces ${name}, which the catalog does not have: a user of that version sees an upgrade, but its content cannot be inspected or restored`,
      `Add ${name} again, or name in replaces a version that the catalog has`,
    ]),
  );
  const highest = channel.entries.map(({ bundle }) => bundle).toSorted(comparePreference)[0];
  const low =
    highest === undefined || highest.name === head.name
      ? []
      : [
          finding('warning', 'low-head', head.name, [
            `it is the head, but ${highest.name} is a higher version`,
            `Let ${highest.name} replace the head, or remove it from the channel`,
          ]),
        ];
  return [...stranded, ...gone, ...low];
}

/** Names of the bundles of a channel from which upgrades lead to its head, the head included; none without a head. */
export function waysToHead({ entries, head }: ChannelGraph): ReadonlySet<string> {
  return head === undefined ? new Set() : waysTo(entries, head.name);
}

type Words = readonly [message: string, advice: string];

/** Names of the bundles from which edges into these entries lead to the head; the head is one of them. */
function waysTo(entries: readonly GraphEntry[], head: string): ReadonlySet<string> {
  const reaching = new Set([head]);
  const targets = new Map(entries.map((entry) => [entry.bundle.name, entry]));
  const sources = entries.map(({ bundle }) => bundle);
  for (const name of reaching) {
    const target = targets.get(name);
    if (target === undefined) continue;
    for (const source of sources) if (isFrom(source, target)) reaching.add(source.name);
  }
  return reaching;
}

function isFrom(source: GraphBundle, target: GraphEntry): boolean {
  const version = source.version.ok ? source.version.value : undefined;
  return source.name !== target.bundle.name && edgeInto(target, { name: source.name, version }) !== undefined;
}

interface Ways {
  readonly all: ReadonlySet<string>;
  /** Without upgrades to versions that another one skips. */
  readonly unskipped: ReadonlySet<string>;
}

function strandedBy(
  { entries, head }: ChannelGraph,
  bundle: GraphBundle,
  { all, unskipped }: Ways,
): { readonly rule: LintFinding['rule']; readonly text: Words } | undefined {
  const to = head?.name ?? '';
  if (!all.has(bundle.name)) {
    const next = entries.filter((entry) => isFrom(bundle, entry)).map((entry) => entry.bundle.name);
    const advice = `Name it in skips of ${to}, in its skipRange, or in replaces of a version on the way`;
    return next.length === 0
      ? { rule: 'dead-end', text: [`no upgrade leads away from it: its users stay on it for ever`, advice] }
      : {
          rule: 'unreachable-head',
          text: [`its upgrades lead to ${next.join(', ')}, and from there no way leads to ${to}`, advice],
        };
  }
  const isSkipped = entries.some(({ skips }) => skips.has(bundle.name));
  if (isSkipped || unskippedFrom(entries, bundle, unskipped)) return undefined;
  return {
    rule: 'skipped-way',
    text: [
      `every way to ${to} uses a version that another one skips; OLM offers none of those as an upgrade`,
      `Let a version that is not skipped replace it, or name it in skips or the skipRange of ${to}`,
    ],
  };
}

function unskippedFrom(entries: readonly GraphEntry[], bundle: GraphBundle, unskipped: ReadonlySet<string>): boolean {
  if (unskipped.has(bundle.name)) return true;
  return entries.some((entry) => unskipped.has(entry.bundle.name) && isFrom(bundle, entry));
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
