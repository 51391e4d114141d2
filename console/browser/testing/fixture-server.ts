/** The pages with models from a table instead of a cluster: what the server of the console does, as far as pages notice. */
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import { createHash } from 'node:crypto';
import type { AddressInfo } from 'node:net';
import { buildPages, type PageFile } from '../build.ts';

/** The policy of the contract: nothing inline, nothing from elsewhere, HTML only from the sanitiser. */
const POLICY = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "img-src 'self'",
  "connect-src 'self'",
  "base-uri 'none'",
  "form-action 'self'",
  "frame-ancestors 'none'",
  "require-trusted-types-for 'script'",
  'trusted-types dompurify',
].join('; ');

const pages = buildPages();

export interface FixtureOptions {
  /** By path of the view, without query: the model, or how it follows from the query. */
  readonly models: Readonly<Record<string, unknown>>;
  readonly session?: object;
  /** The answer to every act: a sentence, or a problem. */
  readonly act?: (action: unknown) => { readonly done: string } | { readonly message: string };
}

/** A model that follows from the query of its view. */
export type FromQuery = (query: URLSearchParams) => unknown;

/** State: the models, the browsers that listen, and the acts that came. */
export class FixtureServer {
  readonly acts: unknown[] = [];
  /** Addresses that were asked for and that this server does not have. */
  readonly unknown: string[] = [];
  readonly #options: FixtureOptions;
  readonly #models: Map<string, unknown>;
  readonly #listeners = new Map<ServerResponse, URL>();
  #server: Server | undefined;
  #port = 0;

  constructor(options: FixtureOptions) {
    this.#options = options;
    this.#models = new Map(Object.entries(options.models));
  }

  get url(): string {
    return `http://127.0.0.1:${this.#port}`;
  }

  /** Listens; a second time on the same port. */
  async start(): Promise<void> {
    const server = createServer((request, response) => void this.#answer(request, response));
    this.#server = server;
    await new Promise<void>((done) => server.listen(this.#port, '127.0.0.1', done));
    this.#port = (server.address() as AddressInfo).port;
  }

  async stop(): Promise<void> {
    const server = this.#server;
    this.#listeners.clear();
    server?.closeAllConnections();
    await new Promise((done) => server?.close(done));
  }

  /** Changes a model; browsers that show it get it. */
  push(path: string, model: unknown): void {
    this.#models.set(path, model);
    for (const [response, url] of this.#listeners) if (url.pathname === path) this.#send(response, url);
  }

  async #answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const url = new URL(request.url ?? '/', this.url);
    if (url.pathname.startsWith('/api/live/')) return this.#listen(url, response);
    if (url.pathname === '/api/session') return json(response, 200, this.#options.session ?? SESSION);
    if (url.pathname === '/api/act') return this.#act(request, response);
    const files = await pages;
    const file = files.find(({ path }) => path === url.pathname);
    if (file !== undefined) return send(response, file);
    if (!url.pathname.includes('.')) return send(response, files[0]!);
    this.unknown.push(url.pathname);
    return json(response, 404, { message: 'unknown' });
  }

  #listen(url: URL, response: ServerResponse): void {
    response.writeHead(200, { 'content-type': 'text/event-stream', 'cache-control': 'no-store' });
    response.write('retry: 200\n\n');
    const view = new URL(url.href.replace('/api/live', ''));
    this.#listeners.set(response, view);
    response.on('close', () => this.#listeners.delete(response));
    this.#send(response, view);
  }

  #send(response: ServerResponse, url: URL): void {
    const found = this.#models.get(url.pathname);
    const model = typeof found === 'function' ? (found as FromQuery)(url.searchParams) : found;
    const [event, data] = model === undefined ? ['problem', missing(url)] : ['view', model];
    const text = JSON.stringify(data);
    const id = createHash('sha256').update(text).digest('hex').slice(0, 12);
    response.write(`event: ${event}\nid: ${id}\ndata: ${text}\n\n`);
  }

  async #act(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk as Buffer);
    const { action } = JSON.parse(Buffer.concat(chunks).toString()) as { readonly action: unknown };
    this.acts.push(action);
    const outcome = this.#options.act?.(action) ?? { done: 'Done' };
    return json(response, 'done' in outcome ? 200 : 403, outcome);
  }
}

const SESSION = {
  user: 'ana@example.com',
  groups: ['platform', 'system:authenticated'],
  version: '0.1.0',
  readOnly: false,
  way: 'local',
  canLogOut: false,
  csrf: 'text-of-the-session',
};

function missing({ pathname }: URL): object {
  return {
    problem: true,
    reason: 'PackageNotFound',
    message: `There is no ${pathname.slice(1)}, or you may not see it`,
    next: 'Go to the overview, which lists all that you may see.',
  };
}

function send(response: ServerResponse, { type, bytes }: PageFile): void {
  response.writeHead(200, {
    'content-type': type,
    'content-security-policy': POLICY,
    'x-content-type-options': 'nosniff',
  });
  response.end(bytes);
}

function json(response: ServerResponse, status: number, body: unknown): void {
  response.writeHead(status, { 'content-type': 'application/json' });
  response.end(JSON.stringify(body));
}
