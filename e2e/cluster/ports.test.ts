import { createServer } from 'node:net';
import { once } from 'node:events';
import { expect, test } from 'vitest';
import { pickPorts } from './ports.ts';

test('ports are all different, free, and out of the range of outgoing connections', async () => {
  const ports = await pickPorts(50);
  expect(new Set(ports).size).toBe(50);
  expect(ports.every((port) => port >= 20_000 && port < 30_000)).toBe(true);
  const server = createServer().listen(ports[0], '127.0.0.1');
  await once(server, 'listening');
  server.close();
});
