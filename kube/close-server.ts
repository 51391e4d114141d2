/**
 * Closes a server of node:http or node:https within moments. By itself Node waits minutes for connections without any
 * request: clients open some in reserve (the API server, when it calls a webhook several times at once), and a Pod
 * whose program waits for them is killed only after its grace period, which delays its removal.
 */
import type { Server } from 'node:http';
import type { Socket } from 'node:net';

/** How long the first request of a connection may take to arrive. */
const ON_ITS_WAY_MS = 500;

/** Time limit for an answer: a client that stops reading would keep the process alive forever. */
const LAST_ANSWER_MS = 5000;

/**
 * Tracks the connections of a server that does not listen yet. Returns the function that closes it: pending requests
 * are answered within `lastAnswerMs`, and connections without a request are cut. Resolves when all are closed.
 */
export function closerOf(server: Server, lastAnswerMs = LAST_ANSWER_MS): () => Promise<void> {
  const unused = new Map<string, Socket>();
  server.on('connection', (socket: Socket) => {
    const peer = peerOf(socket);
    unused.set(peer, socket);
    socket.once('close', () => unused.delete(peer));
  });
  // With TLS, request and connection have different sockets with the same peer.
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
