/** Hostile clients of the manager's endpoint as a process: 300 that do not read, and requests of all shapes. */
import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { connect, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, describe, expect, test } from 'vitest';
import { eventually } from '../../kube/testing/eventually.ts';

const PROGRAM = join(import.meta.dirname, 'testing/readers-server.ts');
const ALL = '/catalogs/big/api/v1/all';
const READERS = 300;
/** The image's options of Node that affect memory. */
const NODE_FLAGS = ['--max-semi-space-size=1', '--heap-growing-percent=10', '--optimize-for-size'];

interface Served {
  readonly process: ChildProcess;
  readonly port: number;
  readonly probes: number;
}

const folder = mkdtempSync(join(tmpdir(), 'slipway-readers-'));
const processes: ChildProcess[] = [];
const sockets: Socket[] = [];
afterEach(() => sockets.splice(0).forEach((socket) => socket.destroy()));
afterAll(async () => {
  for (const one of processes) one.kill('SIGKILL');
  await Promise.all(
    processes.filter((one) => one.exitCode === null && one.signalCode === null).map((one) => once(one, 'exit')),
  );
  rmSync(folder, { recursive: true, force: true });
});

async function start(...args: string[]): Promise<Served> {
  const listen = ['--listen', '127.0.0.1:0', '--listen-probes', '127.0.0.1:0', '--data-folder', folder];
  const child = spawn(process.execPath, [...NODE_FLAGS, PROGRAM, ...listen, ...args], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  processes.push(child);
  let log = '';
  child.stdout.on('data', (data) => (log += String(data)));
  const [, probes, port] = await eventually(
    () => /"port":(\d+).*serving probes[^]*"port":(\d+).*serving metrics/.exec(log) ?? undefined,
  );
  return { process: child, port: Number(port), probes: Number(probes) };
}

function rssOf({ process: { pid } }: Served): number {
  const status = readFileSync(`/proc/${pid}/status`, 'utf8');
  return Number(/VmRSS:\s+(\d+)/.exec(status)?.[1]) / 1024;
}

async function metric({ port }: Served, name: string): Promise<number> {
  const text = await (await fetch(`http://127.0.0.1:${port}/metrics`)).text();
  return Number(
    text
      .split('\n')
      .find((line) => line.startsWith(`${name} `))
      ?.split(' ')[1],
  );
}

/** Asks and reads nothing. */
async function reader({ port }: Served, path = ALL, header = ''): Promise<Socket> {
  const socket = connect({ port, host: '127.0.0.1' });
  socket.on('error', () => undefined).pause();
  sockets.push(socket);
  socket.write(`GET ${path} HTTP/1.1\r\nHost: x\r\n${header}\r\n`);
  await once(socket, 'connect');
  return socket;
}

describe('300 clients that ask for a catalog and do not read it', { timeout: 60_000 }, () => {
  const wide = ['--max-connections', '400', '--max-connections-per-address', '400', '--client-timeout', '3'];
  const cases = [
    { limits: [], bodies: 4, because: 'one address has its share of bodies, the others are refused at once' },
    {
      limits: ['--max-catalog-bodies-per-address', '8'],
      bodies: 8,
      because: 'all bodies that there can be are taken',
    },
  ];
  test.each(cases)('are all cut, cost little memory and delay no probe: $because', async ({ limits, bodies }) => {
    const served = await start(...wide, ...limits);
    const before = rssOf(served);
    await Promise.all(Array.from({ length: READERS }, () => reader(served)));
    const memory = [before];
    const probes: number[] = [];
    let most = 0;
    await eventually(async () => {
      const asked = performance.now();
      expect((await fetch(`http://127.0.0.1:${served.probes}/healthz`)).ok).toBe(true);
      probes.push(performance.now() - asked);
      memory.push(rssOf(served));
      most = Math.max(most, await metric(served, 'slipway_http_catalog_bodies'));
      const cut = await metric(served, 'slipway_http_cut_total{waiting="answer"}');
      return cut >= bodies && (await metric(served, 'slipway_http_catalog_bodies')) === 0;
    });
    expect(most).toBeLessThanOrEqual(bodies);
    // A machine with much else to do may delay many; none by as much as the kubelet waits.
    expect(probes.toSorted((a, b) => a - b)[Math.floor(probes.length * 0.5)]).toBeLessThan(1000);
    expect(Math.max(...probes)).toBeLessThan(5000);
    // Of a catalog of 30 MB; 300 bodies at a time took 550 MB.
    expect(Math.max(...memory) - before).toBeLessThan(120);
    expect(await metric(served, 'slipway_http_refused_total{limit="bodies-of-address"}')).toBe(READERS - bodies);
  });
});

describe('whatever a client sends', () => {
  const get = (path: string, header = ''): string => `GET ${path} HTTP/1.1\r\nHost: x\r\n${header}\r\n`;
  const last = 'Connection: close\r\n';
  const requests: readonly { readonly because: string; readonly bytes: string; readonly status: number }[] = [
    { because: 'only the headers', bytes: `HEAD ${ALL} HTTP/1.1\r\nHost: x\r\n${last}\r\n`, status: 200 },
    { because: 'parts are not served', bytes: get(ALL, `Range: bytes=0-1,5-6,7-8\r\n${last}`), status: 200 },
    { because: 'compressed', bytes: get(ALL, `Accept-Encoding: gzip\r\n${last}`), status: 200 },
    {
      because: 'a thousand encodings',
      bytes: get(ALL, `Accept-Encoding: ${'a,'.repeat(5000)}\r\n${last}`),
      status: 200,
    },
    { because: 'a thousand tags', bytes: get(ALL, `If-None-Match: ${'"a",'.repeat(3000)}\r\n${last}`), status: 200 },
    { because: 'an address of another host', bytes: get('http://evil.example/metrics', last), status: 200 },
    { because: 'content of another host', bytes: get(`http://evil.example${ALL}`, last), status: 404 },
    { because: 'a detour', bytes: get(`/x/..${ALL}`, last), status: 404 },
    { because: 'two slashes', bytes: get('//', last), status: 400 },
    { because: 'an address that is none', bytes: get('http://[', last), status: 400 },
    { because: 'a name with a zero', bytes: get('/catalogs/big%00/api/v1/all', last), status: 400 },
    { because: 'a huge query', bytes: get(`/catalogs/big/api/v1/metas?name=${'a'.repeat(15_000)}`, last), status: 200 },
    {
      because: 'thousands of parameters',
      bytes: get(`/catalogs/big/api/v1/metas?${'name=a&'.repeat(2000)}`, last),
      status: 200,
    },
    { because: 'SQL', bytes: get("/catalogs/big/api/v1/metas?name='%20OR%201=1--", last), status: 200 },
    { because: 'a prototype', bytes: get('/catalogs/__proto__/api/v1/all', last), status: 400 },
    {
      because: 'another protocol',
      bytes: get('/healthz', `Upgrade: websocket\r\nConnection: Upgrade\r\n`),
      status: 200,
    },
    { because: 'a tunnel', bytes: 'CONNECT 10.0.0.1:443 HTTP/1.1\r\nHost: x\r\n\r\n', status: 0 },
    { because: 'a method that echoes', bytes: `TRACE / HTTP/1.1\r\nHost: x\r\n${last}\r\n`, status: 405 },
    { because: 'an old protocol', bytes: 'GET /healthz HTTP/1.0\r\n\r\n', status: 200 },
  ];

  test('is answered or refused, and the process keeps running', { timeout: 60_000 }, async () => {
    const served = await start();
    const before = rssOf(served);
    for (const { because, bytes, status } of requests) {
      const socket = connect({ port: served.port, host: '127.0.0.1' }).on('error', () => undefined);
      let first = '';
      socket.on('data', (data: Buffer) => (first ||= data.toString('latin1', 0, 12)));
      const closed = new Promise((resolve) => socket.once('close', resolve));
      socket.write(bytes);
      const answered = eventually(() => first !== '');
      await Promise.race([closed, bytes.includes('Upgrade') ? answered : closed]);
      socket.destroy();
      expect(Number(first.split(' ')[1] ?? 0), because).toBe(status);
    }
    // Bodies that wait behind another one on the same connection end with it too.
    for (let round = 0; round < 50; round += 1) {
      const socket = await reader(
        served,
        ALL,
        `\r\nGET ${ALL} HTTP/1.1\r\nHost: x\r\n\r\nGET ${ALL} HTTP/1.1\r\nHost: x\r\n`,
      );
      if (round % 2 === 0) await eventually(() => socket.bytesRead > 0 || socket.resume().bytesRead > 0);
      socket.destroy();
    }
    await eventually(async () => (await metric(served, 'slipway_http_catalog_bodies')) === 0);
    expect((await fetch(`http://127.0.0.1:${served.probes}/healthz`)).ok).toBe(true);
    expect(served.process.exitCode).toBeNull();
    expect(rssOf(served) - before).toBeLessThan(100);
  });
});
