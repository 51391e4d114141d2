/** A request to the API server, its answer, and the facts that are kept of each attempt. */

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
  /** The longest body that is read; 256 MiB by default. A longer one fails the request (isTooLarge in attempts.ts). */
  readonly mostBytes?: number | undefined;
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

/** One attempt, for metrics and benchmarks; `status` is 0 if no answer came. */
export interface RequestFacts {
  readonly method: Method;
  readonly path: string;
  readonly status: number;
  readonly seconds: number;
}

/** The action of the request, for messages. */
export function subjectOf({ subject, method, path }: ApiRequest): string {
  return subject ?? `${method} ${path}`;
}
