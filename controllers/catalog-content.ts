/**
 * The content of all Catalogs that this process serves: one open index each. A new index replaces the old one at once;
 * until then, and if it cannot be built, the old one stays in service. Every replica has its own.
 */
import type { CatalogIndex } from '../catalog/index/open.ts';
import { createLending, type Lending } from '../catalog/lending.ts';
import type { StoredContent, IndexStore } from '../catalog/store.ts';
import { createPreparations } from './preparations.ts';

export interface ServedCatalog {
  /** Image reference by digest. */
  readonly digest: string;
  readonly index: CatalogIndex;
}

export interface CatalogContent {
  get(catalog: string): ServedCatalog | undefined;
  /** As `get`, and the index stays open until it is released, even if other content replaces it in the meantime. */
  borrow(catalog: string): (ServedCatalog & { readonly release: () => void }) | undefined;
  /** Opens an index that an earlier process built; returns whether it is in service now. */
  restore(catalog: string, digest: string): boolean;
  /** Builds an index and takes it into service. */
  load(catalog: string, source: StoredContent, signal: AbortSignal): Promise<CatalogIndex>;
  /** Takes a catalog out of service and deletes its files. */
  drop(catalog: string): void;
  /** Calls the listener with the name of each catalog whose content has changed. */
  onChange(listener: (catalog: string) => void): void;
}

interface Held extends ServedCatalog {
  readonly lending: Lending;
}

/**
 * One index is built at a time, as each takes up to half of the memory of the manager. The largest published catalog takes five
 * seconds; the content of one that takes longer comes slowly, and holds up the others no longer.
 */
const BUILDS = { most: 1, slowMilliseconds: 15_000 };

/**
 * @param expected Digests that were in service before this process began, by catalog: not opened yet, and not to be
 * deleted.
 */
export function createCatalogContent(store: IndexStore, expected: () => ReadonlyMap<string, string>): CatalogContent {
  const served = new Map<string, Held>();
  const listeners: ((catalog: string) => void)[] = [];
  const builds = createPreparations(BUILDS);

  function replace(catalog: string, next: ServedCatalog | undefined): void {
    const old = served.get(catalog);
    if (next === undefined) served.delete(catalog);
    else served.set(catalog, { ...next, lending: createLending(() => next.index.close()) });
    old?.lending.retire();
    // First the listeners, then the disk: files that cannot be deleted are no reason to keep listeners waiting.
    for (const listener of listeners) listener(catalog);
    store.collect(new Map([...expected(), ...[...served].map(([name, { digest }]) => [name, digest] as const)]));
  }

  return {
    get: (catalog) => served.get(catalog),
    borrow(catalog) {
      const held = served.get(catalog);
      return held && { digest: held.digest, index: held.index, release: held.lending.lend() };
    },
    restore(catalog, digest) {
      const index = store.open(catalog, digest);
      if (index !== undefined) replace(catalog, { digest, index });
      return index !== undefined;
    },
    async load(catalog, source, signal) {
      const index = await builds(() => store.build(catalog, source, signal));
      replace(catalog, { digest: source.digest, index });
      return index;
    },
    drop: (catalog) => replace(catalog, undefined),
    onChange: (listener) => void listeners.push(listener),
  };
}
