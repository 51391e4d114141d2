/**
 * HTTP to one API server: a request in, a successful response or an ApiError out. Keeps connections alive, attaches and
 * renews credentials, limits the time of every request, honours `Retry-After` and repeats requests that may be
 * repeated. Only the client uses it; it knows paths and status codes, but no kinds or objects.
 */
import { ApiError, unavailable } from '../../api/api-error.ts';
import { systemClock, type Clock } from '../clock.ts';
import { subjectOf, type ApiRequest, type ApiResponse, type RequestFacts } from './api-request.ts';
import { attemptUntilDone, readBody } from './attempts.ts';
import type { ConnectionConfig } from './config.ts';
import { createConnectionPool } from './connection-pool.ts';
import { createOpenStreams, type ApiStream } from './open-streams.ts';
import type { Deadline, TransportContext } from './running-call.ts';
import { limitTime } from './time-limit.ts';

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

export interface TransportOptions {
  readonly userAgent?: string;
  /** Attempts of a request while the server has not answered any: with fewer, a wrong address is reported sooner. */
  readonly firstAttempts?: number;
  /** Called once per attempt, with its result. */
  readonly onRequest?: (facts: RequestFacts) => void;
  readonly clock?: Clock;
  /** Uniform in [0, 1). */
  readonly random?: () => number;
}

const DEFAULT_TIMEOUT_SECONDS = 60;

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
          read: (answer) => readBody(answer, request.mostBytes),
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

async function readNothing(): Promise<undefined> {}

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
