/**
 * HTTP to one API server: a request in, a successful response or an ApiError out. Keeps connections alive, attaches and
 * renews credentials, limits the time of every request, honours `Retry-After` and repeats requests that may be
 * repeated. Only the client uses it; it knows paths and status codes, but no kinds or objects.
 */
import type { IncomingMessage, OutgoingHttpHeaders } from 'node:http';
import { ApiError, type Status, unavailable } from '../../api/api-error.ts';
import { parseStatus } from './parse-status.ts';
import { systemClock, sleep, type Clock } from '../clock.ts';
import type { ConnectionConfig } from './config.ts';
import { createConnectionPool, type ConnectionPool, type Purpose } from './connection-pool.ts';
import { ConnectionError, readAll, sendRequest } from './exchange.ts';
import { createOpenStreams, type ApiStream } from './open-streams.ts';
import { createBucket, type Bucket } from '../rate-limiters.ts';
import { retryDelay, type AttemptFailure } from './retry-policy.ts';
import { limitTime, type TimeLimit } from './time-limit.ts';

export type Method = 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';

export interface ApiRequest {
  readonly method: Method;
  /** Absolute and encoded: `/apis/apps/v1/namespaces/ops/deployments`. */
  readonly path: string;
  readonly query?: Readonly<Record<string, string | number | boolean | undefined>>;
  readonly headers?: Readonly<Record<string, string | readonly string[]>>;
  readonly body?: string | Buffer;
  /** The action, for messages: `apply Deployment.apps ops/manager`. */
  readonly subject?: string;
  /** Deadline including retries; 60 by default. For a stream: until its headers arrive. */
  readonly timeoutSeconds?: number;
  /** Whether sending it twice has the same effect as once; by default true for all methods except POST. */
  readonly idempotent?: boolean;
  /** Runs before each attempt, after connecting and before sending; an error that it throws ends the request. */
  readonly guard?: () => void;
  readonly signal?: AbortSignal | undefined;
}

export interface ApiResponse {
  readonly status: number;
  readonly headers: Readonly<Record<string, string | readonly string[] | undefined>>;
  readonly body: Buffer;
  text(): string;
}

export interface Transport {
  /** Rejects with ApiError for every status from 400 on, and with the reason of `signal` when that aborts. */
  request(request: ApiRequest): Promise<ApiResponse>;
  /** As `request`, for a body that lasts for minutes; ends after `idleSeconds` of silence. */
  stream(request: ApiRequest & { readonly idleSeconds?: number }): Promise<ApiStream>;
  /** Ends every connection. */
  close(): void;
}

/** The transport that owns the connections; wrappers need not know of them. */
export interface RootTransport extends Transport {
  /**
   * Called after a request got no answer for this long: closes idle connections, and fails streams that were silent as
   * long. Reopening healthy ones costs little.
   */
  distrust(seconds: number): void;
}

/** One attempt, for metrics and benchmarks; `status` is 0 if no answer came. */
export interface RequestFacts {
  readonly method: Method;
  readonly path: string;
  readonly status: number;
  readonly seconds: number;
}

export interface TransportOptions {
  readonly userAgent?: string;
  /** Limits requests on this side; absent: the server's own fairness applies. */
  readonly rateLimit?: { readonly perSecond: number; readonly burst: number };
  /** Attempts of a request while the server has not answered any: fewer tell a person sooner of a wrong address. */
  readonly firstAttempts?: number;
  /** Called once per attempt, with its result. */
  readonly onRequest?: (facts: RequestFacts) => void;
  readonly clock?: Clock;
  /** Uniform in [0, 1). */
  readonly random?: () => number;
}

const DEFAULT_TIMEOUT_SECONDS = 60;
const MOST_BODY_BYTES = 256 * 1024 * 1024;

