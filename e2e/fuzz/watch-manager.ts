/**
 * Watches the manager's process from outside while others work on it: its memory, its requests, and how long the
 * machine itself delayed every process, so that a slow machine is not mistaken for a manager that hangs.
 */
import { readFileSync } from 'node:fs';
import { setTimeout as pause } from 'node:timers/promises';
import { usageOf } from '../bench/process-usage.ts';
import type { TestCluster } from '../cluster/cluster.ts';
import type { RunningManager } from '../lib/manager.ts';

export interface MemorySample {
  /** Seconds since the watch began. */
  readonly at: number;
  /** Megabytes. */
  readonly resident: number;
  readonly anonymous: number;
  readonly heapUsed: number;
  readonly external: number;
}

/** How long, in a span of time, the machine kept back who would have worked. */
export interface Stall {
  /** The manager's main thread was ready to run and had no processor. */
  readonly manager: number;
  /** The API server took longer than usual to answer a read and a write. */
  readonly apiServer: number;
  /** This very process was late. */
  readonly harness: number;
}

export interface Watch {
  readonly memory: readonly MemorySample[];
  /** Milliseconds in which the machine stalled each of them, between two `performance.now()`. */
  stallIn(began: number, ended: number): Stall;
  /** Requests to the API server that the manager has made so far. */
  requests(): Promise<number>;
  stop(): Promise<void>;
}

const MEMORY_EVERY_MS = 10_000;
const LOOK_EVERY_MS = 50;
const ASK_EVERY_MS = 200;
/** An answer within this is no stall. */
const USUAL_ANSWER_MS = 50;
/** Stalls that are remembered: those of the last minutes. */
const REMEMBERED_MS = 180_000;

interface Lateness {
  readonly at: number;
  readonly milliseconds: number;
}

/** Begins to watch. */
export function watchManager(cluster: TestCluster, manager: RunningManager): Watch {
  const over = new AbortController();
  const memory: MemorySample[] = [];
  const [waits, answers, delays]: [Lateness[], Lateness[], Lateness[]] = [[], [], []];
  const start = performance.now();
  const note = (list: Lateness[], milliseconds: number): void => {
    const now = performance.now();
    list.push({ at: now, milliseconds });
    while ((list[0]?.at ?? now) < now - REMEMBERED_MS) list.shift();
  };
  const loops = [
    repeat(MEMORY_EVERY_MS, over.signal, async () => {
      memory.push({ at: (performance.now() - start) / 1000, ...(await measure(manager)) });
    }),
    watchQueue(manager, over.signal, (milliseconds) => note(waits, milliseconds)),
    watchClock(over.signal, (milliseconds) => note(delays, milliseconds)),
    repeat(ASK_EVERY_MS, over.signal, async () => {
      const began = performance.now();
      await touch(cluster).catch(() => undefined);
      note(answers, Math.max(0, performance.now() - began - USUAL_ANSWER_MS));
    }),
  ];
  return {
    memory,
    stallIn: (began, ended) => ({
      manager: sumIn(waits, began, ended),
      apiServer: sumIn(answers, began, ended),
      harness: sumIn(delays, began, ended),
    }),
    requests: async () => total(await metricsOf(manager), 'rest_client_requests_total'),
    async stop() {
      over.abort();
      await Promise.all(loops);
    },
  };
}

async function repeat(everyMs: number, signal: AbortSignal, work: () => Promise<void>): Promise<void> {
  while (!signal.aborted) {
    await work().catch(() => undefined);
    await pause(everyMs, undefined, { signal }).catch(() => undefined);
  }
}

/** The second figure of schedstat: nanoseconds that a thread has waited for a processor. */
function watchQueue({ pid }: RunningManager, signal: AbortSignal, note: (milliseconds: number) => void): Promise<void> {
  const waited = (): number => Number(readFileSync(`/proc/${pid}/task/${pid}/schedstat`, 'utf8').split(' ')[1]) / 1e6;
  let before = waited();
  return repeat(LOOK_EVERY_MS, signal, async () => {
    const now = waited();
    note(now - before);
    before = now;
  });
}

async function watchClock(signal: AbortSignal, note: (milliseconds: number) => void): Promise<void> {
  let due = performance.now() + LOOK_EVERY_MS;
  await repeat(LOOK_EVERY_MS, signal, async () => {
    note(Math.max(0, performance.now() - due));
    due = performance.now() + LOOK_EVERY_MS;
  });
}

/** A write of no consequence, as the probes make them. */
async function touch(cluster: TestCluster): Promise<void> {
  const metadata = { annotations: { 'fuzz.example/at': String(Date.now()) } };
  await cluster.request('PATCH', '/api/v1/namespaces/default', { metadata });
}

async function measure(manager: RunningManager): Promise<Omit<MemorySample, 'at'>> {
  const { resident, anonymous } = usageOf(manager.pid);
  const metrics = await metricsOf(manager).catch(() => '');
  const megabytes = (name: string): number => total(metrics, name) / 1024 / 1024;
  return {
    resident,
    anonymous,
    heapUsed: megabytes('nodejs_heap_size_used_bytes'),
    external: megabytes('nodejs_external_memory_bytes'),
  };
}

async function metricsOf({ url }: RunningManager): Promise<string> {
  return (await fetch(`${url}/metrics`, { signal: AbortSignal.timeout(5000) })).text();
}

/** The sum over all labels. */
function total(metrics: string, name: string): number {
  const lines = metrics.split('\n').filter((line) => line.startsWith(`${name} `) || line.startsWith(`${name}{`));
  return lines.reduce((sum, line) => sum + Number(line.slice(line.lastIndexOf(' ') + 1)), 0);
}

function sumIn(list: readonly Lateness[], began: number, ended: number): number {
  const within = list.filter(({ at }) => at >= began && at <= ended + ASK_EVERY_MS);
  return within.reduce((sum, { milliseconds }) => sum + milliseconds, 0);
}
