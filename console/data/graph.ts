/** The upgrade graph of a Subscription, and why a version is not chosen. Pure. */
import type { Catalog } from '../../api/catalog.ts';
import type { Subscription } from '../../api/subscription.ts';
import { answerOf } from '../../report/why-status.ts';
import { explainPath } from '../../resolver/explain.ts';
import type { ResolveInput } from '../../resolver/input.ts';
import { resolve } from '../../resolver/resolve.ts';
import type { ObjectAsk } from './ask.ts';
import { accessOfOffers, type Offer } from './buttons.ts';
import { contentNotices } from './content-notices.ts';
import { lanesOf } from './graph-lanes.ts';
import { packagePath, subscriptionPath } from './links.ts';
import type { GraphLane, GraphModel, NodeMark, PathRow, Tone } from './models.ts';
import { accountOf, reachNotices, revisionsOf } from './objects.ts';
import { ofSubscription } from './of-subscription.ts';
import { termsOf } from './offers.ts';
import { catalogsFor, contentsOf, isTooLarge, questionOf, type PackageAnswers } from './question.ts';
import { Remembered } from './remembered.ts';
import { namespaceAsks, ServedNamespaces } from './served-namespaces.ts';
import { line, nameOf } from './text.ts';
import type { Ask, Asked, Parameters, View, Visible } from './view.ts';
import { versionOffers, versionToOpen, whyNotOf } from './why-not.ts';

export const graph: View<GraphModel> = {
  path: '/subscriptions/:namespace/:name/graph',
  isOfNamespace: true,
  query: ['version'],
  reads: ['subscriptions', 'revisions', 'catalogs'],
  ...ofSubscription({ ask: askFor, show: showGraph }),
};

function askFor(visible: Visible, found: Subscription, parameters: Parameters): Ask {
  const catalogs = catalogsFor(found, visible.catalogs).map(({ metadata }) => metadata.name);
  return {
    access: accessOfOffers(offersOf(visible, found, parameters), accountOf(visible, found)),
    objects: labelAsks(visible, found),
    content: { kind: 'package', catalogs, package: found.spec.package },
    versions: true,
  };
}

function labelAsks(visible: Visible, found: Subscription): readonly ObjectAsk[] {
  return namespaceAsks(catalogsFor(found, visible.catalogs), [found.metadata.namespace ?? '']);
}

function offersOf(visible: Visible, found: Subscription, { version }: Parameters): readonly Offer[] {
  const opened = version ?? versionToOpen(found);
  return opened === undefined ? [] : versionOffers(found, revisionsOf(visible, found), opened);
}

interface GraphTerms {
  readonly parameters: Parameters;
  readonly asked: Asked;
}

function showGraph(visible: Visible, found: Subscription, { parameters, asked }: GraphTerms): GraphModel {
  const { metadata, spec, status = {} } = found;
  const packages: PackageAnswers = asked.packages ?? new Map();
  const served = new ServedNamespaces(labelAsks(visible, found), asked.objects);
  const question = questionFor(visible, found, asked, served);
  const { shown, notices } = shownContent(found, visible, packages, served);
  const opened = parameters['version'] ?? versionToOpen(found);
  const { lanes, cut } = shown === undefined ? { lanes: [] } : lanesOf(found, shown.content, opened);
  const revisions = revisionsOf(visible, found);
  const askedFor = offersOf(visible, found, parameters);
  const terms = termsOf(visible, { askedFor, asked, subscription: found });
  const deprecation = shown?.content.deprecations.find(({ schema }) => schema === 'olm.package')?.message;
  return {
    title: nameOf(`Upgrades of ${metadata.namespace}/${metadata.name}`),
    notices: [...reachNotices(visible, ['catalogs']), ...contentNotices(packages), ...notices],
    namespace: nameOf(metadata.namespace),
    name: nameOf(metadata.name),
    package: nameOf(spec.package),
    ...(shown !== undefined && { catalog: nameOf(shown.catalog) }),
    ...(status.installed !== undefined && { installed: nameOf(status.installed.version) }),
    ...(status.available !== undefined && { available: nameOf(status.available.version) }),
    message: line(answerOf({ package: spec.package }, found).message),
    ...(deprecation !== undefined && { deprecation: line(deprecation) }),
    lanes,
    ...(cut !== undefined && { lanesCut: cut }),
    path: pathRows(found, question),
    legend: legendOf(lanes),
    ...(opened !== undefined && {
      opened: whyNotOf(found, opened, { terms, revisions, question, isTooLarge: isTooLarge(packages) }),
    }),
    links: [
      { label: 'Subscription', href: subscriptionPath(metadata) },
      ...(shown === undefined ? [] : [{ label: 'Package', href: packagePath(shown.catalog, spec.package) }]),
    ],
    ...(shown === undefined && { empty: { message: line(whyEmpty(found, visible, packages)), next: [] } }),
  };
}

