/** Every fault is as a client sees it, and the server has or has not seen the request. */
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { startFaultProxy, type Fault, type FaultProxy } from './fault-proxy.ts';

const CONTENT = 'content of the server';
/** Of a client whose request never gets an answer; any other client waits for as long as it takes. */
const PATIENCE_MS = 1000;

let arrived = 0;
const server = createServer((_, answer) => {
  arrived += 1;
  answer.end(CONTENT);
});
let proxy: FaultProxy;

beforeAll(async () => {
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done));
  proxy = await startFaultProxy({ upstream: new URL(`http://127.0.0.1:${(server.address() as AddressInfo).port}`) });
});
afterAll(async () => {
  await proxy[Symbol.asyncDispose]();
  server.close();
});

/** The body, the status if it is none of success, or `no answer`. */
async function ask(isEndless = false): Promise<string> {
  const limit = isEndless ? { signal: AbortSignal.timeout(PATIENCE_MS) } : {};
  try {
    const answer = await fetch(`http://127.0.0.1:${proxy.port}/a`, { method: 'POST', body: 'b', ...limit });
    return answer.ok ? await answer.text() : String(answer.status);
  } catch {
    return 'no answer';
  }
}

interface Case {
  readonly fault: Fault | undefined;
  readonly seen: string;
  readonly arrives: boolean;
  readonly because: string;
}

const by = (): Promise<void> => Promise.resolve();
const CASES: readonly Case[] = [
  { fault: undefined, seen: CONTENT, arrives: true, because: 'nothing is asked for' },
  { fault: { kind: 'silence' }, seen: 'no answer', arrives: false, because: 'packets are dropped' },
  { fault: { kind: 'delay', milliseconds: 5 }, seen: CONTENT, arrives: true, because: 'it is late, and whole' },
  { fault: { kind: 'stall', afterBytes: 3 }, seen: 'no answer', arrives: true, because: 'the rest never comes' },
  {
    fault: { kind: 'cut', afterBytes: 3 },
    seen: 'no answer',
    arrives: true,
    because: 'the effect is there, its answer lost',
  },
  { fault: { kind: 'alter' }, seen: 'content of the serves', arrives: true, because: 'its last byte is changed' },
  { fault: { kind: 'refuse', status: 503 }, seen: '503', arrives: false, because: 'the server never sees it' },
  {
    fault: { kind: 'interrupt', when: 'before', by },
    seen: 'no answer',
    arrives: false,
    because: 'the client dies first',
  },
  {
    fault: { kind: 'interrupt', when: 'after', by },
    seen: 'no answer',
    arrives: true,
    because: 'the client dies after it',
  },
];

describe('a request that meets a fault', () => {
  test.each(CASES)('$fault.kind $fault.when: $because', async ({ fault, seen, arrives }) => {
    const before = arrived;
    proxy.meddle(() => fault);
    const asking = ask(fault?.kind === 'silence' || fault?.kind === 'stall');
    expect(await asking).toBe(seen);
    await expect.poll(() => arrived - before).toBe(arrives ? 1 : 0);
  });

  test('is neither passed on nor answered during a partition, and is answered after it', async () => {
    proxy.meddle();
    const before = arrived;
    const heal = proxy.partition();
    expect(await ask(true)).toBe('no answer');
    expect(arrived).toBe(before);
    heal();
    expect(await ask()).toBe(CONTENT);
  });
});
