/**
 * Requests to registries: the base address, authorization with one renewal, redirects under rules. pull.ts, push.ts,
 * tags.ts and referrers.ts use `send`; nothing here knows manifests.
 */
import { ReasonedError } from '../api/errors.ts';
import type { Authenticator } from './auth.ts';
import type { RegistryRepository } from './mirrors.ts';
import { answerError, unavailable } from './errors.ts';
import { type BodyStream, readBody } from './http-body.ts';
import { createSources, type Sources } from './sources.ts';
import type { AuthTarget } from './token-service.ts';
import { type HttpResponse, type HttpTransport } from './transport.ts';

export interface Session {
  /** Sends a request; any answer of 200–299, or one listed in `accept`, is returned, others are thrown. */
  send(request: RegistryRequest): Promise<HttpResponse>;
}

export interface SessionOptions {
  readonly transport: HttpTransport;
  readonly authenticator: Authenticator;
  /** How a repository is connected to; it may throw to refuse every request for it. */
  readonly connection: ConnectionLookup;
  /** Called when a registry or its token service refuses the credentials. */
  readonly onDenied?: () => void;
}

/** How the registry of a repository is connected to. */
export interface RegistryConnection {
  /** Without TLS. */
  readonly plainHttp: boolean;
  /** PEM certificates trusted in addition to those of the transport. */
  readonly ca?: string;
}

export type ConnectionLookup = (
  repository: RegistryRepository,
  signal?: AbortSignal,
) => RegistryConnection | Promise<RegistryConnection>;

export interface RegistryRequest {
  readonly registry: string;
  readonly repository: string;
  readonly method: 'GET' | 'HEAD' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';
  /** Path below `/v2/<repository>/`, or an absolute address that the registry gave (upload location, next page). */
  readonly to: string | URL;
  /** The actions that need rights: `pull`, `push`, `delete`. */
  readonly actions: readonly RegistryAction[];
  /** A second repository to read from, for mounts. */
  readonly alsoPull?: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: Uint8Array | BodyStream;
  /** Further answers that are no error: `[404]`. */
  readonly accept?: readonly number[];
  /** Whether a 4xx of another origin, to which a redirect led, is no error either: it is no answer of the registry. */
  readonly acceptElsewhere?: boolean;
  /** Whether the same was just refused with 403 by another method, with credentials that were fresh: they are not renewed again. */
  readonly isRenewed?: boolean;
  /** Names the request in errors: `the manifest of quay.io/org/app:v1`. */
  readonly what: string;
  readonly signal?: AbortSignal;
}

export type RegistryAction = 'pull' | 'push' | 'delete';

const MAX_REDIRECTS = 5;
const MAX_ERROR_BYTES = 16 << 10;
const REDIRECTS = new Set([301, 302, 303, 307, 308]);

/** A session over a transport. */
export function createSession(sessionOptions: SessionOptions): Session {
  const options = { ...sessionOptions, sources: createSources() };
  return {
    async send(request) {
      try {
        const connection = await options.connection(request, request.signal);
        return await expected(request, await authorized(request, { ...options, connection }), connection);
      } catch (error) {
        if (error instanceof ReasonedError && error.reason === 'RegistryDenied') options.onDenied?.();
        throw error;
      }
    },
  };
}

async function expected(
  request: RegistryRequest,
  response: HttpResponse,
  { plainHttp }: RegistryConnection,
): Promise<HttpResponse> {
  if (isExpected(request, response, baseUrl(request.registry, plainHttp))) return response;
  throw answerError(request.registry, request.what, {
    status: response.status,
    headers: response.headers,
    code: await readErrorCode(response),
  });
}

interface SessionWiring extends SessionOptions {
  readonly sources: Sources;
}

interface ConnectedWiring extends Omit<SessionWiring, 'connection'> {
  readonly connection: RegistryConnection;
}

/** `https://quay.io`; docker.io's API lives on a host of its own. */
function baseUrl(registry: string, plainHttp: boolean): URL {
  const host = registry === 'docker.io' ? 'registry-1.docker.io' : registry;
  return new URL(`${plainHttp ? 'http' : 'https'}://${host}/`);
}

function isExpected(
  { accept = [], acceptElsewhere = false }: RegistryRequest,
  { status, url }: HttpResponse,
  base: URL,
): boolean {
  if ((status >= 200 && status < 300) || accept.includes(status)) return true;
  return acceptElsewhere && status >= 400 && status < 500 && url.origin !== base.origin;
}

