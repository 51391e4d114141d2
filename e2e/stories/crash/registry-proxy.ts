/** Stands before the registry and tells of each request; one may be held back until the asker is gone. */
import { createServer, request as ask } from 'node:http';
import type { AddressInfo } from 'node:net';

export interface RegistryProxy extends AsyncDisposable {
  /** `host:port`, to be used in place of the registry's. */
  readonly address: string;
  /** Resolves once something is asked for whose path matches; that request gets no answer. */
  holdNext(path: RegExp): Promise<void>;
}

export async function startRegistryProxy(registry: string): Promise<RegistryProxy> {
  const { hostname, port } = new URL(`http://${registry}`);
  let held: { readonly path: RegExp; readonly begin: () => void } | undefined;
  const server = createServer((near, answer) => {
    if (held?.path.test(near.url ?? '') === true) {
      held.begin();
      held = undefined;
      return;
    }
    const { method, headers, url: path } = near;
    const far = ask({ hostname, port, method, headers, path }, (response) => {
      answer.writeHead(response.statusCode ?? 502, response.headers);
      response.pipe(answer);
    });
    far.on('error', () => answer.destroy());
    near.pipe(far);
  });
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done));
  return {
    address: `localhost:${(server.address() as AddressInfo).port}`,
    holdNext(path) {
      const { promise, resolve } = Promise.withResolvers<void>();
      held = { path, begin: resolve };
      return promise;
    },
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      await new Promise<void>((done) => void server.close(() => done()));
    },
  };
}
