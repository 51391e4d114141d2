/** The packages of all Catalogs as tiles: searched, filtered by category, and cut into pages. Pure. */
import { compareText } from '../../api/compare-text.ts';
import type { Subscription } from '../../api/subscription.ts';
import type { Answer } from './ask.ts';
import type { CatalogListing, ListedPackage } from './content.ts';
import { iconPath, packagePath, subscriptionPath } from './links.ts';
import type { Link, PackageTile } from './models.ts';
import { line, nameOf } from './text.ts';

export const TILE_LIMITS = { page: 60, description: 240, categories: 60, installed: 20, search: 100 } as const;

/** One package of one Catalog, with its place in the order of the search. */
export interface FoundPackage {
  readonly catalog: string;
  readonly listed: ListedPackage;
  /** Compared as text; the cursor of a page is the key of its last package. */
  readonly key: string;
}

/** The packages that have a term in their name, title, provider or description; matches of the name come first. */
export function searchPackages(
  listings: ReadonlyMap<string, Answer<CatalogListing>>,
  term: string,
): readonly FoundPackage[] {
  const wanted = term.slice(0, TILE_LIMITS.search).trim().toLowerCase();
  return [...listings]
    .flatMap(([catalog, answer]) =>
      ('value' in answer ? answer.value.packages : []).flatMap((listed) => {
        const rank = rankOf(listed, wanted);
        return rank === undefined ? [] : [{ catalog, listed, key: `${rank} ${listed.name} ${catalog}` }];
      }),
    )
    .toSorted((one, other) => compareText(one.key, other.key));
}

/** 0: the name begins with it. 1: the name or title has it. 2: another text has it. Undefined: none has. */
function rankOf({ name, description, about }: ListedPackage, wanted: string): number | undefined {
  const [id, title] = [name.toLowerCase(), (about?.title ?? '').toLowerCase()];
  if (id.startsWith(wanted)) return 0;
  if (id.includes(wanted) || title.includes(wanted)) return 1;
  return `${description}\n${about?.provider ?? ''}`.toLowerCase().includes(wanted) ? 2 : undefined;
}

export function isIn({ listed }: FoundPackage, category: string | undefined): boolean {
  return category === undefined || listed.about?.categories.includes(category) === true;
}

/** The page after a cursor. A cursor of another search is a place in the order as well. */
export function pageOf(
  found: readonly FoundPackage[],
  cursor: string | undefined,
): { readonly page: readonly FoundPackage[]; readonly next?: string } {
  const rest = cursor === undefined ? found : found.filter(({ key }) => key > cursor);
  const page = rest.slice(0, TILE_LIMITS.page);
  const last = page.at(-1);
  return { page, ...(rest.length > page.length && last !== undefined && { next: last.key }) };
}

export function tileOf({ catalog, listed }: FoundPackage, subscriptions: readonly Subscription[]): PackageTile {
  const { name, description, hasIcon, deprecation, about } = listed;
  return {
    href: packagePath(catalog, name),
    catalog: nameOf(catalog),
    package: nameOf(name),
    title: nameOf(about?.title ?? name) || nameOf(name),
    ...(about?.provider !== undefined && { provider: nameOf(about.provider) }),
    description: line(plainText(description), TILE_LIMITS.description),
    categories: (about?.categories ?? []).slice(0, 10).map(nameOf),
    ...(about?.version !== undefined && { version: nameOf(about.version) }),
    ...(deprecation !== undefined && { deprecated: line(deprecation) }),
    ...(hasIcon && { icon: iconPath(catalog, name) }),
    installed: installedLinks(subscriptions, catalog, name),
  };
}

/** The Subscriptions for a package that use this Catalog, or none yet. */
export function usersOf(
  subscriptions: readonly Subscription[],
  catalog: string,
  name: string,
): readonly Subscription[] {
  return subscriptions
    .filter(({ spec, status }) => spec.package === name && (status?.installed?.catalog ?? catalog) === catalog)
    .slice(0, TILE_LIMITS.installed);
}

/** Where they are, each with its version. */
export function installedLinks(subscriptions: readonly Subscription[], catalog: string, name: string): readonly Link[] {
  return usersOf(subscriptions, catalog, name).map(({ metadata, status }) => ({
    label: nameOf(`${metadata.namespace}/${metadata.name} ${status?.installed?.version ?? '(none)'}`),
    href: subscriptionPath(metadata),
  }));
}

/** Descriptions are Markdown; a tile shows their words. */
function plainText(markdown: string): string {
  return markdown.replaceAll(/!?\[([^\]]{0,200})\]\([^)]{0,500}\)/g, '$1').replaceAll(/[#*_`>|]+/g, ' ');
}
