/**
 * An HTTP server that hostile clients cannot fill: connections are counted, of all and of one address, requests must
 * arrive in time, and a client that reads nothing of its answer is disconnected. A slow one that keeps reading is not.
 */
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import { createServer as createTlsServer, type ServerOptions as TlsOptions } from 'node:https';
import type { AddressInfo, Socket } from 'node:net';
import { closerOf } from '../../kube/close-server.ts';

export interface ConnectionLimits {
  readonly connections: number;
  /** Of one remote address; behind a proxy or a translated address many clients have the same. */
  readonly perAddress: number;
  /**
   * The client that an address is counted for: the address itself unless given. Pods of one node have addresses of one network,
   * and each has its own share; a host outside of the cluster may have a network for itself.
   */
  readonly clientOf?: (address: string) => string;
  /** How long a client may take nothing of its answer. */
  readonly stallMs: number;
  /** How long a request may be on its way, or a new connection be silent; 10 s unless given. */
  readonly requestMs?: number;
}

/** Called for all that clients do to the server; for metrics. */
export interface ServerEvents {
  readonly connections: (open: number) => void;
  /** A connection was closed at once: there are enough of `total`, or of its `address`. */
  readonly refused: (why: 'total' | 'address') => void;
  /** A connection was closed on the way: its request did not arrive in time, or its answer was not taken. */
  readonly cut: (why: 'request' | 'answer') => void;
}

export interface RunningServer {
  readonly port: number;
  /** Uses another certificate for new connections. */
  setCertificate(certificate: Pick<TlsOptions, 'cert' | 'key' | 'ca'>): void;
  close(): Promise<void>;
}

export interface ListenOptions {
  /** `host:port`; port 0 takes any that is free, and no host means every address, of IPv4 and IPv6. */
  readonly listen: string;
  readonly limits: ConnectionLimits;
  readonly facts?: ServerEvents;
  readonly answer: (request: IncomingMessage, response: ServerResponse) => Promise<void>;
  /** Certificate and key; absent: without TLS. */
  readonly tls?: Pick<TlsOptions, 'cert' | 'key' | 'ca' | 'requestCert' | 'rejectUnauthorized'>;
}

/** Clients send one short request and few headers; a token of a ServiceAccount takes 2 KiB. */
const MAX_HEADER_BYTES = 16 << 10;
const MAX_HEADERS = 64;
const REQUEST_MS = 10_000;
/** Then the connection ends: requests that are sent ahead wait in memory. */
const MAX_REQUESTS_PER_CONNECTION = 100;

export async function startServer({ listen, limits, facts, answer, tls }: ListenOptions): Promise<RunningServer> {
  const { requestMs = REQUEST_MS } = limits;
  const times = {
    headersTimeout: requestMs,
    requestTimeout: requestMs,
    // Node looks every 30 s for requests that are late, unless it is given another time.
    connectionsCheckingInterval: requestMs / 5,
    keepAliveTimeout: requestMs / 2,
    maxHeaderSize: MAX_HEADER_BYTES,
  };
  const onRequest = (request: IncomingMessage, response: ServerResponse): void => {
    answer(request, response).catch(() => response.destroy());
  };
  const secure = tls === undefined ? undefined : createTlsServer({ ...times, ...tls }, onRequest);
  const server: Server = secure ?? createServer(times, onRequest);
  server.maxHeadersCount = MAX_HEADERS;
  server.maxRequestsPerSocket = MAX_REQUESTS_PER_CONNECTION;
  countConnections(server, limits, facts);
  cutStalled(server, limits.stallMs, facts);
  const close = closerOf(server);
  const split = listen.lastIndexOf(':');
  const host = listen.slice(0, split).replace(/^\[(.*)\]$/, '$1');
  await listenOn(server, Number(listen.slice(split + 1)), host);
  const { port } = server.address() as AddressInfo;
  return { port, close, setCertificate: (certificate) => secure?.setSecureContext(certificate) };
}

function countConnections(server: Server, limits: ConnectionLimits, facts?: ServerEvents): void {
  const { connections, perAddress, clientOf = (address) => address } = limits;
  const open = new Map<string, number>();
  let total = 0;
  server.maxConnections = connections;
  server.on('drop', () => facts?.refused('total'));
  server.on('connection', (socket: Socket) => {
    const address = clientOf(socket.remoteAddress ?? '');
    const own = (open.get(address) ?? 0) + 1;
    open.set(address, own);
    facts?.connections((total += 1));
    socket.once('close', () => {
      const rest = (open.get(address) ?? 0) - 1;
      if (rest <= 0) open.delete(address);
      else open.set(address, rest);
      facts?.connections((total -= 1));
    });
    if (own <= perAddress) return;
    facts?.refused('address');
    socket.destroy();
  });
}

/** Node restarts a socket's timeout with every byte that the kernel accepts of the answer. */
function cutStalled(server: Server, stallMs: number, facts?: ServerEvents): void {
  const answering = new Map<Socket, number>();
  const add = (socket: Socket, change: number): void => {
    const rest = (answering.get(socket) ?? 0) + change;
    if (rest > 0) answering.set(socket, rest);
    else answering.delete(socket);
  };
  server.prependListener('request', ({ socket }: IncomingMessage, response: ServerResponse) => {
    add(socket, 1);
    response.once('close', () => add(socket, -1));
  });
  server.on('connection', (socket: Socket) => socket.once('close', () => answering.delete(socket)));
  server.setTimeout(stallMs, (socket) => {
    // A connection that is only kept open for the next request has the same timer.
    if (answering.has(socket)) facts?.cut('answer');
    socket.destroy();
  });
  server.on('clientError', (error: NodeJS.ErrnoException, socket: Socket) => {
    if (error.code === 'ERR_HTTP_REQUEST_TIMEOUT') facts?.cut('request');
    if (socket.writable && !answering.has(socket)) socket.write(refusalOf(error.code));
    socket.destroy();
  });
}

function refusalOf(code: string | undefined): string {
  const status = {
    ERR_HTTP_REQUEST_TIMEOUT: '408 Request Timeout',
    HPE_HEADER_OVERFLOW: '431 Request Header Fields Too Large',
  };
  return `HTTP/1.1 ${status[code as keyof typeof status] ?? '400 Bad Request'}\r\nConnection: close\r\n\r\n`;
}

function listenOn(server: Server, port: number, host: string): Promise<void> {
  return new Promise((resolve, reject) => {
    server.once('error', reject);
    server.listen(port, host, () => resolve());
  });
}