function questionFor(
  visible: Visible,
  found: Subscription,
  { packages, versions }: Asked,
  served: ServedNamespaces,
): ResolveInput | undefined {
  const isRead = [...(packages?.values() ?? [])].some((one) => 'value' in one && one.value !== undefined);
  if (packages === undefined || !isRead || isTooLarge(packages)) return undefined;
  const kubernetesVersion =
    versions !== undefined && 'value' in versions ? versions.value.kubernetes || undefined : undefined;
  const whyNotServed = (catalog: Catalog) => served.whyNot(catalog, found.metadata.namespace ?? '');
  return questionOf(found, { catalogs: visible.catalogs, packages, kubernetesVersion, whyNotServed });
}

/**
 * That of the catalog of origin, else of the most important one that has the package; and which of those that have it do not
 * serve the namespace.
 */
function shownContent(found: Subscription, visible: Visible, packages: PackageAnswers, served: ServedNamespaces) {
  const { metadata, spec, status } = found;
  const namespace = metadata.namespace ?? '';
  const origin = status?.installed?.catalog;
  const offers = catalogsFor(found, visible.catalogs).flatMap((catalog) => {
    const answer = packages.get(catalog.metadata.name);
    const content = answer !== undefined && 'value' in answer ? answer.value?.content : undefined;
    return content === undefined ? [] : [{ catalog: catalog.metadata.name, content, of: catalog }];
  });
  const [shown] = offers
    .filter(
      ({ catalog, of }) => catalog === origin || catalog === spec.catalog || served.whyNot(of, namespace) === undefined,
    ) // prettier-ignore
    .toSorted((one, other) => Number(other.catalog === origin) - Number(one.catalog === origin));
  return { shown, notices: offers.flatMap(({ of }) => served.notices(of, [namespace])) };
}

function whyEmpty(found: Subscription, { catalogs }: Visible, packages: PackageAnswers): string {
  if (catalogs.length === 0) return 'There is no Catalog that you may see';
  if (packages.size === 0) return 'No Catalog is searched for this package';
  return `No Catalog that could be read has package ${found.spec.package}`;
}

/** With the edge that leads to each version if the content is known, else the versions of the status. */
function pathRows({ status }: Subscription, question: ResolveInput | undefined): readonly PathRow[] {
  const versions = status?.path ?? [];
  const explained = question === undefined ? undefined : explainWay(question);
  const isSame =
    explained !== undefined &&
    explained.map(({ version }) => version).join(' ') === versions.slice(-explained.length).join(' ');
  if (isSame && explained.length > 0) return explained;
  return versions.map((version) => ({ version: nameOf(version), message: nameOf(version) }));
}

const ways = new Remembered<readonly PathRow[] | undefined>();

function explainWay(question: ResolveInput): readonly PathRow[] | undefined {
  return ways.get(contentsOf(question), question, () => explainDecided(question));
}

function explainDecided(question: ResolveInput): readonly PathRow[] | undefined {
  try {
    const decision = resolve(question);
    if (decision.kind === 'none') return undefined;
    const messages = explainPath(decision.path);
    return decision.path.map(({ version }, at) => ({
      version: nameOf(version),
      message: line(messages[at] ?? version),
    }));
  } catch {
    return undefined;
  }
}

const WORDS: Readonly<Record<NodeMark, readonly [words: string, tone: Tone]>> = {
  installed: ['runs in the cluster', 'good'],
  available: ['the newest version that the spec allows', 'working'],
  path: ['on the way to it', 'working'],
  pending: ['comes next', 'waiting'],
  refused: ['not chosen: open it to read why', 'off'],
  quarantined: ['failed before, and is not tried again', 'bad'],
  head: ['upgrades end here', 'unknown'],
  deprecated: ['its publisher advises against it', 'waiting'],
  skipped: ['upgrades lead past it', 'off'],
  stranded: ['no upgrade leads from it to the head', 'waiting'],
  missing: ['the catalog does not have it', 'off'],
};

function legendOf(lanes: readonly GraphLane[]): GraphModel['legend'] {
  const used = new Set(lanes.flatMap(({ nodes }) => nodes.flatMap(({ marks }) => marks)));
  return (Object.keys(WORDS) as NodeMark[])
    .filter((mark) => used.has(mark))
    .map((mark) => ({ mark, words: WORDS[mark][0], badge: { word: mark, tone: WORDS[mark][1] } }));
}
