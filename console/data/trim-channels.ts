/**
 * The part of a package that an upgrade graph shows: as many channels as a page has room for, and of each the highest
 * entries and those that matter. The edges of a channel take time by the square of its entries. Pure.
 */
import type { CatalogPackage, Channel, ChannelEntry } from '../../catalog/model.ts';
import { compareHighestFirst, upgradeGraph, type UpgradeGraph } from '../../resolver/graph.ts';

/** Entries of one channel that are compared with each other. */
const MOST_ENTRIES = 200;

export interface TrimmedPackage {
  readonly content: CatalogPackage;
  /** By channel: how many entries are left out; absent if none is. */
  readonly omitted: ReadonlyMap<string, number>;
}

/** @param channels Names, each once. @param matters By name of the bundle and version */
export function trimChannels(
  content: CatalogPackage,
  channels: readonly string[],
  matters: ReadonlySet<string>,
): TrimmedPackage {
  const graph = upgradeGraph(content);
  const omitted = new Map<string, number>();
  const shown = channels.flatMap((name) => {
    const channel = content.channels.find((one) => one.name === name);
    if (channel === undefined) return [];
    const kept = channel.entries.length <= MOST_ENTRIES ? channel : trimmed(channel, graph, matters);
    if (kept !== channel) omitted.set(name, channel.entries.length - kept.entries.length);
    return [kept];
  });
  const names = new Set(shown.flatMap(({ entries }) => entries.map((entry) => entry.name)));
  return { content: { ...content, channels: shown, bundles: content.bundles.filter((one) => names.has(one.name)) }, omitted }; // prettier-ignore
}

function trimmed(channel: Channel, { channels, bundles }: UpgradeGraph, matters: ReadonlySet<string>): Channel {
  const present = channels.get(channel.name)?.entries ?? [];
  const highest = present.map(({ bundle }) => bundle).toSorted(compareHighestFirst).slice(0, MOST_ENTRIES); // prettier-ignore
  const kept = new Set(highest.map(({ name }) => name));
  for (const { name, bundle } of bundles.values()) if (matters.has(name) || matters.has(bundle.version)) kept.add(name);
  const entries = channel.entries.filter(({ name }) => kept.has(name)).slice(0, 2 * MOST_ENTRIES);
  return { ...channel, entries: entries.map((entry) => withoutOmitted(entry, kept, bundles)) };
}

/** An entry that is left out is there nevertheless: no edge leads to it, so that it is not shown as missing. */
function withoutOmitted(
  { replaces, ...entry }: ChannelEntry,
  kept: ReadonlySet<string>,
  bundles: ReadonlyMap<string, unknown>,
): ChannelEntry {
  const isOmitted = replaces !== undefined && bundles.has(replaces) && !kept.has(replaces);
  return replaces === undefined || isOmitted ? entry : { ...entry, replaces };
}
