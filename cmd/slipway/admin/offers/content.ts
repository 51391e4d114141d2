/**
 * Reads the content of Catalogs from the manager: through the API server, which forwards requests to the manager's
 * Service, or from an address at which the manager is reached directly.
 */
import { describeConnectionFailure } from '../../../../api/connection-failure.ts';
import { ReasonedError } from '../../../../api/errors.ts';
import { parseJson } from '../../../../api/json.ts';
import { fieldsOf, type Fields } from '../../../../api/untyped.ts';
import { invalidInput } from '../../../../api/invalid-input.ts';
import type { Connection } from '../../input/connection.ts';
import { MANAGER } from '../../../../report/manager.ts';

export interface ContentFlags {
  readonly systemNamespace: string;
  /** `http://127.0.0.1:8080` */
  readonly managerUrl?: string;
}

export interface ContentQuery {
  readonly schema: 'olm.package' | 'olm.channel' | 'olm.bundle' | 'olm.deprecations';
  /** Of channels and bundles: only those of this package. */
  readonly package?: string;
  /** Only the documents of this name. */
  readonly name?: string;
}

/** The documents of a Catalog. @throws ReasonedError CatalogUnavailable, with the ways to reach the manager; Forbidden */
export async function readDocuments(
  { client }: Connection,
  catalog: string,
  query: ContentQuery,
  { flags, signal }: { readonly flags: ContentFlags; readonly signal: AbortSignal },
): Promise<readonly Fields[]> {
  const path = `/catalogs/${encodeURIComponent(catalog)}/api/v1/metas?${new URLSearchParams({ ...query }).toString()}`;
  const { managerUrl, systemNamespace } = flags;
  if (managerUrl !== undefined && !/^https?:$/.test(URL.parse(managerUrl)?.protocol ?? ''))
    throw invalidInput(`--manager-url ${JSON.stringify(managerUrl)} is no address`, 'Write http://127.0.0.1:8080');
  const text =
    managerUrl === undefined
      ? await throughApiServer((full) => client.raw(full, signal), { catalog, path, systemNamespace })
      : await directly(new URL(path, managerUrl), catalog, signal);
  return text.split('\n').flatMap((line) => (line.trim() === '' ? [] : [fieldsOf(parseJson(line))]));
}

interface Forwarded {
  readonly catalog: string;
  readonly path: string;
  readonly systemNamespace: string;
}

async function throughApiServer(
  read: (path: string) => Promise<string>,
  { catalog, path, systemNamespace }: Forwarded,
): Promise<string> {
  const service = `/api/v1/namespaces/${encodeURIComponent(systemNamespace)}/services/http:${MANAGER}:http/proxy`;
  try {
    return await read(`${service}${path}`);
  } catch (error) {
    if (!(error instanceof ReasonedError) || error.reason === 'Forbidden') throw error;
    throw new ReasonedError({
      reason: 'CatalogUnavailable',
      retry: 'backoff',
      message: `Catalog ${catalog} cannot be read through the API server: ${error.message}`,
      hint: `Run kubectl -n ${systemNamespace} port-forward service/${MANAGER} 8080:80, and add --manager-url http://127.0.0.1:8080`,
      cause: error,
    });
  }
}

async function directly(url: URL, catalog: string, signal: AbortSignal): Promise<string> {
  try {
    const response = await fetch(url, { signal });
    if (response.ok) return await response.text();
    throw unavailable(catalog, `the manager answers with ${response.status} ${response.statusText}`, ANSWERS.get(response.status)); // prettier-ignore
  } catch (error) {
    if (signal.aborted || error instanceof ReasonedError) throw error;
    const { message, hint } = describeConnectionFailure((error as Error).cause ?? error);
    throw unavailable(catalog, `${url.host}: ${message}`, hint);
  }
}

const ANSWERS: ReadonlyMap<number, string> = new Map([
  [401, 'The manager asks for a token: read the catalog image itself by `slipway catalog list REF`'],
  [404, 'Check by `slipway get catalogs` whether the Catalog is in service'],
]);

function unavailable(catalog: string, message: string, hint: string | undefined): ReasonedError {
  return new ReasonedError({
    reason: 'CatalogUnavailable',
    retry: 'backoff',
    message: `Catalog ${catalog} cannot be read: ${message}`,
    ...(hint !== undefined && { hint }),
  });
}
