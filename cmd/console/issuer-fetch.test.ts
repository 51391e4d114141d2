/** The issuer is reached through the proxy that the variables name, and by the authority of its certificate alone. */
import { createServer } from 'node:https';
import { createServer as createTcpServer, type AddressInfo, type Socket } from 'node:net';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { eventually } from '../../kube/testing/eventually.ts';
import { createFakeCertificate } from '../../kube/testing/fake-certificate.ts';
import { startProxy, type TestProxy } from '../../oci/testing/proxy.ts';
import { issuerFetch } from './issuer-fetch.ts';

/** The proxy of the test leads it to this machine; no other look-up finds it. */
const HOST = 'registry.example';

let [ca, port] = ['', 0];
let proxy: TestProxy;
const stops: (() => unknown)[] = [];
beforeAll(async () => {
  const { cert, key } = await createFakeCertificate(HOST);
  const issuer = createServer({ cert, key }, (_, response) => void response.end('found'));
  await new Promise<void>((resolve) => issuer.listen(0, '127.0.0.1', resolve));
  [ca, port] = [cert, (issuer.address() as AddressInfo).port];
  proxy = await startProxy();
  stops.push(
    () => new Promise((resolve) => issuer.close(resolve)),
    () => issuer.closeAllConnections(),
    () => proxy.close(),
  );
});
afterAll(async () => {
  for (const stop of stops.reverse()) await stop();
});

const ask = (address: string, way: Parameters<typeof issuerFetch>[0]): Promise<Response> | undefined =>
  issuerFetch(way)?.(address, { method: 'GET', headers: {}, body: undefined, redirect: 'manual' });

test('a proxy leads to an issuer whose name only the proxy can resolve', async () => {
  const answer = await ask(`https://${HOST}:${port}/keys`, { ca, proxy: proxy.url });
  expect(await answer?.text()).toBe('found');
  expect(proxy.seen.map(({ target }) => target)).toEqual([`${HOST}:${port}`]);
});

test('the authority counts through a proxy, too', async () => {
  await expect(ask(`https://${HOST}:${port}/keys`, { proxy: proxy.url })).rejects.toThrow(/self-signed/);
});

test.each([
  { because: 'a name is listed', host: HOST, noProxy: 'other.example,.example' },
  { because: 'this machine is never reached through a proxy', host: '127.0.0.1', noProxy: undefined },
])('the issuer is reached without the proxy if $because', async ({ host, noProxy }) => {
  const before = proxy.seen.length;
  await ask(`https://${host}:${port}/keys`, { ca, proxy: proxy.url, noProxy })?.catch(() => undefined);
  expect(proxy.seen).toHaveLength(before);
});

test('without an authority and a proxy the requests are made by Node itself', () => {
  expect(issuerFetch({ noProxy: '.example' })).toBeUndefined();
});

test('a proxy that accepts the connection and does not answer is given up, so that the next login asks it again', async () => {
  const open = new Set<Socket>();
  const silent = createTcpServer((socket) => void open.add(socket.on('close', () => open.delete(socket)).resume()));
  await new Promise<void>((resolve) => silent.listen(0, '127.0.0.1', resolve));
  stops.push(() => silent.close());
  const address = `http://127.0.0.1:${(silent.address() as AddressInfo).port}`;
  const asked = issuerFetch({ proxy: address, proxyMs: 100 })?.(`https://${HOST}/keys`, {
    method: 'GET',
    headers: {},
    body: undefined,
    redirect: 'manual',
    signal: AbortSignal.timeout(10),
  });
  await eventually(() => open.size === 1);
  await expect(asked).rejects.toThrow(/timed out|abort/);
  await eventually(() => open.size === 0);
});
