/** Lists objects, in pages that form one consistent list. */
import { readable } from '../../api/api-error.ts';
import { isExpired, isNotFound } from '../../api/api-answers.ts';
import type { Keeping, ListOptions } from '../../api/cluster.ts';
import { groupKind, type Kind, type KubeObject } from '../../api/object.ts';
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

/** One page; throws ApiError of code 404 if the kind is not served, 410 for an expired continue token. */
export async function listPage(
  connection: ServerConnection,
  kind: Kind,
  options: ListPageOptions,
  signal?: AbortSignal,
): Promise<ObjectList> {
  const { namespace, metadataOnly, unread = [], ...query } = options;
  const resource = await connection.discovery.need(kind, signal);
  const path = collectionPath(resource, namespace);
  const headers = metadataOnly === true ? { accept: METADATA_LIST } : {};
  const subject = `list ${groupKind(kind)}`;
  const response = await send(connection, { method: 'GET', path, query, headers, subject, signal });
  return readable(subject, () => parseList(textWithout(response.body, unread), kind));
}

/** All objects; empty if discovery does not know the kind. Throws ApiError of code 410 if a list with `keep` expires midway. */
export async function listAll(
  connection: ServerConnection,
  kind: Kind,
  { keep, ...options }: ListOptions & Keeping,
  signal?: AbortSignal,
): Promise<readonly KubeObject[]> {
  const unread = keep === undefined ? [] : UNREAD;
  const fetchPage: FetchPage = (page) => listPage(connection, kind, { ...options, ...page, unread }, signal);
  try {
    const list =
      keep === undefined ? listConsistently(fetchPage) : listInPages(keeping(keep, fetchPage), KEPT_PAGE_SIZE);
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

function keeping(keep: (object: KubeObject) => KubeObject, fetchPage: FetchPage): FetchPage {
  return async (page) => {
    const { items, ...rest } = await fetchPage(page);
    return { ...rest, items: items.map(keep) };
  };
}

/**
 * The same in pages of a given size, for lists too large for one piece; throws if the list expires on the server
 * midway.
 */
export async function listInPages(fetchPage: FetchPage, limit: number): Promise<ObjectList> {
  const items: KubeObject[] = [];
  let page = await fetchPage({ limit });
  for (;;) {
    for (const item of page.items) items.push(item);
    if (page.continue === undefined) return { resourceVersion: page.resourceVersion, items };
    page = await fetchPage({ limit, continue: page.continue });
  }
}