/** Sends with the known header first; after a refusal once more, with a fresh header. */
async function authorized(request: RegistryRequest, options: ConnectedWiring): Promise<HttpResponse> {
  const target = authTarget(request, options.connection);
  const known = await options.authenticator.header(target);
  const first = await followed(request, options, known);
  const isStale = first.status === 403 && known?.startsWith('Bearer ') === true && request.isRenewed !== true;
  const refused = first.status === 401 || isStale;
  if (!refused || first.url.origin !== target.base.origin) return first;
  await first.discard();
  const refusal = { challenge: first.headers['www-authenticate'], header: known, from: first.reach };
  const fresh = await options.authenticator.renew(target, refusal, request.signal);
  return followed(request, options, fresh);
}

function authTarget(request: RegistryRequest, { plainHttp, ca }: RegistryConnection): AuthTarget {
  const { registry, repository, actions, alsoPull } = request;
  const scopes = [`repository:${repository}:${[...actions].sort().join(',')}`];
  if (alsoPull !== undefined) scopes.push(`repository:${alsoPull}:pull`);
  const base = baseUrl(registry, plainHttp);
  return { registry, repository, scopes: scopes.sort(), base, ...(ca !== undefined && { ca }) };
}

/**
 * Sends and follows redirects of GET and HEAD. Authorization goes to the own origin of the registry only, and once a
 * redirect has left that origin, never again; https never becomes http; a redirected write is refused. Each redirect is
 * judged by the address that it came from, so that a chain never leads to a nearer network than any of its places.
 */
async function followed(
  request: RegistryRequest,
  options: ConnectedWiring,
  authorization: string | undefined,
): Promise<HttpResponse> {
  const { plainHttp, ca } = options.connection;
  const base = baseUrl(request.registry, plainHttp);
  let url = typeof request.to === 'string' ? new URL(`/v2/${request.repository}/${request.to}`, base) : request.to;
  let trusted = true;
  let from = options.sources.of(base);
  for (let hop = 0; hop <= MAX_REDIRECTS; hop += 1) {
    assertNotDowngraded(base, url, request);
    const own = url.origin === base.origin;
    trusted &&= own;
    const response = await options.transport.send({
      method: request.method,
      url,
      headers: { ...request.headers, ...(trusted && authorization !== undefined && { authorization }) },
      ...(request.body !== undefined && { body: request.body }),
      ...(ca !== undefined && { ca }),
      ...(!own && { pointedToFrom: from }),
      ...(request.signal !== undefined && { signal: request.signal }),
    });
    if (own) options.sources.note(base, response.reach);
    from = response.reach;
    if (!REDIRECTS.has(response.status)) return response;
    await response.discard();
    url = redirectTarget(request, response);
  }
  throw unavailable(`registry ${request.registry} redirects more than ${MAX_REDIRECTS} times for ${request.what}`);
}

function redirectTarget(request: RegistryRequest, { url, headers }: HttpResponse): URL {
  const location = headers.location;
  if (request.method !== 'GET' && request.method !== 'HEAD') {
    throw unavailable(`registry ${request.registry} redirects a write, which is not followed: ${request.what}`);
  }
  if (location === undefined || !URL.canParse(location, url.href)) {
    throw unavailable(`registry ${request.registry} redirects to nowhere for ${request.what}`);
  }
  return new URL(location, url);
}

function assertNotDowngraded(base: URL, url: URL, request: RegistryRequest): void {
  const allowed = url.protocol === 'https:' || (url.protocol === 'http:' && base.protocol === 'http:');
  if (allowed && url.username === '' && url.password === '') return;
  throw unavailable(`registry ${request.registry} leads to an address that is not https for ${request.what}`, {
    hint: 'Configure the outside address of a registry behind a proxy',
  });
}

/** The code of the specification's error list; its message is not shown, since it can change between retries. */
async function readErrorCode(response: HttpResponse): Promise<string | undefined> {
  try {
    const body = await readBody(response, MAX_ERROR_BYTES, () => new RangeError('error body too large'));
    const code = (JSON.parse(body.toString('utf8')) as { errors?: { code?: unknown }[] } | null)?.errors?.[0]?.code;
    return typeof code === 'string' && /^[A-Za-z_]{1,40}$/.test(code) ? code.toUpperCase() : undefined;
  } catch {
    return undefined;
  }
}
