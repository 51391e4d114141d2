/** The channels, versions and facts of one package. Pure. */
import { compareText } from '../../api/compare-text.ts';
import type { Subscription } from '../../api/subscription.ts';
import { fieldsOf, textOf } from '../../api/untyped.ts';
import type { CatalogBundle, CatalogPackage } from '../../catalog/model.ts';
import { requirementsOf } from '../../plan/dependencies.ts';
import { compareHighestFirst, type ChannelGraph, type GraphBundle, type UpgradeGraph } from '../../resolver/graph.ts'; // prettier-ignore
import type { BundleAbout } from './content.ts';
import { packagePath, subscriptionPath, withQuery } from './links.ts';
import type { ChannelRow, Cut, Fact, Link, PackageVersionRow, ProvidedKind } from './models.ts';
import { firstOf, line, nameOf } from './text.ts';

const PACKAGE_LIMITS = { channels: 200, versions: 200, kinds: 100, needs: 100, users: 20 } as const;

/** The default channel first, the others by name. */
export function channelRows(catalog: string, graph: UpgradeGraph, chosen: string | undefined): readonly ChannelRow[] {
  const { name, defaultChannel } = graph.package;
  return [...graph.channels.values()]
    .toSorted(
      (one, other) =>
        Number(other.name === defaultChannel) - Number(one.name === defaultChannel) ||
        compareText(one.name, other.name),
    ) // prettier-ignore
    .slice(0, PACKAGE_LIMITS.channels)
    .map((channel) => ({
      name: nameOf(channel.name),
      isDefault: channel.name === defaultChannel,
      isChosen: channel.name === chosen,
      ...(channel.head !== undefined && { head: nameOf(channel.head.bundle.version) }),
      versions: channel.entries.length,
      ...(channel.deprecation !== undefined && { deprecation: line(channel.deprecation) }),
      href: packagePath(catalog, name, channel.name),
    }));
}

/** The channel of the page: the one of the query, else the default one. */
export function chosenChannel(
  { channels, package: { defaultChannel } }: UpgradeGraph,
  wanted: string | undefined,
): ChannelGraph | undefined {
  // prettier-ignore
  return channels.get(wanted ?? defaultChannel) ?? channels.get(defaultChannel) ?? channels.values().next().value;
}

export interface VersionRows {
  readonly rows: readonly PackageVersionRow[];
  readonly cut?: Cut;
}

/** The versions of a channel, or of all, the highest first. */
export function versionRows(
  catalog: string,
  graph: UpgradeGraph,
  { channel, subscriptions }: { readonly channel: ChannelGraph | undefined; readonly subscriptions: readonly Subscription[] }, // prettier-ignore
): VersionRows {
  const { name } = graph.package;
  const bundles = channel === undefined ? [...graph.bundles.values()] : channel.entries.map(({ bundle }) => bundle);
  const { shown, cut } = firstOf(bundles.toSorted(compareHighestFirst), PACKAGE_LIMITS.versions, 'version');
  return {
    rows: shown.map((bundle) => ({
      version: nameOf(bundle.bundle.version),
      bundle: nameOf(bundle.name),
      channels: bundle.channels.slice(0, PACKAGE_LIMITS.users).map(nameOf),
      ...(bundle.deprecation !== undefined && { deprecation: line(bundle.deprecation) }),
      installed: usersOf(subscriptions, name, bundle),
      subscribe: {
        label: `Subscribe to ${nameOf(bundle.bundle.version)}`,
        href: withQuery('/subscribe', {
          catalog,
          package: name,
          channel: channel?.name,
          version: bundle.bundle.version,
        }),
      },
    })),
    ...(cut !== undefined && { cut }),
  };
}

function usersOf(subscriptions: readonly Subscription[], name: string, bundle: GraphBundle): readonly Link[] {
  return subscriptions
    .filter(({ spec, status }) => spec.package === name && status?.installed?.bundle === bundle.name)
    .slice(0, PACKAGE_LIMITS.users)
    .map(({ metadata }) => ({
      label: nameOf(`${metadata.namespace}/${metadata.name}`),
      href: subscriptionPath(metadata),
    }));
}

/** The requirements of a bundle: other packages and kinds, and the least version of Kubernetes. */
export function needsOf({ properties }: CatalogBundle, about: BundleAbout | undefined): readonly string[] {
  const { minKubeVersion } = about ?? {};
  return [
    ...requirementsOf(properties).slice(0, PACKAGE_LIMITS.needs).map((one) => line(one)), // prettier-ignore
    ...(minKubeVersion === undefined ? [] : [line(`Kubernetes ${minKubeVersion} or later`)]),
  ];
}

/** The kinds that the bundle brings: with their texts if the catalog has them. */
export function providedKinds({ properties }: CatalogBundle, about: BundleAbout | undefined): readonly ProvidedKind[] {
  const reported = (about?.provides ?? []).map(({ kind, group, version, title, description }) => ({
    kind: nameOf(kind),
    group: nameOf(group),
    version: nameOf(version),
    ...(title !== undefined && { title: nameOf(title) }),
    ...(description !== undefined && { description: line(description, 500) }),
  }));
  const known = new Set(reported.map(({ kind, group }) => `${kind}.${group}`));
  const others = properties.flatMap(({ type, value }) => {
    const { kind, group, version } = fieldsOf(value);
    const one = { kind: nameOf(kind), group: nameOf(group), version: nameOf(version) };
    return type === 'olm.gvk' && !known.has(`${one.kind}.${one.group}`) ? [one] : [];
  });
  return [...reported, ...others].slice(0, PACKAGE_LIMITS.kinds);
}

export function aboutFacts(about: BundleAbout | undefined, head: CatalogBundle | undefined): readonly Fact[] {
  const fact = (name: string, values: readonly (string | undefined)[]): readonly Fact[] => {
    const known = values.flatMap((value) => (value === undefined || value === '' ? [] : [line(value, 500)]));
    return known.length === 0 ? [] : [{ name, values: known }];
  };
  return [
    ...fact('Provider', [about?.provider]),
    ...fact('Maturity', [about?.maturity]),
    ...fact('Capability level', [about?.capabilities]),
    ...fact('Install modes', about?.installModes ?? []),
    ...fact('Maintainers', about?.maintainers ?? []),
    ...fact('Image', [head?.image]),
  ];
}

/** Addresses that a browser may open: of https alone. */
export function httpsLinks(about: BundleAbout | undefined): readonly Link[] {
  return (about?.links ?? []).flatMap(({ name, url }) => {
    const parsed = URL.parse(url);
    if (parsed?.protocol !== 'https:' || parsed.username !== '' || parsed.password !== '') return [];
    return [{ label: nameOf(name) || nameOf(parsed.hostname), href: parsed.href }];
  });
}

/** The head of a channel, as the catalog has it. */
export function headOf(content: CatalogPackage, channel: ChannelGraph | undefined): CatalogBundle | undefined {
  const name = channel?.head?.name;
  return content.bundles.find((bundle) => textOf(bundle.name) === name);
}
