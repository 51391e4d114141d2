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
  readonly ready: ReadonlyMap<string, Check>;
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
  if (pathname === '/healthz') return send(response, 200, 'ok\n');
  if (pathname === '/readyz') return answerReady(options, response, searchParams.has('verbose'));
  if (pathname === '/metrics') return answerMetrics(options.metrics, response);
  if (pathname.startsWith('/catalogs/') && options.catalogs !== undefined) return options.catalogs(request, response);
  return send(response, 404, 'not found\n');
}

async function answerReady({ ready }: ServerOptions, response: ServerResponse, verbose: boolean): Promise<void> {
  const results = await Promise.all([...ready].map(([name, check]) => runCheck(name, check)));
  const failed = results.some(({ ok }) => !ok);
  const lines = results.map(({ name, ok, message }) =>
    [`[${ok ? '+' : '-'}]${name}`, ok ? 'ok' : 'failed', message].filter((part) => part !== '').join(' '),
  );
  const body = verbose || failed ? `${lines.join('\n')}\n` : 'ok\n';
  send(response, failed ? 503 : 200, body);
}

async function runCheck(
  name: string,
  check: Check,
): Promise<{ readonly name: string; readonly ok: boolean; readonly message: string }> {
  try {
    return { name, ok: true, message: (await check()) ?? '' };
  } catch (error) {
    return { name, ok: false, message: (error as Error).message };
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
