/**
 * The HTTP endpoints that the programs in a cluster have on every replica, all read-only: metrics, of the manager also the
 * content of catalogs, and on a port of its own what the kubelet probes, so that clients cannot keep it from an answer.
 */
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Registry } from 'prom-client';
import type { CatalogHandler } from '../../catalog/serve.ts';
import { answerChecks, type Checks } from './answer-checks.ts';
import { startServer, type ConnectionLimits, type RunningServer, type ServerEvents } from './limited-server.ts';

interface ServerOptions {
  /** `host:port`; port 0 takes any that is free. */
  readonly listen: string;
  readonly checks: Checks;
}

export interface ContentOptions extends ServerOptions {
  readonly limits: ConnectionLimits;
  readonly facts?: ServerEvents;
  readonly metrics: Registry;
  /** Answers below `/catalogs/`, and says whether it has. */
  readonly catalogs?: CatalogHandler;
}

/** A kubelet has one connection for each probe, and a person who looks has one more. */
const PROBE_LIMITS: ConnectionLimits = { connections: 64, perAddress: 32, stallMs: 10_000 };

/** Serves `/metrics` and `/catalogs/`; the answers to probes too, for Deployments that probe this port. */
export function serveContent({ catalogs, checks, metrics, ...options }: ContentOptions): Promise<RunningServer> {
  const render = once(() => metrics.metrics());
  const answer = onlyReads(async ({ path, verbose }, request, response) => {
    if (path === '/metrics') {
      const text = await render();
      return void response.setHeader('content-type', metrics.contentType).end(text);
    }
    if (path.startsWith('/catalogs/') && (await catalogs?.(request, response)) === true) return;
    return answerProbe({ path, verbose }, checks, response);
  });
  return startServer({ ...options, answer });
}

/** Serves `/healthz` and `/readyz`. */
export function serveProbes({ listen, checks }: ServerOptions): Promise<RunningServer> {
  const answer = onlyReads((target, _request, response) => answerProbe(target, checks, response));
  return startServer({ listen, limits: PROBE_LIMITS, answer });
}

interface RequestTarget {
  readonly path: string;
  readonly verbose: boolean;
}

type Endpoint = (target: RequestTarget, request: IncomingMessage, response: ServerResponse) => void | Promise<void>;

function onlyReads(answer: Endpoint) {
  return async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    const url = request.url ?? '/';
    if (request.method !== 'GET' && request.method !== 'HEAD') return send(response, 405, 'only GET and HEAD\n');
    if (!URL.canParse(url, 'http://manager')) return send(response, 400, 'not an address\n');
    const { pathname: path, searchParams } = new URL(url, 'http://manager');
    await answer({ path, verbose: searchParams.has('verbose') }, request, response);
  };
}

async function answerProbe(
  { path, verbose }: RequestTarget,
  { live, ready, checkMs }: Checks,
  response: ServerResponse,
) {
  const checks = path === '/healthz' ? live : path === '/readyz' ? ready : undefined;
  if (checks === undefined) return send(response, 404, 'not found\n');
  const { ok, text } = await answerChecks(checks, { verbose, checkMs });
  send(response, ok ? 200 : 503, text);
}

/** All who ask while one answer is made get that one: many who ask cost no more than one. */
function once<T>(make: () => Promise<T>): () => Promise<T> {
  let running: Promise<T> | undefined;
  return () => (running ??= make().finally(() => (running = undefined)));
}

function send(response: ServerResponse, status: number, body: string): void {
  response.writeHead(status, { 'content-type': 'text/plain; charset=utf-8' }).end(body);
}
