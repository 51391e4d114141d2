/** For tests: a proxy between client and server that acts like a bad network. Sees only encrypted bytes. */
import { connect, createServer, type AddressInfo, type Socket } from 'node:net';

export interface FaultProxy extends AsyncDisposable {
  /** `https://127.0.0.1:port`, to be used in place of the server's address. */
  readonly server: string;
  /** Resets every connection. */
  drop(): void;
  /** Stops forwarding on existing connections, and leaves them open. */
  stall(): void;
  /** Resets existing and new connections, until `restore`. */
  block(): void;
  restore(): void;
  /** Connections that are open. */
  readonly connections: number;
}

/** Starts a proxy to `target`, an `https:` address. */
export async function startFaultProxy(target: string): Promise<FaultProxy> {
  const { hostname, port } = new URL(target);
  const pairs = new Set<readonly [Socket, Socket]>();
  let blocked = false;
  const server = createServer((near) => {
    if (blocked) return void near.resetAndDestroy();
    const far = connect(Number(port), hostname);
    const pair = [near, far] as const;
    pairs.add(pair);
    near.pipe(far);
    far.pipe(near);
    for (const socket of pair) {
      socket.on('error', () => undefined);
      socket.on('close', () => {
        pairs.delete(pair);
        for (const end of pair) end.destroy();
      });
    }
    return undefined;
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const drop = (): void => {
    for (const [near] of pairs) near.resetAndDestroy();
  };
  return {
    server: `https://127.0.0.1:${(server.address() as AddressInfo).port}`,
    drop,
    stall() {
      for (const [near, far] of pairs) {
        near.unpipe(far).pause();
        far.unpipe(near).pause();
      }
    },
    block() {
      blocked = true;
      drop();
    },
    restore() {
      blocked = false;
    },
    get connections() {
      return pairs.size;
    },
    async [Symbol.asyncDispose]() {
      drop();
      await new Promise<void>((resolve) => {
        server.close(() => resolve());
      });
    },
  };
}
