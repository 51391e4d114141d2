/** One package of a Catalog. Pure. */
import type { Catalog } from '../../api/catalog.ts';
import { upgradeGraph } from '../../resolver/graph.ts';
import type { ObjectAsk } from './ask.ts';
import { contentNotices } from './content-notices.ts';
import { iconPath, packagePath, withQuery } from './links.ts';
import type { Fact, PackageModel } from './models.ts';
import { reachNotices } from './objects.ts';
import {
  aboutFacts,
  channelRows,
  chosenChannel,
  headOf,
  httpsLinks,
  needsOf,
  providedKinds,
  versionRows,
} from './package-facts.ts';
import type { PackageContent } from './content.ts';
import { labelsOf, namespaceAsks, ServedNamespaces } from './served-namespaces.ts';
import { line, nameOf, paragraphs } from './text.ts';
import { installedLinks, usersOf } from './tiles.ts';
import type { Asked, Parameters, View, Visible } from './view.ts';

const MOST_DESCRIPTION = 100_000;

export const packageView: View<PackageModel> = {
  path: '/catalog/:catalog/:package',
  query: ['channel'],
  reads: ['catalogs', 'subscriptions'],
  ask: (visible, { catalog = '', package: name = '' }) =>
    visible.catalogs.some(({ metadata }) => metadata.name === catalog)
      ? {
          objects: labelAsks(visible, catalog, name),
          content: { kind: 'package', catalogs: [catalog], package: name },
        }
      : {},
  show: showPackage,
};

function labelAsks(visible: Visible, catalog: string, name: string): readonly ObjectAsk[] {
  return namespaceAsks(named(visible, catalog), namespacesWith(visible, catalog, name));
}

function named({ catalogs }: Visible, catalog: string): readonly Catalog[] {
  return catalogs.filter(({ metadata }) => metadata.name === catalog);
}

function namespacesWith({ subscriptions }: Visible, catalog: string, name: string): readonly string[] {
  return usersOf(subscriptions, catalog, name).map(({ metadata }) => metadata.namespace ?? '');
}

/** The namespaces that may use the Catalog are a fact of the package, and those that use it and may not are a notice. */
function servedFacts(visible: Visible, catalog: string): readonly Fact[] {
  const labels = named(visible, catalog).flatMap((one) => labelsOf(one) ?? []);
  return labels.map((words) => ({ name: 'Namespaces', values: [line(`only those with the labels ${words}`)] }));
}

function showPackage(visible: Visible, parameters: Parameters, { packages = new Map(), objects }: Asked): PackageModel {
  const { catalog = '', package: name = '' } = parameters;
  const answer = packages.get(catalog);
  const content = answer !== undefined && 'value' in answer ? answer.value : undefined;
  const served = new ServedNamespaces(labelAsks(visible, catalog, name), objects);
  const users = namespacesWith(visible, catalog, name);
  const page = {
    title: nameOf(name) || 'Package',
    notices: [
      ...reachNotices(visible, ['catalogs']),
      ...contentNotices(packages),
      ...named(visible, catalog).flatMap((one) => served.notices(one, users)),
    ],
    catalog: nameOf(catalog),
    package: nameOf(name),
    installed: installedLinks(visible.subscriptions, catalog, name),
    subscribe: { label: 'Subscribe', href: withQuery('/subscribe', { catalog, package: name, channel: parameters['channel'] }) }, // prettier-ignore
  };
  if (content === undefined) return { ...page, ...WITHOUT_CONTENT, empty: { message: whyEmpty(visible, parameters, answer), next: [{ label: 'Search the catalog', href: '/catalog' }] } }; // prettier-ignore
  return { ...page, ...contentOf(visible, parameters, content) };
}

const WITHOUT_CONTENT = {
  description: '',
  isCut: false,
  categories: [],
  keywords: [],
  facts: [],
  links: [],
  channels: [],
  versions: [],
  provides: [],
  needs: [],
  installModes: [],
  rights: [],
  buttons: [],
} as const;

function whyEmpty(
  { catalogs }: Visible,
  { catalog = '', package: name = '' }: Parameters,
  answer: object | undefined,
): string {
  // prettier-ignore
  if (!catalogs.some(({ metadata }) => metadata.name === catalog))
    return line(`There is no Catalog ${catalog} that you may see`);
  if (answer === undefined || 'failure' in answer) return line(`Catalog ${catalog} cannot be read now`);
  return line(`Catalog ${catalog} does not offer package ${name}`);
}

function contentOf(visible: Visible, parameters: Parameters, { content, hasIcon, about: facts }: PackageContent) {
  const { catalog = '', package: name = '' } = parameters;
  const graph = upgradeGraph(content);
  const channel = chosenChannel(graph, parameters['channel']);
  const head = headOf(content, channel);
  const about = head === undefined ? undefined : facts.get(head.name);
  const { rows, cut } = versionRows(catalog, graph, { channel, subscriptions: visible.subscriptions });
  const { text, isCut } = paragraphs(about?.description ?? content.description, MOST_DESCRIPTION);
  const deprecation = graph.deprecation;
  return {
    title: nameOf(about?.title ?? name) || 'Package',
    ...(about?.provider !== undefined && { provider: nameOf(about.provider) }),
    ...(hasIcon && { icon: iconPath(catalog, name) }),
    ...(deprecation !== undefined && { deprecation: line(deprecation) }),
    description: text,
    isCut,
    categories: (about?.categories ?? []).map(nameOf),
    keywords: (about?.keywords ?? []).map(nameOf),
    facts: [...aboutFacts(about, head), ...servedFacts(visible, catalog)],
    links: httpsLinks(about),
    channels: channelRows(catalog, graph, channel?.name),
    versions: rows,
    ...(cut !== undefined && { versionsCut: cut }),
    provides: head === undefined ? [] : providedKinds(head, about),
    needs: head === undefined ? [] : needsOf(head, about),
    installModes: (about?.installModes ?? []).map(nameOf),
    rights: [],
    rightsUnknown: RIGHTS_UNKNOWN,
    buttons: [],
    subscribe: {
      label: 'Subscribe',
      href: withQuery('/subscribe', { catalog, package: name, channel: channel === undefined || channel.name === content.defaultChannel ? undefined : channel.name }), // prettier-ignore
    },
    installed: installedLinks(visible.subscriptions, catalog, name),
    ...(rows.length === 0 && {
      empty: {
        message: line(`Package ${name} has no version`),
        next: [{ label: 'Other channels', href: packagePath(catalog, name) }],
      },
    }),
  };
}

/** Catalogs leave the install strategy of bundles out. */
const RIGHTS_UNKNOWN =
  'A catalog does not list the rights of an operator. Subscribe with manual approval: the plan lists them before anything is installed';
