/** Which channels and versions of a package a spec asks for, and the installed bundle as a catalog has it. Pure. */
import type { ChannelGraph, EdgeStart, GraphBundle, UpgradeGraph } from './graph.ts';
import type { Installed } from './input.ts';
import type { VersionRange } from './ranges/range.ts';
import { compareBundleVersions, parseBundleVersion, type BundleVersion } from './version.ts';

/** The channels that a spec asks for: the named one, all, or the default one; a single channel needs no default. */
export function selectChannels(graph: UpgradeGraph, channel: string | undefined): readonly ChannelGraph[] {
  if (channel === '*') return [...graph.channels.values()];
  const selected = graph.channels.get(channel ?? graph.package.defaultChannel);
  if (selected !== undefined) return [selected];
  return channel === undefined && graph.channels.size === 1 ? [...graph.channels.values()] : [];
}

/** Whether a version satisfies the wanted range; without a range every version does. */
export function isInside(range: VersionRange | undefined, version: BundleVersion | undefined): boolean {
  return range === undefined || (version !== undefined && range.includes(version.version));
}

/** The installed bundle as the start of the graph; without a version if that cannot be parsed. */
export function originOf(bundle: string, version: string, release?: string): EdgeStart {
  const parsed = parseBundleVersion(version, release);
  return { name: bundle, version: parsed.ok ? parsed.value : undefined };
}

/** The installed bundle as the start of the graph, and as the input states it. */
export interface InstalledBundle extends EdgeStart {
  readonly stated: Installed;
}

export function installedBundle(stated: Installed): InstalledBundle {
  return { ...originOf(stated.bundle, stated.version, stated.release), stated };
}

const found = new WeakMap<EdgeStart, WeakMap<UpgradeGraph, GraphBundle | undefined>>();

/**
 * Finds the installed bundle by name; in a catalog that renamed its bundles, by version and release. A graph is searched
 * once: an explanation tries one channel after another.
 */
export function findInstalled(graph: UpgradeGraph, installed: EdgeStart): GraphBundle | undefined {
  const known = found.get(installed) ?? new WeakMap<UpgradeGraph, GraphBundle | undefined>();
  found.set(installed, known);
  if (!known.has(graph)) known.set(graph, searchInstalled(graph, installed));
  return known.get(graph);
}

function searchInstalled(graph: UpgradeGraph, installed: EdgeStart): GraphBundle | undefined {
  const named = graph.bundles.get(installed.name);
  if (named !== undefined || installed.version === undefined) return named;
  const { version } = installed;
  return graph.bundles
    .values()
    .find((bundle) => bundle.version.ok && compareBundleVersions(bundle.version.value, version) === 0);
}

/** Whether a bundle has a lower version than the installed one, or the same version with a lower release. */
export function isLower(bundle: GraphBundle, installed: EdgeStart | undefined): boolean {
  const version = valueOf(bundle);
  return (
    version !== undefined && installed?.version !== undefined && compareBundleVersions(version, installed.version) < 0
  );
}

/** The version of a bundle; undefined if it cannot be parsed. */
export function valueOf(bundle: GraphBundle): BundleVersion | undefined {
  return bundle.version.ok ? bundle.version.value : undefined;
}
