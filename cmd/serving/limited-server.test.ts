/** Clients that are hostile to a server, and those that are only slow. */
import { once } from 'node:events';
import { type IncomingMessage, type ServerResponse } from 'node:http';
import { connect, type Socket } from 'node:net';
import { networkInterfaces } from 'node:os';
import { afterEach, describe, expect, test } from 'vitest';
import { eventually } from '../../kube/testing/eventually.ts';
import { startServer, type ConnectionLimits, type RunningServer, type ServerEvents } from './limited-server.ts';

const stops: (() => unknown)[] = [];
afterEach(async () => {
  for (const stop of stops.splice(0).reverse()) await stop();
});

const LARGE = Buffer.alloc(32 << 20, 'x');

interface Seen {
  open: number;
  readonly refused: string[];
  readonly cut: string[];
}

const answerAll = async ({ url }: IncomingMessage, response: ServerResponse): Promise<void> => {
  response.end(url === '/large' ? LARGE : 'ok');
};

async function start(
  limits: Partial<ConnectionLimits> = {},
  listen = '127.0.0.1:0',
): Promise<{ server: RunningServer; seen: Seen }> {
  const seen: Seen = { open: 0, refused: [], cut: [] };
  const facts: ServerEvents = {
    connections: (open) => (seen.open = open),
    refused: (why) => seen.refused.push(why),
    cut: (why) => seen.cut.push(why),
  };
  const server = await startServer({
    listen,
    limits: { connections: 20, perAddress: 20, stallMs: 400, requestMs: 400, ...limits },
    facts,
    answer: answerAll,
  });
  stops.push(() => server.close());
  return { server, seen };
}

async function open({ port }: RunningServer, from = '127.0.0.1'): Promise<Socket> {
  const socket = connect({ port, host: '127.0.0.1', localAddress: from });
  socket.on('error', () => undefined);
  stops.push(() => socket.destroy());
  await once(socket, 'connect');
  return socket;
}

const get = (path: string, more = ''): string => `GET ${path} HTTP/1.1\r\nHost: x\r\n${more}\r\n`;

async function answerTo(socket: Socket, bytes: string): Promise<string> {
  let text = '';
  socket.on('data', (data) => (text += String(data)));
  socket.write(bytes);
  await closed(socket);
  return text;
}

function closed(socket: Socket): Promise<unknown> {
  return new Promise((resolve) => socket.once('close', resolve));
}

/** Reads nothing until the other side has closed. */
function closedUnread(socket: Socket): Promise<unknown> {
  return eventually(() => {
    // a write is refused once the other side has gone
    socket.write('x');
    return socket.destroyed || socket.errored !== null;
  });
}

test.each([
  { because: 'it says nothing', bytes: '' },
  { because: 'its headers do not come to an end', bytes: 'GET / HTTP/1.1\r\nHost: x\r\nX-A: ' },
  { because: 'its body does not come', bytes: get('/', 'Content-Length: 1000000\r\n'), answered: true },
])('a connection is closed in time: $because', async ({ bytes, answered = false }) => {
  const { server, seen } = await start({ stallMs: 60_000 });
  const socket = await open(server);
  const trickle = setInterval(() => bytes !== '' && socket.write('b'), 20);
  stops.push(() => clearInterval(trickle));
  let text = '';
  socket.on('data', (data) => (text += String(data)));
  socket.write(bytes);
  await closed(socket);
  expect(text).toContain(answered ? 'HTTP/1.1 200 OK' : 'HTTP/1.1 408');
  if (!answered) expect(seen.cut).toEqual(['request']);
});

test.each([
  { because: 'it asks once', requests: get('/large') },
  { because: 'it sends further requests ahead', requests: get('/large') + get('/small').repeat(90) },
  { because: 'it asks for many at once', requests: get('/large').repeat(90) },
])('a client that reads nothing of its answer is cut: $because', async ({ requests }) => {
  const { server, seen } = await start();
  const socket = await open(server);
  socket.pause();
  socket.write(requests);
  await eventually(() => seen.cut.length > 0);
  expect(seen.cut).toEqual(['answer']);
  await eventually(() => seen.open === 0);
  await closedUnread(socket);
});

