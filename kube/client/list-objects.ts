/**
 * Lists objects, in pages that form one consistent list. The users of a cluster decide how large its objects are: a page that is
 * too large is asked for again with fewer objects.
 */
import { readable, unavailable } from '../../api/api-error.ts';
import { isExpired, isNotFound } from '../../api/api-answers.ts';
import type { Keeping, ListOptions } from '../../api/cluster.ts';
import { groupKind, type Kind, type KubeObject } from '../../api/object.ts';
import { isTooLarge } from '../transport/attempts.ts';
import { send, type ServerConnection } from './connection.ts';
import { parseList, type ObjectList } from './parse-answer.ts';
import { collectionPath } from './resource-path.ts';
import { textWithout, type Unread } from './unread-fields.ts';

export interface ListPageOptions extends ListOptions, Unread {
  readonly continue?: string;
}

const PAGE_SIZE = 500;
/** Of a list of which parts are kept: other users may have made each object as large as the API server permits. */
const KEPT_PAGE_SIZE = 100;
/** Most of the metadata of a large object: 48 MB of them take 260 MB once they are parsed. */
const UNREAD = ['managedFields'];
const METADATA_LIST = 'application/json;as=PartialObjectMetadataList;g=meta.k8s.io;v=v1';

/**
 * Most bytes of a page of several objects. While it is read it is in memory three times, as bytes, as text and as objects, and
 * other workers read theirs.
 */
const MOST_PAGE_BYTES = 8 * 1024 * 1024;
/** Most bytes of one object, or of a list in one piece. */
const MOST_LIST_BYTES = 64 * 1024 * 1024;
/** By which a page shrinks if it is larger. */
const FEWER = 4;

/**
 * One page, of fewer objects than asked for if that many are too large together. Throws ApiError of code 404 if the kind is not
 * served, 410 for an expired continue token.
 */
export async function listPage(
  connection: ServerConnection,
  kind: Kind,
  options: ListPageOptions,
  signal?: AbortSignal,
): Promise<ObjectList> {
  const { limit } = options;
  try {
    return await fetchWithin(connection, kind, options, signal);
  } catch (error) {
    if (!isTooLarge(error) || limit === undefined || limit <= 1) throw error;
    const fewer = Math.ceil(limit / FEWER);
    return { limit: fewer, ...(await listPage(connection, kind, { ...options, limit: fewer }, signal)) };
  }
}

/** Throws an error that isTooLarge if the page has too many bytes. */
async function fetchWithin(
  connection: ServerConnection,
  kind: Kind,
  options: ListPageOptions,
  signal?: AbortSignal,
): Promise<ObjectList> {
  const { namespace, metadataOnly, unread = [], ...query } = options;
  const mostBytes = query.limit !== undefined && query.limit > 1 ? MOST_PAGE_BYTES : MOST_LIST_BYTES;
  const resource = await connection.discovery.need(kind, signal);
  const path = collectionPath(resource, namespace);
  const headers = metadataOnly === true ? { accept: METADATA_LIST } : {};
  const subject = `list ${groupKind(kind)}`;
  const response = await send(connection, { method: 'GET', path, query, headers, subject, mostBytes, signal });
  const list = readable(subject, () => parseList(textWithout(response.body, unread), kind));
  return { ...list, bytes: response.body.length };
}

/**
 * All objects, or with `keep` the first ones until there are `limit`; empty if discovery does not know the kind. Throws ApiError
 * of code 410 if a list with `keep` expires midway, and one of code 0 if a list without `keep` does not fit into memory.
 */
export async function listAll(
  connection: ServerConnection,
  kind: Kind,
  { keep, limit: most = Infinity, ...options }: ListOptions & Keeping,
  signal?: AbortSignal,
): Promise<readonly KubeObject[]> {
  const unread = keep === undefined ? [] : UNREAD;
  const fetchPage: FetchPage = (page) => listPage(connection, kind, { ...options, ...page, unread }, signal);
  try {
    const list =
      keep === undefined
        ? listConsistently(adding(connection.mostListBytes, kind, fetchPage))
        : listInPages(keeping(keep, fetchPage), KEPT_PAGE_SIZE, most);
    return (await list).items;
  } catch (error) {
    if (isNotFound(error) && kind.served === undefined) return [];
    throw error;
  }
}

/**
 * All pages of one consistent list. If the list expires on the server midway (410), everything is fetched again in one
 * piece, as pages of different lists do not match.
 */
export async function listConsistently(fetchPage: FetchPage): Promise<ObjectList> {
  try {
    return await listInPages(fetchPage, PAGE_SIZE);
  } catch (error) {
    if (isExpired(error)) return fetchPage({});
    throw error;
  }
}

type FetchPage = (page: { readonly limit?: number; readonly continue?: string }) => Promise<ObjectList>;

/** Adds the bytes of all pages, and throws if whole objects would fill the memory: the error names the kind, and others go on. */
function adding(mostBytes: number, kind: Kind, fetchPage: FetchPage): FetchPage {
  let sum = 0;
  return async (page) => {
    const found = await fetchPage(page);
    sum = (page.continue === undefined ? 0 : sum) + (found.bytes ?? 0);
    if (sum > mostBytes)
      throw unavailable(
        `list ${groupKind(kind)}`,
        `all objects have more than ${mostBytes} bytes. Delete some, or give the program more memory`,
      );
    return found;
  };
}

function keeping(keep: (object: KubeObject) => KubeObject, fetchPage: FetchPage): FetchPage {
  return async (page) => {
    const { items, ...rest } = await fetchPage(page);
    return { ...rest, items: items.map(keep) };
  };
}

/**
 * The same in pages of a given size, for lists too large for one piece; ends once it has `most` objects. Throws if the list
 * expires on the server midway.
 */
export async function listInPages(fetchPage: FetchPage, size: number, most = Infinity): Promise<ObjectList> {
  const items: KubeObject[] = [];
  let limit = size;
  let page = await fetchPage({ limit });
  for (;;) {
    for (const item of page.items) items.push(item);
    if (page.continue === undefined || items.length >= most) return { resourceVersion: page.resourceVersion, items };
    limit = page.limit ?? limit;
    page = await fetchPage({ limit, continue: page.continue });
  }
}