/** A transport to the server of `config`; connects with the first request. */
export function createTransport(config: ConnectionConfig, options: TransportOptions = {}): RootTransport {
  const clock = options.clock ?? systemClock;
  const [pool, streams] = [createConnectionPool(config), createOpenStreams(clock)];
  const closing = new AbortController();
  const context: TransportContext = {
    url: parseServer(config.server),
    config,
    pool,
    distrust(seconds) {
      pool.dropIdle();
      streams.endSilent(seconds);
    },
    bucket: options.rateLimit && createBucket({ ...options.rateLimit, clock }),
    clock,
    random: options.random ?? Math.random,
    userAgent: options.userAgent ?? 'slipway',
    onRequest: options.onRequest,
    firstAttempts: options.firstAttempts,
    hasAnswered: false,
    closed: closing.signal,
  };
  return {
    async request(request) {
      return withDeadline(request, context, async (deadline) => {
        const { response, body } = await attemptUntilDone(context, {
          request,
          deadline,
          purpose: 'request',
          read: readBody,
        });
        return { status: response.statusCode ?? 0, headers: response.headers, body, text: () => body.toString() };
      });
    },
    async stream(request) {
      return withDeadline(request, context, async (deadline) => {
        const { response } = await attemptUntilDone(context, {
          request,
          deadline,
          purpose: 'watch',
          read: readNothing,
        });
        return streams.open(response, { ...request, subject: subjectOf(request) });
      });
    },
    distrust: context.distrust,
    close() {
      closing.abort();
      pool.close();
    },
  };
}

interface TransportContext {
  readonly url: URL;
  readonly config: ConnectionConfig;
  readonly pool: ConnectionPool;
  readonly distrust: RootTransport['distrust'];
  readonly bucket: Bucket | undefined;
  readonly clock: Clock;
  readonly random: () => number;
  readonly userAgent: string;
  readonly onRequest: ((facts: RequestFacts) => void) | undefined;
  readonly firstAttempts: number | undefined;
  /** Whether the server has answered any request. */
  hasAnswered: boolean;
  /** Aborts when the transport is closed: no request is repeated then. */
  readonly closed: AbortSignal;
}

function readBody(response: IncomingMessage): Promise<Buffer> {
  return readAll(response, MOST_BODY_BYTES);
}

async function readNothing(): Promise<undefined> {}

/** One call of request() or stream(), with all its attempts. */
interface RunningCall<Body> {
  readonly request: ApiRequest;
  readonly deadline: Deadline;
  readonly purpose: Purpose;
  readonly read: (response: IncomingMessage) => Promise<Body>;
  /** How long to wait for headers before the connection counts as broken; absent: until the deadline. */
  readonly patienceSeconds?: number;
}

/** Longer than a busy API server keeps a request in its queues. */
const FIRST_PATIENCE_SECONDS = 20;

/** A repeatable request without an answer is sent once more: the connection may have died silently. */
function patient<Body>(call: RunningCall<Body>, attempts: number): RunningCall<Body> {
  return attempts === 1 && isIdempotent(call.request) ? { ...call, patienceSeconds: FIRST_PATIENCE_SECONDS } : call;
}

function isIdempotent({ idempotent, method }: ApiRequest): boolean {
  return idempotent ?? method !== 'POST';
}

interface ReadResponse<Body> {
  readonly response: IncomingMessage;
  readonly body: Body;
}

async function attemptUntilDone<Body>(context: TransportContext, call: RunningCall<Body>): Promise<ReadResponse<Body>> {
  let renewed = false;
  for (let attempts = 1; ; attempts++) {
    const outcome = await attempt(context, patient(call, attempts), renewed);
    if (outcome.kind === 'done') return outcome.answer;
    if (!renewed && (await renewTrust(context, outcome))) {
      renewed = true;
      continue;
    }
    const delay = retryDelay(failureOf(outcome), {
      attempts,
      ...(!context.hasAnswered && context.firstAttempts !== undefined && { mostAttempts: context.firstAttempts }),
      idempotent: isIdempotent(call.request),
      leftSeconds: call.deadline.leftSeconds(),
      random: context.random(),
    });
    if (delay === undefined || !(await pause(delay, context, call.deadline.signal)))
      throw errorOf(call.request, outcome);
  }
}

