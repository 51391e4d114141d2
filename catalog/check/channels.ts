/** The rules for channels and their entries. */
import { nameSome } from '../../api/name-some.ts';
import type { ChannelEntry } from '../model.ts';
import type { VersionLike, VersionRules } from '../versions.ts';
import { graphDefect, type GraphDefect } from './channel.ts';
import type { Collected, SeenChannel } from './collect.ts';
import { errorIn, type CatalogFinding } from './finding.ts';

/** Finds the defects of channels. */
export function* checkChannels(collected: Collected, rules: VersionRules): Generator<CatalogFinding> {
  const packages = new Set(collected.packages.map(({ name }) => name));
  const bundles = new Map(collected.bundles.map((bundle) => [`${bundle.package}\0${bundle.name}`, bundle]));
  const seen = new Set<string>();
  for (const channel of collected.channels) {
    yield* checkIdentity(channel, packages, seen);
    yield* checkEntries(channel, rules);
    yield* checkGraph(channel);
    const bundleOf = (name: string) => bundles.get(`${channel.package}\0${name}`);
    yield* checkBundlesThere(channel, (name) => bundleOf(name) !== undefined);
    yield* checkDirection(channel, rules, (name) => bundleOf(name)?.identities[0]?.version);
  }
}

function* checkIdentity(
  channel: SeenChannel,
  packages: ReadonlySet<string>,
  seen: Set<string>,
): Generator<CatalogFinding> {
  const what = describe(channel);
  if (channel.name === '')
    yield errorIn(channel, 'ChannelName', `a channel of package "${channel.package}" has no name`, 'Set its name');
  if (!packages.has(channel.package)) {
    const message =
      channel.package === ''
        ? `channel "${channel.name}" names no package`
        : `${what} is of a package that the catalog does not have`;
    yield errorIn(channel, 'UnknownPackage', message, 'Name the package, and add its olm.package');
  }
  const key = `${channel.package}\0${channel.name}`;
  if (seen.has(key))
    yield errorIn(
      channel,
      'DuplicateChannel',
      `${what} is described more than once`,
      'Put its entries into one olm.channel',
    );
  seen.add(key);
  for (const part of channel.malformed) yield errorIn(channel, 'Malformed', `${what}: ${part}`, 'Correct it');
}

function* checkEntries(channel: SeenChannel, rules: VersionRules): Generator<CatalogFinding> {
  const what = describe(channel);
  const names = new Set<string>();
  if (channel.entries.length === 0)
    yield errorIn(channel, 'EmptyChannel', `${what} has no entries`, 'Add an entry, or remove the channel');
  for (const entry of channel.entries) {
    if (names.has(entry.name)) {
      yield errorIn(
        channel,
        'DuplicateEntry',
        `${what} has more than one entry ${entry.name}`,
        'Merge them into one entry',
      );
    }
    names.add(entry.name);
    if (entry.skipRange === undefined) continue;
    const range = rules.parseRange(entry.skipRange);
    if (range.ok) continue;
    const message = `the skipRange "${entry.skipRange}" of ${entry.name} in ${what} is invalid: ${range.problem}`;
    yield errorIn(channel, 'SkipRange', message, 'Write it like ">=1.0.0 <1.4.0": full versions without "v"');
  }
  for (const name of channel.emptySkips) {
    yield errorIn(channel, 'EmptySkip', `the skips of ${name} in ${what} have an empty name`, 'Remove it');
  }
}

function* checkGraph(channel: SeenChannel): Generator<CatalogFinding> {
  if (channel.entries.length === 0) return;
  const defect = graphDefect(channel.entries);
  if (defect !== undefined)
    yield errorIn(channel, defect.rule, `${describe(channel)} ${explain(defect)}`, GRAPH_ADVICE[defect.rule]);
}

function explain(defect: GraphDefect): string {
  if (defect.rule === 'NoHead') return 'has no head: every entry is replaced or skipped';
  return `${GRAPH_DEFECTS[defect.rule]}: ${list(defect.names)}`;
}

const GRAPH_DEFECTS = {
  MultipleHeads: 'has several heads',
  Cycle: 'goes in a circle',
  Stranded: 'has entries that nothing leads away from',
} as const;

const GRAPH_ADVICE: Readonly<Record<GraphDefect['rule'], string>> = {
  NoHead: 'Let the newest entry be replaced and skipped by none',
  MultipleHeads: 'Let the newest entry replace or skip the others, directly or by a chain',
  Cycle: 'Remove one of the replaces, so that they lead from newer to older',
  Stranded: 'Name them in replaces or skips of an entry that the head leads to',
};

function* checkBundlesThere(channel: SeenChannel, isThere: (name: string) => boolean): Generator<CatalogFinding> {
  const missing = channel.entries.filter(({ name }) => !isThere(name)).map(({ name }) => name);
  if (missing.length === 0) return;
  const message = `${describe(channel)} has entries without a bundle: ${list(missing)}`;
  yield errorIn(channel, 'EntryWithoutBundle', message, 'Add the olm.bundle of each, or remove the entries');
}

function* checkDirection(
  channel: SeenChannel,
  rules: VersionRules,
  versionOf: (name: string) => string | undefined,
): Generator<CatalogFinding> {
  const read = (name: string): VersionLike | undefined => {
    const parsed = rules.parseVersion(versionOf(name) ?? '');
    return parsed.ok ? parsed.value : undefined;
  };
  for (const entry of channel.entries) {
    const to = read(entry.name);
    if (to === undefined) continue;
    const higher = predecessors(entry).filter((name) => {
      const from = read(name);
      return from !== undefined && rules.compareVersions(from, to) > 0;
    });
    if (higher.length === 0) continue;
    const message = `in ${describe(channel)}, ${entry.name} is an upgrade from higher versions: ${list(higher)}`;
    yield {
      ...errorIn(channel, 'LowersVersion', message, 'Swap the edge, or publish the content under a higher version'),
      severity: 'warning',
    };
  }
}

function predecessors(entry: ChannelEntry): string[] {
  return entry.replaces === undefined ? [...entry.skips] : [entry.replaces, ...entry.skips];
}

function describe(channel: SeenChannel): string {
  return `channel "${channel.name}" of package ${channel.package}`;
}

/** Names for a message, cut if there are many. */
function list(names: readonly string[]): string {
  return nameSome(names, 10);
}
