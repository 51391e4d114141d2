/** The manager's HTTP endpoint, on every replica: health, metrics and the content of catalogs. Read-only. */
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Registry } from 'prom-client';
import { closerOf } from '../../kube/close-server.ts';

/** Something that must hold before the replica is ready; throws or rejects where it does not, and may say more where it does. */
export type Check = () => string | undefined | Promise<string | undefined>;

export interface ServerOptions {
  /** `host:port`; port 0 takes any that is free. */
  readonly listen: string;
  readonly metrics: Registry;
  /** What must hold for `/readyz`. */
  readonly ready: ReadonlyMap<string, Check>;
  /** What must hold for `/healthz`: where it does not, the process had better be started anew. */
  readonly live?: ReadonlyMap<string, Check>;
  /** A check that has not answered after this time has failed; CHECK_MS by default. */
  readonly checkMs?: number;
  /** Answers below `/catalogs/`. */
  readonly catalogs?: (request: IncomingMessage, response: ServerResponse) => void | Promise<void>;
}

export interface RunningServer {
  readonly port: number;
  close(): Promise<void>;
}

export async function serve(options: ServerOptions): Promise<RunningServer> {
  const server = createServer({ requestTimeout: 30_000, headersTimeout: 10_000 }, (request, response) => {
    answer(options, request, response).catch(() => response.destroy());
  });
  const close = closerOf(server);
  const split = options.listen.lastIndexOf(':');
  await listen(server, Number(options.listen.slice(split + 1)), options.listen.slice(0, split));
  return { port: (server.address() as AddressInfo).port, close };
}

async function answer(options: ServerOptions, request: IncomingMessage, response: ServerResponse): Promise<void> {
  const { pathname, searchParams } = new URL(request.url ?? '/', 'http://manager');
  if (request.method !== 'GET' && request.method !== 'HEAD') return send(response, 405, 'only GET and HEAD\n');
  const asked = { response, verbose: searchParams.has('verbose'), checkMs: options.checkMs ?? CHECK_MS };
  if (pathname === '/healthz') return answerChecks(options.live ?? new Map(), asked);
  if (pathname === '/readyz') return answerChecks(options.ready, asked);
  if (pathname === '/metrics') return answerMetrics(options.metrics, response);
  if (pathname.startsWith('/catalogs/') && options.catalogs !== undefined) return options.catalogs(request, response);
  return send(response, 404, 'not found\n');
}

/** Less than probes wait, so that the answer says which check it was. */
export const CHECK_MS = 2000;

interface Asked {
  readonly response: ServerResponse;
  readonly verbose: boolean;
  readonly checkMs: number;
}

async function answerChecks(checks: ReadonlyMap<string, Check>, { response, verbose, checkMs }: Asked): Promise<void> {
  const results = await Promise.all([...checks].map(([name, check]) => runCheck(name, check, checkMs)));
  const failed = results.some(({ ok }) => !ok);
  const lines = results.map(({ name, ok, message }) =>
    [`[${ok ? '+' : '-'}]${name}`, ok ? 'ok' : 'failed', message].filter((part) => part !== '').join(' '),
  );
  const body = (verbose && lines.length > 0) || failed ? `${lines.join('\n')}\n` : 'ok\n';
  send(response, failed ? 503 : 200, body);
}

interface Outcome {
  readonly name: string;
  readonly ok: boolean;
  readonly message: string;
}

async function runCheck(name: string, check: Check, checkMs: number): Promise<Outcome> {
  const late = Promise.withResolvers<never>();
  const timer = setTimeout(() => late.reject(new Error(`no answer within ${checkMs / 1000} s`)), checkMs);
  try {
    return { name, ok: true, message: (await Promise.race([check(), late.promise])) ?? '' };
  } catch (error) {
    return { name, ok: false, message: (error as Error).message };
  } finally {
    clearTimeout(timer);
  }
}

async function answerMetrics(metrics: Registry, response: ServerResponse): Promise<void> {
  response.setHeader('content-type', metrics.contentType);
  response.end(await metrics.metrics());
}

function send(response: ServerResponse, status: number, body: string): void {
  response.writeHead(status, { 'content-type': 'text/plain; charset=utf-8' }).end(body);
}

function listen(server: Server, port: number, host: string): Promise<void> {
  return new Promise((resolve, reject) => {
    server.once('error', reject);
    server.listen(port, host, () => resolve());
  });
}