/** Whether the time passed before the transport was closed. @throws the reason of `signal`, if that aborts before */
async function pause(seconds: number, { clock, closed }: TransportContext, signal: AbortSignal): Promise<boolean> {
  try {
    await sleep(seconds, { clock, signal: AbortSignal.any([signal, closed]) });
  } catch (error) {
    if (signal.aborted) throw error;
  }
  return !closed.aborted;
}

type AttemptOutcome<Body> =
  | { readonly kind: 'done'; readonly answer: ReadResponse<Body> }
  | { readonly kind: 'refused'; readonly status: Status }
  | { readonly kind: 'broken'; readonly error: ConnectionError };

async function attempt<Body>(
  context: TransportContext,
  call: RunningCall<Body>,
  fresh: boolean,
): Promise<AttemptOutcome<Body>> {
  const wait = context.bucket?.reserve() ?? 0;
  if (wait > 0) await sleep(wait, { clock: context.clock, signal: call.deadline.signal });
  const startedAt = context.clock.now();
  const report = (status: number): void =>
    context.onRequest?.({
      method: call.request.method,
      path: call.request.path,
      status,
      seconds: context.clock.now() - startedAt,
    });
  try {
    const response = await send(context, call, fresh);
    context.hasAnswered = true;
    const status = response.statusCode ?? 0;
    const body = status < 300 ? await call.read(response) : undefined;
    const refusal = status < 300 ? undefined : (await readBody(response)).toString();
    report(status);
    if (refusal === undefined) return { kind: 'done', answer: { response, body: body as Body } };
    return { kind: 'refused', status: parseStatus(status, refusal, response.headers['retry-after']) };
  } catch (error) {
    if (error instanceof RangeError) throw unavailable(subjectOf(call.request), error.message, error);
    if (!(error instanceof ConnectionError)) throw error;
    if (call.deadline.signal.aborted) throw call.deadline.signal.reason;
    report(0);
    return { kind: 'broken', error };
  }
}

async function send(
  context: TransportContext,
  { request, deadline, purpose, patienceSeconds }: RunningCall<unknown>,
  fresh: boolean,
): Promise<IncomingMessage> {
  const credentials = await context.config.credentials?.();
  const token = (await context.config.token?.({ fresh })) ?? credentials?.token;
  const headers: OutgoingHttpHeaders = {
    host: context.url.host,
    accept: 'application/json',
    'user-agent': context.userAgent,
    ...(token !== undefined && token !== '' && { authorization: `Bearer ${token}` }),
    ...(request.body !== undefined && { 'content-type': 'application/json' }),
    ...(request.body !== undefined && { 'content-length': Buffer.byteLength(request.body) }),
    ...(request.headers?.['impersonate-user'] === undefined && impersonationHeaders(context.config.impersonate)),
    ...(request.headers as OutgoingHttpHeaders | undefined),
  };
  const agent = await context.pool.agent(purpose, credentials);
  const patience = patienceOf(context, deadline.signal, patienceSeconds);
  return sendRequest({
    agent,
    url: context.url,
    method: request.method,
    path: wirePath(context.url, request),
    headers,
    body: request.body,
    signal: patience.signal,
    guard: request.guard,
  }).finally(patience.met);
}

function impersonationHeaders(impersonate: ConnectionConfig['impersonate']): OutgoingHttpHeaders {
  if (impersonate === undefined) return {};
  const { user, uid, groups, extra } = impersonate;
  const extras = Object.entries(extra).map(([key, values]) => [
    `impersonate-extra-${encodeURIComponent(key)}`,
    [...values],
  ]);
  return {
    'impersonate-user': user,
    ...(uid !== '' && { 'impersonate-uid': uid }),
    ...(groups.length > 0 && { 'impersonate-group': [...groups] }),
    ...(Object.fromEntries(extras) as OutgoingHttpHeaders),
  };
}

