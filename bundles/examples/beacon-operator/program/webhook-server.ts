/**
 * The HTTPS endpoint that the API server calls. Serves the current certificate in its folder: the kubelet renews the
 * mounted files while the program runs.
 */
import { readFileSync } from 'node:fs';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { createServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { closerOf } from '../../../../kube/close-server.ts';
import type { Log } from '../../../../kube/log.ts';
import { answerReview } from './reviews.ts';

export interface WebhookServerOptions {
  readonly port: number;
  /** Folder with `tls.crt` and `tls.key`. */
  readonly certificates: string;
  readonly log: Log;
  /** How long to go on answering during a shutdown, since callers keep connections; three seconds by default. */
  readonly lingerMs?: number;
  /** Paths that are never answered; by default none. */
  readonly deafTo?: readonly string[];
}

export interface RunningWebhooks extends AsyncDisposable {
  readonly port: number;
}

/** Lists of some thousand objects are converted in one request. */
const MOST_BYTES = 16 * 1024 * 1024;
const RELOAD_MILLISECONDS = 10_000;
const LINGER_MS = 3000;

/** Listens on all addresses of the Pod. Throws if there is no certificate. */
export async function serveWebhooks(options: WebhookServerOptions): Promise<RunningWebhooks> {
  const { port, certificates, log, lingerMs = LINGER_MS } = options;
  let current = readCertificate(certificates);
  let isEnding = false;
  const server = createServer({ ...current, requestTimeout: 30_000 }, (request, response) => {
    if (isEnding) response.setHeader('connection', 'close');
    answer(request, response, options).catch((error: unknown) => fail(response, { error, log }));
  });
  const close = closerOf(server);
  const reload = setInterval(() => {
    const next = readCertificate(certificates, current);
    if (next.cert === current.cert && next.key === current.key) return;
    current = next;
    server.setSecureContext(next);
    log.info({}, 'serving a new certificate');
  }, RELOAD_MILLISECONDS);
  reload.unref();
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.listen(port, () => resolve());
  });
  return {
    port: (server.address() as AddressInfo).port,
    async [Symbol.asyncDispose]() {
      isEnding = true;
      await pause(lingerMs);
      clearInterval(reload);
      await close();
    },
  };
}

interface Certificate {
  readonly cert: string;
  readonly key: string;
}

/** During a renewal the files may be missing: the last pair stays in use. */
function readCertificate(folder: string, last?: Certificate): Certificate {
  try {
    return { cert: readFileSync(join(folder, 'tls.crt'), 'utf8'), key: readFileSync(join(folder, 'tls.key'), 'utf8') };
  } catch (error) {
    if (last === undefined) throw error;
    return last;
  }
}

async function answer(
  request: IncomingMessage,
  response: ServerResponse,
  { log, deafTo = [] }: WebhookServerOptions,
): Promise<void> {
  const { pathname } = new URL(request.url ?? '/', 'https://webhooks');
  if (deafTo.includes(pathname)) return;
  const review: unknown = JSON.parse(await readBody(request));
  const body = answerReview(pathname, review);
  log.debug({ path: pathname }, 'called by the API server');
  response.writeHead(body === undefined ? 404 : 200, { 'content-type': 'application/json' });
  response.end(JSON.stringify(body ?? {}));
}

async function readBody(request: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = [];
  let bytes = 0;
  for await (const chunk of request as AsyncIterable<Buffer>) {
    bytes += chunk.length;
    if (bytes > MOST_BYTES) throw new Error(`a review of more than ${MOST_BYTES} bytes`);
    chunks.push(chunk);
  }
  return Buffer.concat(chunks).toString('utf8');
}

function fail(response: ServerResponse, { error, log }: { readonly error: unknown; readonly log: Log }): void {
  log.warn({ err: error }, 'a review could not be answered');
  if (response.headersSent) return void response.destroy();
  response.writeHead(400, { 'content-type': 'text/plain' }).end(`${(error as Error).message}\n`);
}
