/**
 * Finds the versions of a package whose users are stranded: installed versions from which no upgrade leads to the head of
 * their channel, ways that other tools do not take, and images whose content can change. `slipway catalog lint` calls
 * it with catalogs that follow the rules of the format. Pure.
 */
import type { CatalogPackage } from '../catalog/model.ts';
import { EdgeSources } from './edge-sources.ts';
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
  const ways = { all, skipped, unskipped: stepsBefore(channel.entries, unskipped), next: nextOf(channel, all) };
  const stranded = channel.entries.flatMap(({ bundle }) => {
    const words = strandedBy(head.name, bundle, ways);
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
  const sources = sourcesIn(entries);
  for (const name of reaching) {
    const target = targets.get(name);
    if (target !== undefined) sources.visit(target, ({ name: source }) => reaching.add(source).has(source));
  }
  return reaching;
}

function sourcesIn(entries: readonly GraphEntry[]): EdgeSources {
  return new EdgeSources(entries.map(({ bundle }) => bundle));
}

/** These bundles, and those from which one step leads to one of them. */
function stepsBefore(entries: readonly GraphEntry[], reached: ReadonlySet<string>): ReadonlySet<string> {
  const found = new Set(reached);
  const sources = sourcesIn(entries);
  for (const entry of entries)
    if (reached.has(entry.bundle.name)) sources.visit(entry, ({ name }) => found.add(name).has(name));
  return found;
}

/** A message names so many of the versions to which upgrades lead. */
const MOST_NEXT = 5;

/** The bundles to which one step leads from those that are not among the reaching ones, in the order of the channel: some of them. */
function nextOf({ entries }: ChannelGraph, reaching: ReadonlySet<string>): ReadonlyMap<string, readonly string[]> {
  const next = new Map<string, string[]>();
  const sources = sourcesIn(entries.filter(({ bundle }) => !reaching.has(bundle.name)));
  for (const entry of entries) {
    sources.visit(entry, ({ name }) => {
      const known = next.get(name) ?? [];
      next.set(name, known);
      if (known.at(-1) !== entry.bundle.name) known.push(entry.bundle.name);
      return known.length > MOST_NEXT;
    });
  }
  return next;
}

interface Ways {
  /** From which a way leads to the head. */
  readonly all: ReadonlySet<string>;
  readonly skipped: ReadonlySet<string>;
  /** From which a way leads to the head that uses no version that another one skips. */
  readonly unskipped: ReadonlySet<string>;
  readonly next: ReadonlyMap<string, readonly string[]>;
}

function strandedBy(
  to: string,
  { name }: GraphBundle,
  { all, skipped, unskipped, next }: Ways,
): { readonly rule: LintFinding['rule']; readonly text: Words } | undefined {
  if (!all.has(name)) {
    const advice = `Name it in skips of ${to}, in its skipRange, or in replaces of a version on the way`;
    const steps = next.get(name);
    return steps === undefined
      ? { rule: 'dead-end', text: [`no upgrade leads away from it: its users stay on it for ever`, advice] }
      : {
          rule: 'unreachable-head',
          text: [`its upgrades lead to ${listSome(steps)}, and from there no way leads to ${to}`, advice],
        };
  }
  if (skipped.has(name) || unskipped.has(name)) return undefined;
  return {
    rule: 'skipped-way',
    text: [
      `every way to ${to} uses a version that another one skips; OLM offers none of those as an upgrade`,
      `Let a version that is not skipped replace it, or name it in skips or the skipRange of ${to}`,
    ],
  };
}

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
