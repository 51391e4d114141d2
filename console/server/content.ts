/**
 * The content of Catalogs, as a person may see it: who may `get` the Catalog may read its content, as with the manager's
 * `--catalog-auth=token`. The reduced content is kept for as long as the Catalog has the same digest, and is shared.
 */
import { ReasonedError } from '../../api/errors.ts';
import { GROUP } from '../../api/names.ts';
import { fieldsOf, textOf, type Fields } from '../../api/untyped.ts';
import { createSlots, inSlots } from '../../apply/slots.ts';
import type { Client } from '../../kube/client/client.ts';
import type { Answer, Asked, ContentAsk } from '../data/ask.ts';
import { headQueriesOf, iconQueryOf, queriesOf, type CatalogListing, type ContentQuery } from '../data/content.ts';
import { iconOf, reduceListing, reducePackage, withAbout } from '../data/reduce-content.ts';
import { answered } from './answered.ts';
import type { ReadDocuments } from './documents.ts';
import { iconIn, type Icon } from './icons.ts';
import { Kept } from './kept.ts';
import type { Person } from './person.ts';
import type { PersonRights } from './rights.ts';
import type { LiveStore } from './store.ts';

export interface ContentParts {
  readonly read: ReadDocuments;
  readonly rights: Pick<PersonRights, 'may'>;
  readonly store: Pick<LiveStore, 'list'>;
  /** Called when more of a listing is known than was answered. */
  readonly onMore: () => void;
}

/** Listings and packages that are kept; each is at most about a megabyte, and most are far smaller. */
const MOST_KEPT = 64;
const MOST_ICONS = 256;
/** Requests to the manager at a time. */
const PARALLEL = 4;
/** A catalog that cannot be read is asked for again after so long. */
const READ_SECONDS = 60;

export class CatalogContent {
  readonly #parts: ContentParts;
  readonly #kept = new Kept<unknown>(MOST_KEPT);
  readonly #icons = new Kept<Icon | undefined>(MOST_ICONS);
  readonly #slots = createSlots(PARALLEL);

  constructor(parts: ContentParts) {
    this.#parts = parts;
  }

  /** The answers for each Catalog that is asked for; one that the person may not get is Forbidden. */
  async answer(
    person: Person,
    ask: ContentAsk,
    client: Client,
    signal: AbortSignal,
  ): Promise<Pick<Asked, 'listings' | 'packages'>> {
    const answers = await Promise.all(
      [...new Set(ask.catalogs)].map(async (catalog) => {
        const read = async (): Promise<unknown> => {
          await this.#require(person, catalog, signal);
          return ask.kind === 'listing' ? this.#listing(catalog, client) : this.#package(catalog, ask, client);
        };
        return [catalog, await answered(read, signal)] as const;
      }),
    );
    // Each of the two has the answers of its own kind of question.
    const byCatalog = new Map<string, Answer<never>>(answers as readonly (readonly [string, Answer<never>])[]);
    return ask.kind === 'listing' ? { listings: byCatalog } : { packages: byCatalog };
  }

  /** The icon of a package. @throws ReasonedError Forbidden, CatalogUnavailable */
  async icon(person: Person, question: IconQuestion, client: Client, signal: AbortSignal): Promise<Icon | undefined> {
    const { catalog, name } = question;
    await this.#require(person, catalog, signal);
    return this.#icons.get(`${this.#versionOf(catalog)} ${name}`, async () => {
      const [document] = await this.#documents(client, catalog, [iconQueryOf(name)]);
      return document === undefined ? undefined : iconIn(document);
    });
  }

  async #require(person: Person, catalog: string, signal: AbortSignal): Promise<void> {
    const access = { verb: 'get', group: GROUP, resource: 'catalogs', name: catalog };
    if ((await this.#parts.rights.may(person, access, signal)) !== true) throw mayNot(person, catalog);
  }

  #listing(catalog: string, client: Client): Promise<CatalogListing> {
    const key = `${this.#versionOf(catalog)} listing`;
    return this.#kept.get(key, async () => {
      const queries = queriesOf({ kind: 'listing', catalogs: [catalog] });
      const listing = reduceListing(await this.#documents(client, catalog, queries));
      void this.#addHeads(key, { catalog, listing, client });
      return listing;
    }) as Promise<CatalogListing>;
  }

  /** The heads of a large catalog take a while: the listing is shown before. */
  async #addHeads(key: string, { catalog, listing, client }: UnfinishedListing): Promise<void> {
    try {
      const documents = await this.#documents(client, catalog, headQueriesOf(listing));
      this.#kept.replace(key, withAbout(listing, documents));
      this.#parts.onMore();
    } catch (error) {
      if (!(error instanceof ReasonedError)) throw error;
    }
  }

  #package(catalog: string, ask: Extract<ContentAsk, { kind: 'package' }>, client: Client): Promise<unknown> {
    const { package: name } = ask;
    return this.#kept.get(`${this.#versionOf(catalog)} package ${name}`, async () =>
      reducePackage(name, await this.#documents(client, catalog, queriesOf(ask))),
    );
  }

  async #documents(client: Client, catalog: string, queries: readonly ContentQuery[]): Promise<readonly Fields[]> {
    const signal = AbortSignal.timeout(READ_SECONDS * 1000);
    const found = await inSlots({ slots: this.#slots, signal }, queries, async (query) => {
      const documents: Fields[] = [];
      for await (const one of this.#parts.read(client, { catalog, query }, signal))
        documents.push(query.name === undefined ? withoutIcon(one) : one);
      return documents;
    });
    return found.flat();
  }

  /** The digest that is in service; a Catalog that is made again under its name is another one. */
  #versionOf(catalog: string): string {
    const found = this.#parts.store.list('catalogs').find(({ metadata }) => metadata.name === catalog);
    return `${catalog} ${found?.metadata.uid ?? ''} ${textOf(fieldsOf(found?.['status'])['digest'])}`;
  }
}

interface UnfinishedListing {
  readonly catalog: string;
  readonly listing: CatalogListing;
  readonly client: Client;
}

export interface IconQuestion {
  readonly catalog: string;
  readonly name: string;
}

/** Whether there is an icon is kept, and not its bytes: those of a large catalog are most of it. */
function withoutIcon(document: Fields): Fields {
  const icon = iconOf(document);
  return document['icon'] === undefined
    ? document
    : { ...document, icon: icon === undefined ? undefined : { mediatype: icon.mediaType, base64data: 'A' } };
}

function mayNot({ user }: Person, catalog: string): ReasonedError {
  return new ReasonedError({
    reason: 'Forbidden',
    retry: 'backoff',
    message: `${user} may not get Catalog ${catalog}`,
    hint: 'Ask an administrator for the right to get catalogs.slipway.dev',
  });
}
