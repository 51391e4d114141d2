/** Waits until an answer has left the process: until then its bytes are in memory, however little of it the client reads. */
import type { Socket } from 'node:net';
import type { NodeBindings } from './login/login.ts';

/** Until the system has the whole answer, or the connection has ended. Never rejects. */
export function untilSent({ incoming: { socket }, outgoing }: NodeBindings): Promise<void> {
  if (outgoing.closed || socket.destroyed) return Promise.resolve();
  return new Promise((resolve) => {
    outgoing.once('close', resolve);
    // Node reports no end of an answer that is behind another one when the connection ends.
    const waiting = waitingOn(socket);
    waiting.add(resolve);
    outgoing.once('close', () => waiting.delete(resolve));
  });
}

/** One listener for all answers of a connection: a client may send a hundred requests ahead. */
const waitingOf = new WeakMap<Socket, Set<() => void>>();

function waitingOn(socket: Socket): Set<() => void> {
  const known = waitingOf.get(socket);
  if (known !== undefined) return known;
  const waiting = new Set<() => void>();
  waitingOf.set(socket, waiting);
  socket.once('close', () => waiting.forEach((resolve) => resolve()));
  return waiting;
}