test('a client that reads slowly, and without a pause as long as the limit, has all of it in the end', async () => {
  const { server, seen } = await start({ stallMs: 2000 });
  const socket = await open(server);
  let bytes = 0;
  const started = performance.now();
  socket.on('data', (data: Buffer) => {
    bytes += data.length;
    socket.pause();
    setTimeout(() => socket.resume(), 8);
  });
  socket.write(get('/large', 'Connection: close\r\n'));
  await closed(socket);
  expect(bytes).toBeGreaterThan(LARGE.length);
  expect(performance.now() - started, 'it took longer than a client that stops may').toBeGreaterThan(2000);
  expect(seen.cut).toEqual([]);
});

test('a connection that is kept for the next request is closed without being counted as cut', async () => {
  const { server, seen } = await start();
  const socket = await open(server);
  socket.resume();
  socket.write(get('/'));
  await once(socket, 'data');
  await eventually(() => seen.open === 0);
  expect(seen.cut).toEqual([]);
});

test('connections beyond the maximum are closed at once, and there is room again when others end', async () => {
  const { server, seen } = await start({ connections: 3, stallMs: 60_000, requestMs: 60_000 });
  const sockets = await Promise.all([open(server), open(server), open(server)]);
  const refused = await open(server, '127.0.0.2');
  await eventually(() => refused.destroyed);
  expect(seen.refused).toEqual(['total']);
  sockets[0]?.destroy();
  await eventually(() => seen.open === 2);
  const next = await open(server);
  next.write(get('/'));
  expect(String((await once(next, 'data'))[0])).toContain('200 OK');
});

test('one address cannot take all connections from the others', async () => {
  const { server, seen } = await start({ perAddress: 3, stallMs: 60_000, requestMs: 60_000 });
  await Promise.all([open(server), open(server), open(server)]);
  const refused = await open(server);
  await eventually(() => refused.destroyed);
  expect(seen.refused).toEqual(['address']);
  const other = await open(server, '127.0.0.2');
  other.write(get('/'));
  expect(String((await once(other, 'data'))[0])).toContain('200 OK');
});

test('the addresses of one client have one share', async () => {
  const { server, seen } = await start({
    perAddress: 2,
    clientOf: () => 'network',
    stallMs: 60_000,
    requestMs: 60_000,
  });
  await Promise.all([open(server), open(server, '127.0.0.2')]);
  const refused = await open(server, '127.0.0.3');
  await eventually(() => refused.destroyed);
  expect(seen.refused).toEqual(['address']);
});

test.each([
  { because: 'its address is huge', bytes: get(`/${'a'.repeat(20_000)}`), status: '431' },
  { because: 'its headers are huge', bytes: get('/', `X-A: ${'a'.repeat(20_000)}\r\n`), status: '431' },
  { because: 'it is no HTTP', bytes: '\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03\r\n\r\n', status: '400' },
  {
    because: 'its lengths contradict',
    bytes: get('/', 'Content-Length: 3\r\nTransfer-Encoding: chunked\r\n'),
    status: '400',
  },
  { because: 'two lengths are there', bytes: get('/', 'Content-Length: 3\r\nContent-Length: 4\r\n'), status: '400' },
])('a request is refused with $status: $because', async ({ bytes, status }) => {
  const { server } = await start();
  // the kernel drops an answer that was not read yet if the server closes with unread bytes of the request
  const text = await eventually(async () => (await answerTo(await open(server), bytes)) || undefined);
  expect(text).toContain(`HTTP/1.1 ${status}`);
});

const hasIPv6 = Object.values(networkInterfaces()).some((all) => all?.some(({ family }) => family === 'IPv6'));

describe.skipIf(!hasIPv6)('the address to listen at', () => {
  test.each([
    { listen: ':0', reached: ['127.0.0.1', '::1'], because: 'without a host it is every one, of both families' },
    { listen: '[::]:0', reached: ['127.0.0.1', '::1'], because: 'an address of IPv6 is written in brackets' },
    { listen: '[::1]:0', reached: ['::1'], because: 'one that is named is the only one' },
    { listen: '0.0.0.0:0', reached: ['127.0.0.1'], because: 'IPv4 alone can be asked for' },
  ])('$listen: $because', async ({ listen, reached }) => {
    const { port } = (await start({}, listen)).server;
    for (const host of ['127.0.0.1', '::1']) expect(await isReached(host, port), host).toBe(reached.includes(host));
  });
});

function isReached(host: string, port: number): Promise<boolean> {
  const socket = connect({ host, port });
  stops.push(() => socket.destroy());
  return new Promise((resolve) => {
    socket.once('connect', () => resolve(true));
    socket.once('error', () => resolve(false));
  });
}
