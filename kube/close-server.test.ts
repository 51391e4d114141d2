import { once } from 'node:events';
import { createServer as createHttp, type Server, type ServerResponse } from 'node:http';
import { createServer as createHttps } from 'node:https';
import { connect, type AddressInfo, type Socket } from 'node:net';
import { connect as connectTls } from 'node:tls';
import { expect, test } from 'vitest';
import { closerOf } from './close-server.ts';
import { createFakeCertificate } from './testing/fake-certificate.ts';

interface Running {
  readonly close: () => Promise<void>;
  readonly port: number;
}

async function start(server: Server, lastAnswerMs?: number): Promise<Running> {
  const close = closerOf(server, lastAnswerMs);
  await once(server.listen(0, '127.0.0.1'), 'listening');
  return { close, port: (server.address() as AddressInfo).port };
}

/** All bytes from the server until it ends the connection. */
async function readAll(socket: Socket): Promise<string> {
  const chunks: Buffer[] = [];
  for await (const chunk of socket as AsyncIterable<Buffer>) chunks.push(chunk);
  return Buffer.concat(chunks).toString();
}

test.each([
  { what: 'nothing', sent: '', because: 'clients keep unused connections in reserve' },
  { what: 'half a request', sent: 'GET / HTTP/1.1\r\nHost: a\r\n', because: 'an unfinished request is not waited for' },
])('a connection on which the client sent $what does not keep a server open, because $because', async ({ sent }) => {
  const server = createHttp((_, response) => void response.end());
  const { close, port } = await start(server);
  const accepted = once(server, 'connection');
  const idle = connect(port, '127.0.0.1');
  idle.write(sent);
  await accepted;
  const ended = readAll(idle).catch(() => '');
  await close();
  await ended;
});

test.each([
  { secure: true, because: 'the handshake is done' },
  { secure: false, because: 'the client has sent nothing' },
])('a TLS server closes in time though $because', async ({ secure }) => {
  const { cert, key } = await createFakeCertificate();
  const server = createHttps({ cert, key }, (_, response) => void response.end());
  const { close, port } = await start(server);
  const accepted = once(server, secure ? 'secureConnection' : 'connection');
  const idle = secure ? connectTls({ port, host: '127.0.0.1', ca: cert }) : connect(port, '127.0.0.1');
  await accepted;
  const ended = readAll(idle).catch(() => '');
  await close();
  await ended;
});

test('a request that was sent before the close is answered', async () => {
  const asked = Promise.withResolvers<ServerResponse>();
  const { close, port } = await start(createHttp((_, response) => asked.resolve(response)));
  const client = connect(port, '127.0.0.1');
  client.write('GET / HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n');
  const idle = connect(port, '127.0.0.1');
  const cut = readAll(idle).catch(() => '');
  const response = await asked.promise;
  const closed = close();
  await cut; // when this connection is cut, the other one is still open
  response.end('late');
  expect(await readAll(client)).toContain('late');
  await closed;
});

test('an answer that never ends does not keep the server open', async () => {
  const asked = Promise.withResolvers<void>();
  const { close, port } = await start(
    createHttp(() => asked.resolve()),
    50,
  );
  const client = connect(port, '127.0.0.1');
  client.write('GET / HTTP/1.1\r\nHost: a\r\n\r\n');
  await asked.promise;
  const cut = readAll(client).catch(() => '');
  await close();
  expect(await cut).toBe('');
});
