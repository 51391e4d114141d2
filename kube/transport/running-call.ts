/** The parts that every attempt of a request shares: those of its transport, and those of the call itself. */
import type { IncomingMessage } from 'node:http';
import type { Clock } from '../clock.ts';
import type { ApiRequest, RequestFacts } from './api-request.ts';
import type { ConnectionConfig } from './config.ts';
import type { ConnectionPool, Purpose } from './connection-pool.ts';

/** One transport, for all of its calls. */
export interface TransportContext {
  readonly url: URL;
  readonly config: ConnectionConfig;
  readonly pool: ConnectionPool;
  /** No answer came for this many seconds: closes idle connections, and fails streams that were silent as long. */
  readonly distrust: (seconds: number) => void;
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

export interface Deadline {
  readonly signal: AbortSignal;
  leftSeconds(): number;
}

/** One call of request() or stream(), with all its attempts. */
export interface RunningCall<Body> {
  readonly request: ApiRequest;
  readonly deadline: Deadline;
  readonly purpose: Purpose;
  readonly read: (response: IncomingMessage) => Promise<Body>;
  /** How long to wait for headers before the connection counts as broken; absent: until the deadline. */
  readonly patienceSeconds?: number;
}
