/** Documents of Catalogs, a few requests at a time, reduced while they are read and bounded in all. */
import { ReasonedError } from '../../api/errors.ts';
import { formatJson } from '../../api/json.ts';
import type { Fields } from '../../api/untyped.ts';
import { createSlots, inSlots, type Slots } from '../../apply/slots.ts';
import type { Client } from '../../kube/client/client.ts';
import type { ContentQuery } from '../data/content.ts';
import type { ReadDocuments } from './documents.ts';

/** Requests to the manager at a time, for views that persons wait for. */
const PARALLEL = 4;
/** How long a request may take, from the moment at which it is sent. */
const READ_SECONDS = 60;
/** Characters of the reduced documents of one question; the largest package of public catalogs has a few millions. */
const MOST_CHARACTERS = 32 << 20;

export interface ReduceOptions {
  readonly catalog: string;
  readonly queries: readonly ContentQuery[];
  readonly reduce: (document: Fields) => Fields;
  readonly mostCharacters?: number;
}

/** Documents, and how large they are. */
export interface ReducedDocuments {
  readonly documents: readonly Fields[];
  readonly characters: number;
}

export class ContentReader {
  readonly #read: ReadDocuments;
  readonly #forViews = createSlots(PARALLEL);
  /** Of its own: a large catalog has thousands of heads, and no view waits for them. */
  readonly #forHeads = createSlots(1);

  constructor(read: ReadDocuments) {
    this.#read = read;
  }

  /** @throws ReasonedError CatalogUnavailable; TooLarge is CatalogUnavailable too; Forbidden */
  view(client: Client, options: ReduceOptions): Promise<ReducedDocuments> {
    return this.#collect(this.#forViews, client, options);
  }

  /** As `view`, in a lane of its own. */
  head(client: Client, options: ReduceOptions): Promise<ReducedDocuments> {
    return this.#collect(this.#forHeads, client, options);
  }

  async #collect(slots: Slots, client: Client, options: ReduceOptions): Promise<ReducedDocuments> {
    const { catalog, queries, reduce, mostCharacters = MOST_CHARACTERS } = options;
    let characters = 0;
    const never = new AbortController().signal;
    const found = await inSlots({ slots, signal: never }, queries, async (query) => {
      const documents: Fields[] = [];
      const signal = AbortSignal.timeout(READ_SECONDS * 1000);
      for await (const one of this.#read(client, { catalog, query }, signal)) {
        const reduced = reduce(one);
        characters += formatJson(reduced).length;
        if (characters > mostCharacters) throw tooLarge(catalog, queries);
        documents.push(reduced);
      }
      return documents;
    });
    return { documents: found.flat(), characters };
  }
}

function tooLarge(catalog: string, [first]: readonly ContentQuery[]): ReasonedError {
  const part = first?.name === undefined ? 'the listing' : `package ${first.name}`;
  return new ReasonedError({
    reason: 'CatalogUnavailable',
    retry: 'never',
    message: `Catalog ${catalog} cannot be shown: ${part} is larger than the console reads`,
    hint: 'Read it by slipway catalog list, and ask its publisher to remove versions that no cluster needs',
  });
}
