/**
 * Picks loopback ports for servers. They come from below the range from which the kernel takes the ports of
 * outgoing connections, so that a server that is restarted finds its port still free.
 */
import { randomInt } from 'node:crypto';
import { createServer } from 'node:net';

const FIRST = 20_000;
const LAST = 29_999; // above lie the NodePorts of Kubernetes

/** As many different ports as asked for, each free on the address at this moment. Another process may be faster. */
export async function pickPorts(count: number, address = '127.0.0.1'): Promise<number[]> {
  const ports = new Set<number>();
  while (ports.size < count) {
    const port = randomInt(FIRST, LAST + 1);
    if (!ports.has(port) && (await isFree(port, address))) ports.add(port);
  }
  return [...ports];
}

function isFree(port: number, address: string): Promise<boolean> {
  return new Promise((resolve) => {
    const server = createServer();
    server.once('error', () => resolve(false));
    server.listen({ port, host: address, exclusive: true }, () => server.close(() => resolve(true)));
  });
}
