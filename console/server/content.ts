/**
 * The content of Catalogs, as a person may see it: who may `get` the Catalog may read its content, as with the manager's
 * `--catalog-auth=token`. The reduced content is kept for as long as the Catalog has the same digest, and is shared.
 */
import { ReasonedError } from '../../api/errors.ts';
import { objectName } from '../../api/fields.ts';
import { GROUP } from '../../api/names.ts';
import type { KubeObject } from '../../api/object.ts';
import { fieldsOf, textOf } from '../../api/untyped.ts';
import { SharedSlots } from '../../apply/shared-slots.ts';
import type { Client } from '../../kube/client/client.ts';
import type { Log } from '../../kube/log.ts';
import type { Answer, Asked, ContentAsk } from '../data/ask.ts';
import { iconQueryOf, queriesOf, type PackageContent } from '../data/content.ts';
import { reducePackage } from '../data/reduce-content.ts';
import { slimDocument } from '../data/slim-document.ts';
import { answered } from './answered.ts';
import type { ReadDocuments } from './documents.ts';
import { iconIn, type Icon } from './icons.ts';
import { Kept } from './kept.ts';
import { Listings, type CatalogVersion } from './listings.ts';
import type { Person } from './person.ts';
import { ContentReader } from './read-content.ts';
import type { PersonRights } from './rights.ts';
import type { LiveStore } from './store.ts';

export interface ContentParts {
  readonly read: ReadDocuments;
  readonly rights: Pick<PersonRights, 'may'>;
  readonly store: Pick<LiveStore, 'list'>;
  /** Called when more of a listing is known than was answered. */
  readonly onMore: () => void;
  readonly log: Log;
}

/** Packages and icons that are kept, and the characters or bytes of all of them. */
const MOST_PACKAGES = 64;
const MOST_CHARACTERS = 64 << 20;
const MOST_ICONS = 256;
const MOST_ICON_BYTES = 16 << 20;

/** Packages and icons that are read for one person at a time: the requests to the manager are few. */
const PARALLEL_OF_PERSON = 1;

interface KeptPackage {
  readonly content: PackageContent | undefined;
  readonly characters: number;
}

export class CatalogContent {
  readonly #parts: ContentParts;
  readonly #reader: ContentReader;
  readonly #listings: Listings;
  readonly #shares = new SharedSlots({ share: PARALLEL_OF_PERSON });
  // That something is missing is not kept: there are more names without content than with.
  readonly #packages = new Kept<KeptPackage>({
    most: MOST_PACKAGES,
    weigh: ({ characters }) => characters,
    mostWeight: MOST_CHARACTERS,
    isKept: ({ content }) => content !== undefined,
  });
  readonly #icons = new Kept<Icon | undefined>({
    most: MOST_ICONS,
    weigh: (icon) => icon?.bytes.length ?? 0,
    mostWeight: MOST_ICON_BYTES,
    isKept: (icon) => icon !== undefined,
  });

  constructor(parts: ContentParts) {
    this.#parts = parts;
    this.#reader = new ContentReader(parts.read);
    this.#listings = new Listings({ reader: this.#reader, onMore: parts.onMore, log: parts.log });
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
          const of = await this.#require(person, catalog, signal);
          return ask.kind === 'listing' ? this.#listings.get(of, client) : this.#package(of, ask, { person, client });
        };
        return [catalog, await answered(read, signal)] as const;
      }),
    );
    // Each of the two has the answers of its own kind of question.
    const byCatalog = new Map<string, Answer<never>>(answers as readonly (readonly [string, Answer<never>])[]);
    return ask.kind === 'listing' ? { listings: byCatalog } : { packages: byCatalog };
  }

  /** The icon of a package. @throws ReasonedError Forbidden, ObjectNotFound, CatalogUnavailable */
  async icon(person: Person, question: IconQuestion, client: Client, signal: AbortSignal): Promise<Icon | undefined> {
    const { catalog, name } = question;
    const of = await this.#require(person, catalog, signal);
    if (await this.#listings.lacks(of, name)) return undefined;
    return this.#icons.get(`${of.version} ${name}`, async () => {
      const queries = [iconQueryOf(name)];
      const read = () => this.#reader.view(client, { catalog, queries, reduce: (one) => one });
      const { documents } = await this.#shares.run(person.user, read);
      return documents[0] === undefined ? undefined : iconIn(documents[0]);
    });
  }

  /** The right comes first, as at the API server: those who lack it do not see whether the Catalog exists. */
  async #require(person: Person, catalog: string, signal: AbortSignal): Promise<CatalogVersion> {
    if (!Name.safeParse(catalog).success) throw missing(catalog);
    const access = { verb: 'get', group: GROUP, resource: 'catalogs', name: catalog };
    if ((await this.#parts.rights.may(person, access, signal)) !== true) throw mayNot(person, catalog);
    const found = this.#parts.store.list('catalogs').find(({ metadata }) => metadata.name === catalog);
    if (found === undefined) throw missing(catalog);
    return { catalog, version: versionOf(found) };
  }

  async #package(
    of: CatalogVersion,
    ask: Extract<ContentAsk, { kind: 'package' }>,
    { person, client }: { readonly person: Person; readonly client: Client },
  ): Promise<PackageContent | undefined> {
    const { package: name } = ask;
    if (await this.#listings.lacks(of, name)) return undefined;
    const { content } = await this.#packages.get(`${of.version} ${name}`, async () => {
      const question = { catalog: of.catalog, queries: queriesOf(ask), reduce: slimDocument };
      const read = () => this.#reader.view(client, question);
      const { documents, characters } = await this.#shares.run(person.user, read);
      return { content: reducePackage(name, documents), characters };
    });
    return content;
  }
}

/** The digest that is in service; a Catalog that is made again under its name is another one. */
function versionOf({ metadata, status }: KubeObject): string {
  return `${metadata.name} ${metadata.uid ?? ''} ${textOf(fieldsOf(status)['digest'])}`;
}

export interface IconQuestion {
  readonly catalog: string;
  readonly name: string;
}

/** A browser can make up any name; one that no object can have is not reviewed. */
const Name = objectName();

function missing(catalog: string): ReasonedError {
  return new ReasonedError({
    reason: 'ObjectNotFound',
    retry: 'backoff',
    message: `There is no Catalog ${catalog}`,
    hint: 'Choose one in the catalog',
  });
}

function mayNot({ user }: Person, catalog: string): ReasonedError {
  return new ReasonedError({
    reason: 'Forbidden',
    retry: 'backoff',
    message: `${user} may not get Catalog ${catalog}`,
    hint: 'Ask an administrator for the right to get catalogs.slipway.dev',
  });
}
