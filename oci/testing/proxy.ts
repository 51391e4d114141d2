/** A proxy on loopback, which resolves `registry.example` to this machine. */
import { once } from 'node:events';
import { createServer, request as httpRequest } from 'node:http';
import { type AddressInfo, connect, type Socket } from 'node:net';

export interface TestProxy {
  /** What it was asked for, by `host:port`. */
  readonly seen: readonly { readonly target: string; readonly authorization: string | undefined }[];
  /** Its address, with the user `u` and the password `p`. */
  readonly url: string;
  readonly close: () => Promise<void>;
}

export async function startProxy(): Promise<TestProxy> {
  const seen: { target: string; authorization: string | undefined }[] = [];
  const open = new Set<Socket>();
  const server = createServer((request, response) => {
    const url = new URL(request.url ?? '');
    seen.push({ target: url.host, authorization: request.headers['proxy-authorization'] });
    const { 'proxy-authorization': _, ...headers } = request.headers;
    const upstream = httpRequest(
      {
        host: placeOf(url.hostname),
        port: url.port,
        path: `${url.pathname}${url.search}`,
        method: request.method,
        headers,
      },
      (answer) => {
        response.writeHead(answer.statusCode ?? 502, answer.headers);
        answer.pipe(response);
      },
    );
    upstream.on('error', () => response.destroy());
    request.pipe(upstream);
  });
  server.on('connect', (request, client: Socket) => {
    seen.push({ target: request.url ?? '', authorization: request.headers['proxy-authorization'] });
    const [host = '', port = ''] = (request.url ?? '').split(':');
    const upstream = connect(Number(port), placeOf(host), () => {
      client.write('HTTP/1.1 200 OK\r\n\r\n');
      upstream.pipe(client).pipe(upstream);
    });
    upstream.on('error', () => client.destroy());
    client.on('error', () => upstream.destroy());
    open.add(client);
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    seen,
    url: `http://u:p@127.0.0.1:${(server.address() as AddressInfo).port}`,
    close: async () => {
      for (const client of open) client.destroy();
      server.closeAllConnections();
      await new Promise((done) => server.close(done));
    },
  };
}

function placeOf(host: string): string {
  return host === 'registry.example' ? '127.0.0.1' : host;
}
