/** A proxy before one HTTP server: passes requests on, and injects the faults that a test asks for. */
import {
  Agent as PlainAgent,
  createServer,
  request as ask,
  type IncomingMessage,
  type ServerResponse,
} from 'node:http';
import { Agent, createServer as createTlsServer, request as askTls } from 'node:https';
import type { AddressInfo } from 'node:net';

export type Fault =
  /** The request is not passed on, and gets no answer, ever. */
  | { readonly kind: 'silence' }
  /** The server's own answer, after a while. */
  | { readonly kind: 'delay'; readonly milliseconds: number }
  /** The server's own answer, of which nothing more comes after so many bytes. */
  | { readonly kind: 'stall'; readonly afterBytes: number }
  /** The same, and the connection ends. */
  | { readonly kind: 'cut'; readonly afterBytes: number }
  /** The server's own answer, of which nothing more comes after a while, as the connection ends. */
  | { readonly kind: 'end'; readonly afterMilliseconds: number }
  /** The server's own answer with its last byte changed. */
  | { readonly kind: 'alter' }
  | Refusal
  /** `by` runs before the request is passed on, or when the server has answered; the client gets no answer. */
  | { readonly kind: 'interrupt'; readonly when: 'before' | 'after'; readonly by: () => Promise<unknown> };

interface Refusal {
  readonly kind: 'refuse';
  readonly status: number;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string;
}

export interface Asked {
  readonly method: string;
  /** With its query. */
  readonly path: string;
  readonly body: Buffer;
}

/** The fault for a request; undefined if it is passed on. */
export type FaultFor = (asked: Asked) => Fault | undefined;

export interface FaultProxyOptions {
  readonly upstream: URL;
  /** The certificate to show; without one the proxy speaks no TLS. */
  readonly tls?: { readonly key: string; readonly cert: string; readonly upstreamCa: string };
  /** The plain HTTP address that answers a path in place of the server; undefined for all that the server answers. */
  readonly divert?: (path: string) => URL | undefined;
  /** Called when the server has answered, whether or not the client hears it. */
  readonly onAnswer?: (asked: Asked, status: number) => void;
}

export interface FaultProxy extends AsyncDisposable {
  readonly port: number;
  /** Replaces the former function; without one every request is passed on. */
  meddle(faultFor?: FaultFor): void;
  /**
   * From now on no byte passes: open answers stop, and requests are neither passed on nor answered. The returned function
   * ends that; connections from before end then.
   */
  partition(): () => void;
}

/** Starts it on a free port of the loopback address. */
export async function startFaultProxy(options: FaultProxyOptions): Promise<FaultProxy> {
  const { tls } = options;
  const agent = tls === undefined ? new PlainAgent() : new Agent({ ca: tls.upstreamCa, keepAlive: true });
  const state = new Passages();
  const handle = (near: IncomingMessage, answer: ServerResponse): void =>
    void pass({ ...options, agent, state }, near, answer).catch(() => answer.destroy());
  const server = tls === undefined ? createServer(handle) : createTlsServer(tls, handle);
  server.requestTimeout = 0;
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done));
  return {
    port: (server.address() as AddressInfo).port,
    meddle(faultFor = () => undefined) {
      state.faultFor = faultFor;
    },
    partition: () => state.partition(),
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      agent.destroy();
      await new Promise<void>((done) => void server.close(() => done()));
    },
  };
}

/** The answers that are open, and whether bytes may pass. */
class Passages {
  faultFor: FaultFor = () => undefined;
  #isCut = false;
  readonly #open = new Map<ServerResponse, IncomingMessage>();
  readonly #parked = new Set<ServerResponse>();

  partition(): () => void {
    this.#isCut = true;
    for (const [answer, response] of this.#open) {
      response.unpipe(answer).pause();
      this.#parked.add(answer);
    }
    return () => {
      this.#isCut = false;
      for (const answer of this.#parked) answer.destroy();
      this.#parked.clear();
    };
  }

  /** Whether the answer is kept back for good. */
  parks(answer: ServerResponse): boolean {
    if (this.#isCut) this.#parked.add(answer);
    return this.#isCut;
  }

  pipe(response: IncomingMessage, answer: ServerResponse): void {
    this.#open.set(answer, response);
    answer.on('close', () => {
      this.#open.delete(answer);
      response.destroy();
    });
    // without this a server that ends in the middle would leave the client waiting
    response.on('aborted', () => answer.destroy());
    response.pipe(answer);
  }
}

interface Passing extends FaultProxyOptions {
  readonly agent: Agent | PlainAgent;
  readonly state: Passages;
}

async function pass(passing: Passing, near: IncomingMessage, answer: ServerResponse): Promise<void> {
  const { state, onAnswer } = passing;
  const { method = 'GET', url: path = '/' } = near;
  const asked = { method, path, body: Buffer.concat(await near.toArray()) };
  if (state.parks(answer)) return;
  const fault = state.faultFor(asked);
  if (fault?.kind === 'silence') return;
  if (fault?.kind === 'refuse') return void answer.writeHead(fault.status, fault.headers).end(fault.body);
  if (fault?.kind === 'interrupt' && fault.when === 'before') {
    await fault.by();
    return void answer.destroy();
  }
  const response = await forward(passing, near, { asked, answer });
  onAnswer?.(asked, response.statusCode ?? 0);
  if (!state.parks(answer)) await relay(state, { response, answer, fault });
}

function forward(
  { upstream, agent, divert }: Passing,
  { headers }: IncomingMessage,
  { asked, answer }: { readonly asked: Asked; readonly answer: ServerResponse },
): Promise<IncomingMessage> {
  const { method, body } = asked;
  const other = divert?.(asked.path);
  const { hostname, port, protocol } = other ?? upstream;
  const path = other === undefined ? asked.path : `${other.pathname}${other.search}`;
  return new Promise((resolve, reject) => {
    const far = (protocol === 'https:' ? askTls : ask)(
      { hostname, port, method, headers, path, ...(other === undefined && { agent }) },
      resolve,
    );
    far.on('error', reject);
    // a write goes on even if its client has died meanwhile
    if (method === 'GET') answer.on('close', () => far.destroy());
    far.end(body);
  });
}

interface Relaying {
  readonly response: IncomingMessage;
  readonly answer: ServerResponse;
  readonly fault: Fault | undefined;
}

async function relay(state: Passages, { response, answer, fault }: Relaying): Promise<void> {
  if (fault?.kind === 'interrupt') {
    await response.toArray();
    await fault.by();
    return void answer.destroy();
  }
  if (fault?.kind === 'delay') await new Promise((done) => void setTimeout(done, fault.milliseconds));
  answer.writeHead(response.statusCode ?? 502, response.headers);
  if (fault?.kind === 'end') setTimeout(() => answer.destroy(), fault.afterMilliseconds);
  if (fault?.kind !== 'stall' && fault?.kind !== 'cut' && fault?.kind !== 'alter') return state.pipe(response, answer);
  const body = Buffer.concat(await response.toArray());
  if (fault.kind === 'alter') return void answer.end(withLastByteChanged(body));
  answer.write(body.subarray(0, fault.afterBytes), () => {
    if (fault.kind === 'cut') answer.destroy();
  });
}

function withLastByteChanged(body: Buffer): Buffer {
  const last = body.length - 1;
  if (last >= 0) body[last] = (body[last] as number) ^ 1;
  return body;
}
