/**
 * Ends a server of node:http or node:https within moments. By itself Node waits for connections on which nothing was
 * ever asked, for minutes: clients open some in reserve (the API server, when it calls a webhook several times at
 * once), and a Pod whose program waits for them is killed only after its grace period, which holds up its removal.
 */
import type { Server } from 'node:http';
import type { Socket } from 'node:net';

/** How long the first request of a connection may be on its way. */
const ON_ITS_WAY_MS = 500;

/** How long an answer may take: a client that reads no further would hold the process for ever. */
const LAST_ANSWER_MS = 5000;

/**
 * Keeps count of the connections of a server that does not listen yet. Returns what closes it: what was asked is
 * answered within `lastAnswerMs`, and connections on which nothing is asked do not hold it. Resolves when all are closed.
 */
export function closerOf(server: Server, lastAnswerMs = LAST_ANSWER_MS): () => Promise<void> {
  const unused = new Map<string, Socket>();
  server.on('connection', (socket: Socket) => {
    const peer = peerOf(socket);
    unused.set(peer, socket);
    socket.once('close', () => unused.delete(peer));
  });
  // Of TLS the request has another socket than the connection, with the same peer.
  server.prependListener('request', ({ socket }: { readonly socket: Socket }) => unused.delete(peerOf(socket)));
  return async () => {
    const closed = new Promise<void>((resolve) => server.close(() => resolve()));
    server.closeIdleConnections();
    const over = setTimeout(() => [...unused.values()].forEach((socket) => socket.destroy()), ON_ITS_WAY_MS);
    const late = setTimeout(() => server.closeAllConnections(), lastAnswerMs);
    await closed.finally(() => [over, late].forEach(clearTimeout));
  };
}

function peerOf({ remoteAddress, remotePort }: Socket): string {
  return `${remoteAddress} ${remotePort}`;
}