/** A connection without an answer in time counts as broken. */
function patienceOf(
  { clock, distrust }: TransportContext,
  signal: AbortSignal,
  seconds: number | undefined,
): Pick<TimeLimit, 'signal' | 'met'> {
  if (seconds === undefined) return { signal, met: () => undefined };
  const late = (): ConnectionError => {
    distrust(seconds);
    return new ConnectionError(Object.assign(new Error(`no answer within ${seconds} s`), { code: 'ETIMEDOUT' }), true);
  };
  return limitTime(seconds, { clock, signal, late });
}

function wirePath(url: URL, { path, query = {} }: ApiRequest): string {
  const parameters = new URLSearchParams();
  for (const [name, value] of Object.entries(query)) if (value !== undefined) parameters.set(name, String(value));
  const prefix = url.pathname.replace(/\/$/, '');
  return parameters.size === 0
    ? prefix + path
    : `${prefix}${path}${path.includes('?') ? '&' : '?'}${parameters.toString()}`;
}

/** After a 401 or an untrusted certificate: whether there is something new to try at once. */
async function renewTrust(
  { config, pool }: TransportContext,
  outcome: Exclude<AttemptOutcome<unknown>, { kind: 'done' }>,
): Promise<boolean> {
  if (outcome.kind === 'refused') return outcome.status.code === 401 && (await renewCredentials(config));
  return isTlsError(outcome.error) && (await pool.refresh());
}

/** Whether the credentials may have changed; the next attempt reads the token again. */
async function renewCredentials({ token, credentials }: ConnectionConfig): Promise<boolean> {
  if (token !== undefined || credentials === undefined) return token !== undefined;
  await credentials({ fresh: true });
  return true;
}

function isTlsError({ code }: ConnectionError): boolean {
  return /CERT|SIGNATURE|^ERR_SSL|^ERR_TLS|ISSUER/.test(code);
}

function failureOf(outcome: Exclude<AttemptOutcome<unknown>, { kind: 'done' }>): AttemptFailure {
  return outcome.kind === 'refused'
    ? { kind: 'answer', status: outcome.status.code, retryAfterSeconds: outcome.status.retryAfterSeconds }
    : { kind: 'connection', sent: outcome.error.sent };
}

function errorOf(request: ApiRequest, outcome: Exclude<AttemptOutcome<unknown>, { kind: 'done' }>): ApiError {
  const subject = subjectOf(request);
  if (outcome.kind === 'refused') return new ApiError(subject, outcome.status);
  return unavailable(subject, describeBreak(outcome.error), outcome.error);
}

function subjectOf({ subject, method, path }: ApiRequest): string {
  return subject ?? `${method} ${path}`;
}

/** A stable text for a broken connection. */
function describeBreak(error: ConnectionError): string {
  if (isTlsError(error)) return `the certificate of the API server is not trusted (${error.code})`;
  return `the API server cannot be reached (${error.code || 'connection lost'})`;
}

interface Deadline {
  readonly signal: AbortSignal;
  leftSeconds(): number;
}

/** Runs `work` with a signal that aborts with the caller's, or with an ApiError when the time is up. */
async function withDeadline<T>(
  request: ApiRequest,
  { clock, distrust }: Pick<TransportContext, 'clock' | 'distrust'>,
  work: (deadline: Deadline) => Promise<T>,
): Promise<T> {
  const { timeoutSeconds = DEFAULT_TIMEOUT_SECONDS, signal } = request;
  signal?.throwIfAborted();
  const endsAt = clock.now() + timeoutSeconds;
  const late = (): ApiError => {
    distrust(timeoutSeconds);
    return unavailable(subjectOf(request), `no answer within ${timeoutSeconds} s`);
  };
  const limit = limitTime(timeoutSeconds, { clock, signal, late });
  try {
    return await work({ signal: limit.signal, leftSeconds: () => endsAt - clock.now() });
  } finally {
    limit.end();
  }
}

function parseServer(server: string): URL {
  const url = URL.parse(server);
  if (url?.protocol !== 'https:')
    throw new ApiError('connect', { code: 400, message: 'the server address must start with https://', causes: [] });
  return url;
}
