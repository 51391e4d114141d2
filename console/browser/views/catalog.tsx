/** The search over all Catalogs: it answers while the person types. */
import { useEffect } from 'preact/hooks';
import type { CatalogModel, CategoryCount, PackageTile, SearchedCatalog } from '../../data/models.ts';
import { StateBadge } from '../parts/badge.tsx';
import { Icon } from '../parts/icon.tsx';
import { EmptyState } from '../parts/lists.tsx';
import { PackageIcon } from '../parts/package-icon.tsx';
import { subscribePath } from '../parts/paths.ts';
import { useQuery } from '../parts/query.ts';
import { announce } from '../shell/announce.tsx';

export function CatalogView({ model }: { readonly model: CatalogModel }) {
  const { search, found, tiles, more, categories, catalogs, empty } = model;
  const query = useQuery();
  const words = found === 1 ? '1 operator' : `${found} operators`;
  useEffect(() => {
    if (search !== '') announce(`${words} found for ${search}`, { isSpoken: true });
  }, [search, found]);
  return (
    <>
      <form class="search" role="search" onSubmit={(event) => event.preventDefault()}>
        <label>
          <span class="hidden">Search the catalog</span>
          <Icon name="search" />
          <input
            type="search"
            placeholder="Search operators"
            autocomplete="off"
            spellcheck={false}
            defaultValue={query.get('search')}
            onInput={({ currentTarget }) => query.set('search', currentTarget.value, { later: true })}
          />
        </label>
        <p class="muted" aria-hidden="true">
          {words}
        </p>
      </form>
      <Searched catalogs={catalogs} />
      <Categories categories={categories} />
      {empty !== undefined && <EmptyState empty={empty} />}
      <ul class="tiles" aria-label="Operators">
        {tiles.map((tile) => (
          <Tile key={tile.href} tile={tile} />
        ))}
      </ul>
      {more !== undefined && (
        <a class="button more" href={more.href}>
          {more.label}
        </a>
      )}
    </>
  );
}

/** Catalogs only matter here if one of them cannot be searched. */
function Searched({ catalogs }: { readonly catalogs: readonly SearchedCatalog[] }) {
  const troubled = catalogs.filter(({ state }) => state.tone !== 'good');
  if (troubled.length === 0) return null;
  return (
    <ul class="rows">
      {troubled.map(({ name, state, message }) => (
        <li key={name} class="row-card">
          <div class="row-head">
            <strong>Catalog {name}</strong>
            <StateBadge badge={state} />
          </div>
          <p>{message}</p>
        </li>
      ))}
    </ul>
  );
}

function Categories({ categories }: { readonly categories: readonly CategoryCount[] }) {
  if (categories.length === 0) return null;
  return (
    <nav class="categories" aria-label="Categories">
      {categories.map(({ name, count, isChosen, href }) => (
        <a key={name} href={href} class="chip" {...(isChosen && { 'aria-current': 'true' as const })}>
          {name} <span class="chip-count">{count}</span>
        </a>
      ))}
    </nav>
  );
}

function Tile({ tile }: { readonly tile: PackageTile }) {
  const { href, title, provider, description, version, deprecated, icon, installed, catalog } = tile;
  return (
    <li class="tile">
      <div class="tile-head">
        <PackageIcon src={icon} />
        <div>
          <a class="tile-title" href={href}>
            {title}
          </a>
          <p class="muted">{[provider, version].filter((part) => part !== undefined && part !== '').join(' · ')}</p>
        </div>
      </div>
      <p class="tile-text">{description}</p>
      <div class="tile-foot">
        {deprecated !== undefined && <StateBadge badge={{ word: 'Deprecated', tone: 'waiting' }} />}
        {installed.length > 0 && <StateBadge badge={{ word: 'Installed', tone: 'good' }} />}
        <span class="muted">{catalog}</span>
        <a class="tile-subscribe" href={subscribePath(catalog, tile.package)}>
          Subscribe<span class="hidden"> to {title}</span>
        </a>
      </div>
    </li>
  );
}
