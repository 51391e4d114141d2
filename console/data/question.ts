/** The question of a Subscription for the resolver, from its spec, its status and the content of Catalogs. Pure. */
import { compareText } from '../../api/compare-text.ts';
import type { Catalog } from '../../api/catalog.ts';
import { failedNames } from '../../api/same-bundle.ts';
import type { Subscription } from '../../api/subscription.ts';
import type { CatalogSource, Installed, ResolveInput } from '../../resolver/input.ts';
import { matchesSelector } from '../../resolver/selector.ts';
import type { Answer } from './ask.ts';
import type { PackageContent } from './content.ts';

/** By name of the Catalog. */
export type PackageAnswers = ReadonlyMap<string, Answer<PackageContent | undefined>>;

/** The Catalogs whose content can decide about a Subscription, the most important first. */
export function catalogsFor({ spec, status }: Subscription, catalogs: readonly Catalog[]): readonly Catalog[] {
  const origin = status?.installed?.catalog;
  return catalogs
    .filter((one) => one.metadata.name === origin || isSelected(spec, one))
    .toSorted(
      (one, other) => other.spec.priority - one.spec.priority || compareText(one.metadata.name, other.metadata.name),
    )
    .slice(0, MOST_CATALOGS);
}

const MOST_CATALOGS = 20;

function isSelected({ catalog, catalogSelector }: Subscription['spec'], { metadata }: Catalog): boolean {
  if (catalog !== undefined) return metadata.name === catalog;
  return matchesSelector(catalogSelector, metadata.labels);
}

export interface QuestionFacts {
  readonly catalogs: readonly Catalog[];
  readonly packages: PackageAnswers;
  readonly kubernetesVersion?: string | undefined;
  /** Why a Catalog may not be used in the namespace; undefined if it may. Absent: all may be used. */
  readonly whyNotServed?: (catalog: Catalog) => string | undefined;
}

/** Without the dependencies of other packages, whose content is not read. */
export function questionOf(subscription: Subscription, facts: QuestionFacts): ResolveInput {
  const { spec, status } = subscription;
  const { channel, version, catalog } = spec;
  const { installed, quarantined = [] } = status ?? {};
  return {
    wanted: {
      package: spec.package,
      edges: spec.edges,
      dependencies: 'Ignore',
      ...(channel !== undefined && { channel }),
      ...(version !== undefined && { version }),
      ...(catalog !== undefined && { catalog }),
    },
    ...(installed !== undefined && { installed: installedOf(installed) }),
    catalogs: catalogsFor(subscription, facts.catalogs).flatMap((one) => sourceOf(one, subscription, facts) ?? []),
    quarantined: failedNames(quarantined, installed),
    ...(facts.kubernetesVersion !== undefined && {
      cluster: { providedKinds: [], kubernetesVersion: facts.kubernetesVersion },
    }),
  };
}

function installedOf({
  bundle,
  version,
  release,
  catalog,
  channel,
  image,
}: NonNullable<NonNullable<Subscription['status']>['installed']>): Installed {
  // prettier-ignore
  return {
    bundle,
    version,
    catalog,
    image,
    ...(release !== undefined && { release }),
    ...(channel !== undefined && { channel }),
  };
}

/** As the manager sees it: one that may not be used is there only if the Subscription refers to it. */
function sourceOf(catalog: Catalog, { spec, status }: Subscription, facts: QuestionFacts): CatalogSource | undefined {
  const { name } = catalog.metadata;
  const { priority } = catalog.spec;
  const message = facts.whyNotServed?.(catalog);
  const isReferred = [spec.catalog, status?.installed?.catalog].includes(name);
  if (message !== undefined)
    return isReferred ? { name, priority, state: 'NotAllowed', message, content: () => undefined } : undefined;
  const { packages } = facts;
  const answer = packages.get(name);
  const isRead = answer !== undefined && 'value' in answer;
  return {
    name,
    priority,
    selected: isSelected(spec, catalog),
    state: isRead ? 'Serving' : 'Unavailable',
    content: (packageName) => (isRead && packageName === spec.package ? answer.value?.content : undefined),
  };
}

/** Larger packages are not resolved here: a search takes time by the square of its versions, and a change of a view a second at most. */
const MOST_VERSIONS = 300;

/** Whether the content of all Catalogs together is too large to resolve while a person waits. */
export function isTooLarge(packages: PackageAnswers): boolean {
  const sizes = [...packages.values()].map((one) => ('value' in one ? sizeOf(one.value) : 0));
  return sizes.reduce((sum, one) => sum + one, 0) > MOST_VERSIONS;
}

/** An entry of a channel counts as a version: one bundle may be in hundreds of channels. */
function sizeOf(one: PackageContent | undefined): number {
  if (one === undefined) return 0;
  const { bundles, channels } = one.content;
  return Math.max(bundles.length, channels.reduce((sum, { entries }) => sum + entries.length, 0) / MOST_CHANNELS_OF_ONE); // prettier-ignore
}

/** Of a usual package: a version is in a few channels. */
const MOST_CHANNELS_OF_ONE = 10;

/** The content that a question is about, in the order of its Catalogs; the rest of the question is data. */
export function contentsOf({ catalogs, wanted }: ResolveInput): readonly (object | undefined)[] {
  return catalogs.map(({ content }) => content(wanted.package));
}
