/**
 * The packages of each Catalog, kept for as long as the Catalog has the same digest. The titles of
 * packages, which their heads have, are read afterwards, one head at a time: the listing is useful without it, and no other view waits for it.
 */
import { formatJson } from '../../api/json.ts';
import type { Fields } from '../../api/untyped.ts';
import type { Client } from '../../kube/client/client.ts';
import type { Log } from '../../kube/log.ts';
import { headQueriesOf, queriesOf, type CatalogListing, type ContentQuery } from '../data/content.ts';
import { reduceListing, withAbout } from '../data/reduce-content.ts';
import { slimDocument } from '../data/slim-document.ts';
import { Kept } from './kept.ts';
import type { ContentReader } from './read-content.ts';

export interface ListingsParts {
  readonly reader: ContentReader;
  /** Called when more of a listing is known than was answered. */
  readonly onMore: () => void;
  readonly log: Log;
}

/** A Catalog and its version, which is another one whenever its content is. */
export interface CatalogVersion {
  readonly catalog: string;
  readonly version: string;
}

interface KeptListing {
  readonly listing: CatalogListing;
  readonly characters: number;
}

/** Catalogs whose listings are kept, and the characters of all of them. */
const MOST_LISTINGS = 64;
const MOST_CHARACTERS = 64 << 20;
/** Heads after which views get the listing as far as it is known. */
const HEADS_AT_ONCE = 200;
/** The manager is away, and not one head at fault. */
const MOST_FAILURES_IN_A_ROW = 3;

export class Listings {
  readonly #parts: ListingsParts;
  readonly #kept = new Kept<KeptListing>({
    most: MOST_LISTINGS,
    weigh: ({ characters }) => characters,
    mostWeight: MOST_CHARACTERS,
  });
  /** Versions whose heads are being read, or were read to the end. */
  readonly #heads = new Set<string>();

  constructor(parts: ListingsParts) {
    this.#parts = parts;
  }

  /** @throws ReasonedError CatalogUnavailable, Forbidden */
  async get(of: CatalogVersion, client: Client): Promise<CatalogListing> {
    const { listing } = await this.#kept.get(of.version, () => this.#read(of, client));
    if (!this.#heads.has(of.version)) void this.#addHeads(of, listing, client);
    return listing;
  }

  /** Whether the Catalog is known to lack a package, without a request. */
  async lacks({ version }: CatalogVersion, name: string): Promise<boolean> {
    const kept = await this.#kept.peek(version)?.catch(() => undefined);
    return kept !== undefined && kept.listing.omitted === 0 && !kept.listing.packages.some((one) => one.name === name);
  }

  async #read({ catalog }: CatalogVersion, client: Client): Promise<KeptListing> {
    const queries = queriesOf({ kind: 'listing', catalogs: [catalog] });
    const { documents, characters } = await this.#parts.reader.view(client, { catalog, queries, reduce: slimDocument });
    return { listing: reduceListing(documents), characters };
  }

  /** Never rejects. A head that cannot be read is left out until the listing is asked for again. */
  async #addHeads(of: CatalogVersion, first: CatalogListing, client: Client): Promise<void> {
    this.#heads.add(of.version);
    try {
      const isWhole = await this.#readHeads(of, first, client);
      if (!isWhole) this.#heads.delete(of.version);
    } catch (error) {
      this.#heads.delete(of.version);
      this.#parts.log.warn({ err: error, catalog: of.catalog }, 'titles of packages cannot be read');
    }
    for (const version of this.#heads) if (!this.#kept.has(version)) this.#heads.delete(version);
  }

  /** Whether all were read. */
  async #readHeads(of: CatalogVersion, first: CatalogListing, client: Client): Promise<boolean> {
    let listing = first;
    let failed = 0;
    let inARow = 0;
    let documents: Fields[] = [];
    const publish = (): void => {
      if (documents.length === 0) return;
      listing = withAbout(listing, documents);
      documents = [];
      this.#kept.replace(of.version, { listing, characters: formatJson(listing).length });
      this.#parts.onMore();
    };
    for (const query of headQueriesOf(first)) {
      if (!this.#kept.has(of.version)) return false;
      const found = await this.#head(of.catalog, query, client);
      if (found === undefined) failed += 1;
      inARow = found === undefined ? inARow + 1 : 0;
      if (inARow === MOST_FAILURES_IN_A_ROW) break;
      documents.push(...(found ?? []));
      if (documents.length >= HEADS_AT_ONCE) publish();
    }
    publish();
    return failed === 0;
  }

  /** Undefined if it cannot be read. */
  async #head(catalog: string, query: ContentQuery, client: Client): Promise<readonly Fields[] | undefined> {
    try {
      const { documents } = await this.#parts.reader.head(client, { catalog, queries: [query], reduce: slimDocument });
      return documents;
    } catch (error) {
      this.#parts.log.debug({ err: error, catalog, package: query.package }, 'the title of a package cannot be read');
      return undefined;
    }
  }
}
