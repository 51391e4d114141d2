/** The tags of a repository, page by page, however hostile the paging. */
import { endlessList, imageInvalid, listTooLong } from './errors.ts';
import { type Reference, isTag } from './reference.ts';
import { nextPage } from './link.ts';
import { fromFirst, type PullContext } from './pull.ts';
import { pullPlaces, type RegistryRepository } from './mirrors.ts';
import type { Session } from './session.ts';
import { readBody } from './http-body.ts';
import { type HttpResponse } from './transport.ts';

export interface TagListLimits {
  readonly tags: number;
  readonly pages: number;
  readonly pageBytes: number;
}

const PAGE_SIZE = 1000;

/**
 * All tags of the first place that lists some, each once, in the order of the registry. Names that are no tags by the
 * specification are left out.
 *
 * @throws ImageTooLarge beyond the limits; RegistryUnavailable if pages lead back to one that was read
 * @see https://github.com/opencontainers/distribution-spec/blob/main/spec.md#listing-tags
 */
export async function listTags(
  { session, mirrors }: Pick<PullContext, 'session' | 'mirrors'>,
  reference: Reference,
  options: TagListOptions,
): Promise<readonly string[]> {
  return fromFirst(pullPlaces(reference, mirrors), (place) => tagsAt(session, place, options));
}

interface TagListOptions {
  readonly limits: TagListLimits;
  readonly signal?: AbortSignal | undefined;
}

async function tagsAt(
  session: Session,
  { registry, repository }: RegistryRepository,
  { limits, signal }: TagListOptions,
): Promise<readonly string[]> {
  const what = `the tags of ${registry}/${repository}`;
  const tags = new Set<string>();
  const visited = new Set<string>();
  let to: string | URL | undefined = `tags/list?n=${PAGE_SIZE}`;
  while (to !== undefined) {
    const response: HttpResponse = await session.send({
      registry,
      repository,
      method: 'GET',
      to,
      actions: ['pull'],
      what,
      ...(signal !== undefined && { signal }),
    });
    visited.add(response.url.href);
    for (const tag of await readTags(response, limits.pageBytes, what)) tags.add(tag);
    if (tags.size > limits.tags || visited.size > limits.pages)
      throw listTooLong(`${what} are more than ${limits.tags}`);
    to = nextPage(response, what);
    if (to !== undefined && visited.has(to.href)) throw endlessList(what);
  }
  return [...tags];
}

async function readTags(response: HttpResponse, maxBytes: number, what: string): Promise<readonly string[]> {
  const body = await readBody(response, maxBytes, () =>
    listTooLong(`${what} come in a page of more than ${maxBytes} bytes`),
  );
  const tags = parseTags(body.toString('utf8'));
  if (tags === undefined) throw imageInvalid(`${what} cannot be read`, false);
  return tags.filter((tag): tag is string => typeof tag === 'string' && isTag(tag));
}

/** `{"name": …, "tags": [...]}`; null for a repository without tags. */
function parseTags(text: string): readonly unknown[] | undefined {
  try {
    const tags = (JSON.parse(text) as { tags?: unknown } | null)?.tags;
    if (tags === null) return [];
    return Array.isArray(tags) ? tags : undefined;
  } catch {
    return undefined;
  }
}
