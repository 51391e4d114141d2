/**
 * One run: healthy Subscriptions are installed, hostile objects come and go beside them, everything hostile is deleted, and
 * the manager is quiet again. Returns what was seen; verdict.ts judges it.
 */
import { setTimeout as pause } from 'node:timers/promises';
import { usageOf } from '../bench/process-usage.ts';
import { startMeasured } from '../bench/stage.ts';
import type { TestCluster } from '../cluster/cluster.ts';
import { installSlipway, isAlive, type RunningManager } from '../lib/manager.ts';
import { until } from '../lib/until.ts';
import { actUntil, carryOut, drawOne, type Pace, type Tally } from './actors.ts';
import { actsIn, everyField } from './acts.ts';
import { openArena, type Arena } from './arena.ts';
import { clearAway } from './clear-away.ts';
import { HEALTHY, installHealthy, probeUntil, type Probe } from './healthy.ts';
import { countManifestsRead, findInternalErrors } from './internal-errors.ts';
import { forgeries } from './forgeries.ts';
import { createLogReader } from './log-reader.ts';
import { longestOf, MORE_REQUESTS, type Evidence, type JudgedProbe } from './verdict.ts';
import { watchManager, type Watch } from './watch-manager.ts';

export interface FuzzOptions extends Pace {
  /** Of random acts, after one act for each field of each kind. */
  readonly seconds: number;
  /** One of that many fields of each kind is taken; each if absent. */
  readonly oneFieldIn?: number;
  /** How long the fuzz is idle before and after its acts, to count the manager's requests. */
  readonly quietSeconds: number;
  /** Called with each line of progress. */
  readonly progress?: (line: string) => void;
}

/** Runs in a cluster that has nothing of Slipway yet. */
export async function fuzz(cluster: TestCluster, options: FuzzOptions): Promise<Evidence> {
  await installSlipway(cluster);
  // A busy machine may give the manager no time for a minute; no kubelet starts it again when it has lost its lease.
  const manager = await startMeasured({ cluster }, { SLIPWAY_LEASE_SECONDS: '300' });
  try {
    await using arena = await openArena(cluster);
    await installHealthy(cluster);
    return await observe({ arena, manager, options });
  } finally {
    await manager.stop();
  }
}

interface Run {
  readonly arena: Arena;
  readonly manager: RunningManager;
  readonly options: FuzzOptions;
}

async function observe(run: Run): Promise<Evidence> {
  const { arena, manager, options } = run;
  const { cluster } = arena;
  const progress = options.progress ?? (() => undefined);
  const log = createLogReader(manager.logFile);
  const internalErrors = new Set<string>();
  const watch = watchManager(cluster, manager);
  try {
    const before = await idle(watch, manager, options.quietSeconds);
    progress(`idle: ${before.requestsPerMinute.toFixed(0)} requests a minute, ${before.resident.toFixed(0)} MB`);
    const watching = new AbortController();
    const looking = lookAgain(watching.signal, async (round) => {
      log.read();
      for (const found of await findInternalErrors(cluster)) internalErrors.add(found);
      if (round % 6 === 0) progress(describe(watch, log.lines(), log.defects().length, internalErrors.size));
    });
    const began = performance.now();
    const { tally, probes, manifestsRead } = await attack(run, watch);
    const seconds = (performance.now() - began) / 1000;
    watching.abort();
    await looking;
    const memory = watch.memory.map((sample) => ({ ...sample, at: sample.at - options.quietSeconds }));
    progress('everything of the fuzz is deleted');
    const leftOver = await clearAway(cluster);
    const after = await quieten(run, watch, before.requestsPerMinute + MORE_REQUESTS);
    log.read();
    return {
      seconds,
      tally,
      probes,
      memory,
      defects: log.defects(),
      internalErrors: [...internalErrors],
      manifestsRead,
      logLines: log.lines(),
      isAlive: isAlive(manager),
      requestsPerMinute: { before: before.requestsPerMinute, after: after.requestsPerMinute },
      leftOver,
      resident: { before: before.resident, after: after.resident },
    };
  } finally {
    await watch.stop();
  }
}

