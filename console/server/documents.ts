/** Documents of a Catalog from the HTTP endpoint of the manager, line by line: a catalog may be larger than memory allows. */
import { describeConnectionFailure } from '../../api/connection-failure.ts';
import { ReasonedError } from '../../api/errors.ts';
import { parseJson } from '../../api/json.ts';
import { fieldsOf, type Fields } from '../../api/untyped.ts';
import type { Client } from '../../kube/client/client.ts';
import { MANAGER } from '../../report/manager.ts';
import type { ContentQuery } from '../data/content.ts';

/**
 * The documents that a query selects. @throws ReasonedError CatalogUnavailable, to be retried, whatever fails on the way:
 * the connection, the time limit of `signal`, the body, a document that is no JSON; Forbidden
 */
export type ReadDocuments = (
  client: Pick<Client, 'raw'>,
  question: { readonly catalog: string; readonly query: ContentQuery },
  signal: AbortSignal,
) => AsyncIterable<Fields>;

function pathOf(catalog: string, query: ContentQuery): string {
  return `/catalogs/${encodeURIComponent(catalog)}/api/v1/metas?${new URLSearchParams({ ...query }).toString()}`;
}

/** Through the API server, which forwards the request to the Service of the manager, as the person. */
export function documentsByProxy(systemNamespace: string): ReadDocuments {
  const service = `/api/v1/namespaces/${encodeURIComponent(systemNamespace)}/services/http:${MANAGER}:http/proxy`;
  return reported(async function* (client, { catalog, query }, signal) {
    const text = await client.raw(`${service}${pathOf(catalog, query)}`, signal).catch((error: unknown) => {
      if (!(error instanceof ReasonedError) || error.reason === 'Forbidden') throw error;
      throw unavailable(catalog, `the API server does not reach the manager: ${error.message}`, error);
    });
    for (const line of text.split('\n')) if (line.trim() !== '') yield documentIn(line, catalog);
  });
}

/** No failure of a read is a defect of the console: the caller gets one reason, and goes on without the documents. */
function reported(read: ReadDocuments): ReadDocuments {
  return async function* (client, question, signal) {
    try {
      yield* read(client, question, signal);
    } catch (error) {
      if (error instanceof ReasonedError && PASSED.has(error.reason)) throw error;
      throw unavailable(question.catalog, sentenceOf(error, signal), error);
    }
  };
}

const PASSED: ReadonlySet<string> = new Set(['CatalogUnavailable', 'Forbidden']);

function sentenceOf(error: unknown, signal: AbortSignal): string {
  if (signal.aborted) return 'the answer took too long';
  const { cause, message } = error instanceof Error ? error : new Error(String(error));
  return cause instanceof Error ? describeConnectionFailure(cause).message : message;
}

function documentIn(line: string, catalog: string): Fields {
  try {
    return fieldsOf(parseJson(line));
  } catch (error) {
    throw unavailable(catalog, 'a document is no JSON', error);
  }
}

export interface ManagerAddress {
  /** `http://slipway-manager.slipway-system.svc` */
  readonly url: string;
  /** Token of the console for content; absent if the manager asks for none. */
  readonly token?: () => Promise<string>;
}

/** From the manager itself, with the token of the console's own account. */
export function documentsOfManager({ url, token }: ManagerAddress): ReadDocuments {
  return reported(async function* (_client, { catalog, query }, signal) {
    const headers = token === undefined ? {} : { authorization: `Bearer ${await token()}` };
    const response = await fetch(new URL(pathOf(catalog, query), url), { headers, signal, redirect: 'error' }).catch(
      (error: unknown) => {
        if (signal.aborted) throw error;
        const { message } = describeConnectionFailure((error as Error).cause ?? error);
        throw unavailable(catalog, `the manager cannot be reached: ${message}`, error);
      },
    );
    if (!response.ok || response.body === null)
      throw unavailable(catalog, `the manager answers with ${response.status} ${response.statusText}`);
    yield* linesOf(response.body, catalog);
  });
}

/** Longer than any document that a catalog may have. */
const MOST_LINE = 64 << 20;

async function* linesOf(body: ReadableStream<Uint8Array>, catalog: string): AsyncGenerator<Fields> {
  const decoder = new TextDecoder();
  let pieces: string[] = [];
  let length = 0;
  for await (const chunk of body) {
    const lines = decoder.decode(chunk, { stream: true }).split('\n');
    for (const [at, line] of lines.entries()) {
      pieces.push(line);
      length += line.length;
      if (length > MOST_LINE) throw unavailable(catalog, 'a document is too large');
      if (at === lines.length - 1) break;
      const whole = pieces.join('');
      [pieces, length] = [[], 0];
      if (whole.trim() !== '') yield documentIn(whole, catalog);
    }
  }
  const rest = pieces.join('');
  if (rest.trim() !== '') yield documentIn(rest, catalog);
}

function unavailable(catalog: string, message: string, cause?: unknown): ReasonedError {
  return new ReasonedError({
    reason: 'CatalogUnavailable',
    retry: 'backoff',
    message: `Catalog ${catalog} cannot be read: ${message}`,
    hint: 'Check by slipway doctor whether the manager runs, and whether its network policy admits the console',
    cause,
  });
}
