/**
 * Makes a package of a catalog out of bundles that state their own upgrade graph, as `opm` does when it adds bundles to
 * an index: channels from the annotations, edges from the ClusterServiceVersion. `slipway catalog build` calls it for
 * bundles that are named alone; repository/build.ts makes a graph from versions for bundles that state nothing.
 */
import { BUNDLE_ANNOTATION } from '../bundles/annotations.ts';
import type { BundleDirectory } from './blob.ts';
import { listField, objectField, textField } from './fields.ts';
import { channelByVersion, displayedDescription, STABLE_CHANNEL, type DescribedVersion } from './repository/build.ts';
import type { CatalogDocument } from './templates/template.ts';
import type { VersionRules } from './versions.ts';

/** The place in the upgrade graph that a bundle states. */
export interface StatedGraph {
  readonly channels: readonly string[];
  readonly defaultChannel?: string;
  readonly replaces?: string;
  readonly skips: readonly string[];
  readonly skipRange?: string;
}

/** A bundle and the place that it states. */
export interface StatingVersion extends DescribedVersion {
  readonly stated: StatedGraph;
}

/**
 * The place that the bundle of this directory states; empty texts state nothing, and names are used exactly as they
 * are.
 */
export function statedGraph({ annotations, csv }: Pick<BundleDirectory, 'annotations' | 'csv'>): StatedGraph {
  const spec = objectField(csv, 'spec');
  const text = (value: string | undefined): string | undefined => (value === '' ? undefined : value);
  const defaultChannel = text(textField(annotations, BUNDLE_ANNOTATION.defaultChannel));
  const replaces = text(textField(spec, 'replaces'));
  const skipRange = text(textField(objectField(objectField(csv, 'metadata'), 'annotations'), 'olm.skipRange'));
  const skips = listField(spec, 'skips').filter((skip) => typeof skip === 'string' && skip !== '') as string[];
  const channels = (textField(annotations, BUNDLE_ANNOTATION.channels) ?? '').split(',').filter((name) => name !== '');
  return {
    channels: [...new Set(channels)],
    skips,
    ...(defaultChannel !== undefined && { defaultChannel }),
    ...(replaces !== undefined && { replaces }),
    ...(skipRange !== undefined && { skipRange }),
  };
}

/** Whether any of the bundles states channels or edges. */
export function statesGraph(versions: readonly StatingVersion[]): boolean {
  return versions.some(({ stated }) => stated.channels.length > 0 || hasEdges(stated));
}

/**
 * The documents of a package: each bundle is in the channels that it names, else in `stable`. If any bundle states an
 * edge, every entry has the edges of its bundle; if none does, each entry accepts all lower ones in its channel. The
 * default channel is the one stated by the highest version that states any, else the first channel of the highest
 * version.
 */
export function buildStatedPackage(
  name: string,
  bundles: readonly StatingVersion[],
  rules: VersionRules,
): readonly CatalogDocument[] {
  const versions = bundles.toSorted((a, b) => rules.compareBundleVersions(a.version, b.version));
  const channels = new Map<string, StatingVersion[]>();
  for (const version of versions) {
    for (const channel of channelsOf(version)) channels.set(channel, [...(channels.get(channel) ?? []), version]);
  }
  const toChannel = versions.some(({ stated }) => hasEdges(stated)) ? statedChannel : channelByVersion;
  const head = versions.at(-1)!;
  const defaultChannel = versions.findLast(({ stated }) => stated.defaultChannel !== undefined)?.stated.defaultChannel;
  const description = displayedDescription(head.bundle);
  return [
    {
      schema: 'olm.package',
      name,
      defaultChannel: defaultChannel ?? channelsOf(head)[0]!,
      ...(description !== undefined && { description }),
    },
    ...[...channels].map(([channel, members]) => toChannel(channel, name, members)),
    ...versions.map(({ bundle }) => bundle),
  ];
}

function hasEdges({ replaces, skips, skipRange }: StatedGraph): boolean {
  return replaces !== undefined || skips.length > 0 || skipRange !== undefined;
}

function channelsOf({ stated }: StatingVersion): readonly string[] {
  return stated.channels.length > 0 ? stated.channels : [STABLE_CHANNEL];
}

function statedChannel(name: string, packageName: string, versions: readonly StatingVersion[]): CatalogDocument {
  const entries = versions.map(({ bundle, stated: { replaces, skips, skipRange } }) => ({
    name: bundle.name,
    ...(replaces !== undefined && { replaces }),
    ...(skips.length > 0 && { skips }),
    ...(skipRange !== undefined && { skipRange }),
  }));
  return { schema: 'olm.channel', name, package: packageName, entries };
}