/** Acts and probes side by side until the time is up. */
async function attack(
  { arena, options }: Run,
  watch: Watch,
): Promise<Pick<Evidence, 'tally' | 'probes' | 'manifestsRead'>> {
  const { cluster } = arena;
  const probes: JudgedProbe[] = [];
  const over = new AbortController();
  const report = ({ what, began, milliseconds, unanswered }: Probe): void => {
    const stall = watch.stallIn(began, began + milliseconds);
    probes.push({ what, milliseconds, unanswered, stall });
    if (milliseconds > 5000)
      options.progress?.(`${(milliseconds / 1000).toFixed(1)} s: ${what}; ${JSON.stringify(stall)}`);
  };
  const stallSince = (began: number): number => longestOf(watch.stallIn(began, performance.now()));
  const how = { report, stallSince, signal: over.signal };
  const probing = Array.from({ length: HEALTHY }, (_, number) => probeUntil(cluster, number, how));
  const tally: Tally = new Map();
  await sweep(arena, options, tally);
  const manifestsRead = await awaitManifestsRead(cluster);
  const timer = setTimeout(() => over.abort(), options.seconds * 1000);
  await actUntil(cluster, actsIn(arena), { ...options, tally, signal: over.signal });
  clearTimeout(timer);
  await Promise.all(probing);
  return { tally, probes, manifestsRead };
}

/** A busy manager comes to the forged Revisions of the sweep late, and the random acts may be over before. */
async function awaitManifestsRead(cluster: TestCluster): Promise<number> {
  let count = 0;
  const isRead = async (): Promise<boolean> => (count = await countManifestsRead(cluster)) > 0;
  await until('the manifests of a forged Revision are read', isRead).catch(() => undefined);
  return count;
}

/** One act for each field of each kind, as fast as the pace lets it, and one for each sort of manifests. */
async function sweep(arena: Arena, { seed, actsPerSecond, oneFieldIn = 1 }: FuzzOptions, tally: Tally): Promise<void> {
  let drawn = 0;
  for (const act of everyField(arena, oneFieldIn)) {
    const until = performance.now() + 1000 / actsPerSecond;
    await carryOut(arena.cluster, drawOne(act, seed + drawn++), tally);
    await pause(Math.max(0, until - performance.now()));
  }
  for (const act of forgeries(arena)) await carryOut(arena.cluster, act, tally);
}

/** How much the manager asks when nothing happens. */
async function idle(
  watch: Watch,
  manager: RunningManager,
  seconds: number,
): Promise<{ readonly requestsPerMinute: number; readonly resident: number }> {
  const before = await watch.requests();
  await pause(seconds * 1000);
  const requestsPerMinute = (((await watch.requests()) - before) * 60) / seconds;
  return { requestsPerMinute, resident: usageOf(manager.pid).resident };
}

/** Spans of quiet that the deletion of namespaces and the last retries may take. */
const MOST_SPANS = 6;

/** Waits until the manager asks no more than `most` a minute; returns the last span if it never does. */
async function quieten({ manager, options }: Run, watch: Watch, most: number): ReturnType<typeof idle> {
  for (let span = 1; ; span += 1) {
    const found = await idle(watch, manager, options.quietSeconds);
    if (found.requestsPerMinute <= most || span === MOST_SPANS) return found;
  }
}

const LOOK_EVERY_MS = 10_000;

async function lookAgain(signal: AbortSignal, look: (round: number) => Promise<void>): Promise<void> {
  for (let round = 0; ; round += 1) {
    await look(round).catch(() => undefined);
    if (signal.aborted) return;
    await pause(LOOK_EVERY_MS, undefined, { signal }).catch(() => undefined);
  }
}

function describe({ memory }: Watch, lines: number, defects: number, internal: number): string {
  const last = memory.at(-1);
  const megabytes = (value = 0): string => value.toFixed(0);
  const figures = `${megabytes(last?.resident)} MB resident, ${megabytes(last?.heapUsed)} MB heap, ${megabytes(last?.external)} MB external`;
  return `${megabytes(last?.at)} s: ${figures}, ${lines} lines of log, ${defects} defects in it, ${internal} InternalErrors`;
}
