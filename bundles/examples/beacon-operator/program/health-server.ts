/** Liveness, readiness and metrics over plain HTTP. */
import { createServer, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Registry } from 'prom-client';
import { closerOf } from '../../../../kube/close-server.ts';

export interface HealthOptions {
  readonly port: number;
  readonly metrics: Registry;
  /** Why the Pod is not ready for requests; undefined if it is. */
  readonly unready: () => string | undefined;
}

export interface RunningHealth extends AsyncDisposable {
  readonly port: number;
}

/** Listens on all addresses of the Pod. */
export async function serveHealth({ port, metrics, unready }: HealthOptions): Promise<RunningHealth> {
  const server = createServer((request, response) => {
    const path = request.url ?? '/';
    if (path === '/metrics') return void answerMetrics(metrics, response).catch(() => response.destroy());
    const why = path === '/readyz' ? unready() : path === '/healthz' ? undefined : 'not found';
    response.writeHead(why === undefined ? 200 : why === 'not found' ? 404 : 503).end(`${why ?? 'ok'}\n`);
  });
  const close = closerOf(server);
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.listen(port, () => resolve());
  });
  return {
    port: (server.address() as AddressInfo).port,
    [Symbol.asyncDispose]: close,
  };
}

async function answerMetrics(metrics: Registry, response: ServerResponse): Promise<void> {
  response.setHeader('content-type', metrics.contentType);
  response.end(await metrics.metrics());
}
