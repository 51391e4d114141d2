/** The search over all Catalogs. Pure. */
import { compareText } from '../../api/compare-text.ts';
import type { Catalog } from '../../api/catalog.ts';
import { findCondition } from '../../api/conditions.ts';
import { readyBadge } from './badges.ts';
import { contentNotices } from './content-notices.ts';
import { withQuery } from './links.ts';
import type { CatalogModel, CategoryCount, Empty, Notice, SearchedCatalog } from './models.ts';
import { reachNotices, readyMessage } from './objects.ts';
import { line, nameOf } from './text.ts';
import { isIn, pageOf, searchPackages, tileOf, TILE_LIMITS, type FoundPackage } from './tiles.ts';
import type { Asked, Parameters, View, Visible } from './view.ts';

/** Catalogs that are searched. */
const MOST_CATALOGS = 20;

export const catalog: View<CatalogModel> = {
  path: '/catalog',
  query: ['search', 'category', 'cursor'],
  reads: ['catalogs', 'subscriptions'],
  ask: (visible) => ({
    content: { kind: 'listing', catalogs: searched(visible).map(({ metadata }) => metadata.name) },
  }),
  show: showCatalog,
};

function showCatalog(visible: Visible, parameters: Parameters, { listings = new Map() }: Asked): CatalogModel {
  const search = (parameters['search'] ?? '').slice(0, TILE_LIMITS.search);
  const { category, cursor } = parameters;
  const matching = searchPackages(listings, search);
  const found = matching.filter((one) => isIn(one, category));
  const { page, next } = pageOf(found, cursor);
  const empty = found.length === 0 ? whyEmpty(visible, { search, category }) : undefined;
  return {
    title: 'Catalog',
    notices: [...reachNotices(visible, ['catalogs']), ...contentNotices(listings), ...omittedNotices(listings)],
    search: line(search),
    found: found.length,
    tiles: page.map((one) => tileOf(one, visible.subscriptions)),
    ...(next !== undefined && {
      more: { label: 'More packages', href: withQuery('/catalog', { search, category, cursor: next }) },
    }),
    categories: categoriesOf(matching, { search, category }),
    catalogs: searched(visible).map(searchedRow),
    ...(empty !== undefined && { empty }),
  };
}

function searched({ catalogs }: Visible): readonly Catalog[] {
  return catalogs.toSorted((one, other) => compareText(one.metadata.name, other.metadata.name)).slice(0, MOST_CATALOGS);
}

function searchedRow({ metadata, status }: Catalog): SearchedCatalog {
  const isWorking = findCondition(status?.conditions, 'Reconciling') !== undefined;
  return {
    name: nameOf(metadata.name),
    state: readyBadge(findCondition(status?.conditions, 'Ready'), isWorking),
    message: readyMessage('Catalog', status?.conditions),
    ...(status?.packages !== undefined && { packages: status.packages }),
    ...(status?.bundles !== undefined && { bundles: status.bundles }),
  };
}

interface Wish {
  readonly search: string;
  readonly category: string | undefined;
}

function categoriesOf(found: readonly FoundPackage[], { search, category }: Wish): readonly CategoryCount[] {
  const counts = new Map<string, number>();
  for (const { listed } of found)
    for (const name of listed.about?.categories ?? []) counts.set(name, (counts.get(name) ?? 0) + 1);
  return [...counts]
    .toSorted(([one, a], [other, b]) => b - a || compareText(one, other))
    .slice(0, TILE_LIMITS.categories)
    .map(([name, count]) => {
      const isChosen = name === category;
      const href = withQuery('/catalog', { search, category: isChosen ? undefined : name });
      return { name: nameOf(name), count, isChosen, href };
    });
}

function omittedNotices(listings: NonNullable<Asked['listings']>): readonly Notice[] {
  return [...listings].flatMap(([name, answer]): readonly Notice[] =>
    'value' in answer && answer.value.omitted > 0
      ? [{ tone: 'unknown', text: line(`Catalog ${name} has ${answer.value.omitted} further packages, which are not searched`) }] // prettier-ignore
      : [],
  );
}

function whyEmpty(visible: Visible, { search, category }: Wish): Empty {
  if (visible.catalogs.length === 0)
    return {
      message: 'There is no Catalog that you may see. Create one: docs/tutorial.md',
      next: [{ label: 'See Slipway itself', href: '/slipway' }],
    };
  const all = { label: 'Show all packages', href: '/catalog' };
  if (search !== '')
    return { message: line(`No package has ${JSON.stringify(search)} in its name or description`), next: [all] };
  if (category !== undefined) return { message: line(`No package is in category ${category}`), next: [all] };
  return { message: 'No Catalog offers a package yet', next: [{ label: 'See the Catalogs', href: '/slipway' }] };
}
