/**
 * Random acts of people on several Subscriptions for a long time, with a kill of the manager now and then, and the
 * invariants that hold all the while and when the people have gone.
 */
import { setTimeout as pause } from 'node:timers/promises';
import fc from 'fast-check';
import type { Revision } from '../../api/revision.ts';
import { usageOf } from '../bench/process-usage.ts';
import type { TestCluster } from '../cluster/cluster.ts';
import { drawOne } from '../fuzz/actors.ts';
import { list } from '../lib/objects.ts';
import { until } from '../lib/until.ts';
import { apply } from '../lib/writes.ts';
import { HUMAN_ACTS, type HumanAct } from './human-acts.ts';
import { judgeMoment, judgeRest, judgeSoak, type MemorySample, type Subscribed } from './invariants.ts';
import { syntheticOperator, type ChaosOperator } from './operators.ts';
import { PATIENCE_SECONDS } from './patience.ts';
import { createPerson } from './person.ts';
import { Stage } from './stage.ts';

export interface SoakOptions {
  readonly seed: number;
  readonly seconds: number;
  readonly subscriptions: number;
  readonly progress?: (line: string) => void;
}

export interface SoakResult {
  readonly acts: number;
  readonly refused: number;
  readonly kills: number;
  readonly memory: readonly MemorySample[];
  /** The invariants that were broken, each once. */
  readonly broken: readonly string[];
}

const ACT_EVERY_MS = 250;
const JUDGE_EVERY_MS = 2000;
const KILL_EVERY_ACTS = 150;
/** After this part of the time the manager is not killed any more, as only a process that lives long can show that it grows. */
const KILLS_UNTIL = 1 / 3;
const QUIET_MS = 10_000;

/** One soak in a cluster that has nothing of Slipway yet. */
export async function soak(cluster: TestCluster, options: SoakOptions): Promise<SoakResult> {
  const operators = Array.from({ length: options.subscriptions }, (_, at) => syntheticOperator(`soak-${at}`));
  await using stage = await Stage.open(cluster, operators, { asInImage: true });
  const foreign = await makeForeign(cluster, operators);
  const broken = new Set<string>();
  const memory: MemorySample[] = [];
  const over = new AbortController();
  const judging = judgeUntil(over.signal, async () => {
    for (const line of await judgeNow(cluster, foreign)) broken.add(line);
    const sample = await measure(stage);
    // a process that was just killed has no memory any more
    if (Number.isNaN(sample.megabytes)) return;
    memory.push(sample);
    if (memory.length % 30 === 0) options.progress?.(`${sample.megabytes.toFixed(0)} MB`);
  });
  const tally = await actFor(stage, operators, options);
  for (const line of await judgeEnd(stage, foreign)) broken.add(line);
  over.abort();
  await judging;
  for (const line of judgeSoak(memory)) broken.add(line);
  return { ...tally, memory, broken: [...broken] };
}

interface Tally {
  readonly acts: number;
  readonly refused: number;
  readonly kills: number;
}

/** A refused act, such as the second creation of an object, is an answer like any other. */
async function actFor(stage: Stage, operators: readonly ChaosOperator[], options: SoakOptions): Promise<Tally> {
  const { seed, seconds, progress } = options;
  const persons = operators.map((operator) => createPerson(stage.cluster, operator, 1));
  const acts = fc.tuple(fc.constantFrom(...persons), fc.oneof(...HUMAN_ACTS.map(weighted)));
  const began = performance.now();
  const [lastKill, end] = [began + seconds * 1000 * KILLS_UNTIL, began + seconds * 1000];
  let [done, refused, kills] = [0, 0, 0];
  while (performance.now() < end) {
    const [person, act] = drawOne(acts, seed * 1_000_003 + done * 7919);
    await act.carryOut(stage.cluster, person).catch(() => (refused += 1));
    done += 1;
    if (done % KILL_EVERY_ACTS === 0 && performance.now() < lastKill) {
      await stage.kill();
      stage.startAgain();
      kills += 1;
    }
    if (done % 100 === 0) progress?.(`${done} acts, ${refused} refused, ${kills} kills`);
    await pause(ACT_EVERY_MS);
  }
  for (const { name } of operators) await settle(stage.cluster, name);
  return { acts: done, refused, kills };
}

function weighted(act: HumanAct): { readonly weight: number; readonly arbitrary: fc.Arbitrary<HumanAct> } {
  return { weight: act.weight, arbitrary: fc.constant(act) };
}

/** A suspended Subscription is resumed, so that it comes to rest. */
async function settle(cluster: TestCluster, name: string): Promise<void> {
  const path = `/apis/slipway.dev/v1alpha1/namespaces/${name}/subscriptions/${name}`;
  await cluster.request('PATCH', path, { spec: { suspend: false } }).catch(() => undefined);
}

async function judgeUntil(signal: AbortSignal, judge: () => Promise<void>): Promise<void> {
  while (!signal.aborted) {
    await judge().catch(() => undefined);
    await pause(JUDGE_EVERY_MS, undefined, { signal }).catch(() => undefined);
  }
}

type Foreign = ReadonlyMap<string, string>;

interface Versioned {
  readonly metadata: { readonly name: string; readonly namespace: string; readonly resourceVersion: string };
}

/** Objects of other people beside those of the operators. */
async function makeForeign(cluster: TestCluster, operators: readonly ChaosOperator[]): Promise<Foreign> {
  for (const { name: namespace } of operators) {
    const metadata = { name: 'foreign', namespace, labels: { 'app.kubernetes.io/part-of': namespace } };
    await apply(cluster, { apiVersion: 'v1', kind: 'ConfigMap', metadata, data: { of: 'other people' } });
  }
  return foreignNow(cluster);
}

async function foreignNow(cluster: TestCluster): Promise<Foreign> {
  const found = await list<Versioned>(cluster, 'configmap');
  const foreign = found.filter(({ metadata }) => metadata.name === 'foreign');
  return new Map(foreign.map(({ metadata }) => [metadata.namespace, metadata.resourceVersion]));
}

async function judgeNow(cluster: TestCluster, foreign: Foreign): Promise<readonly string[]> {
  return judgeMoment(await list<Revision>(cluster, 'revision'), { before: foreign, now: await foreignNow(cluster) });
}

async function measure(stage: Stage): Promise<MemorySample> {
  const { pid } = await stage.manager();
  return { pid, megabytes: usageOf(pid).anonymous };
}

/** When the people have gone: all come to rest, and the manager writes nothing. */
async function judgeEnd(stage: Stage, foreign: Foreign): Promise<readonly string[]> {
  const { cluster } = stage;
  let found: readonly string[] = [];
  const rests = async (): Promise<boolean> => {
    found = judgeRest(await list<Subscribed>(cluster, 'subscription'));
    return found.length === 0;
  };
  await until('all are at rest', rests, { timeoutSeconds: PATIENCE_SECONDS }).catch(() => undefined);
  const isQuiet = await stage.quiet(QUIET_MS).then(
    () => [],
    () => [`the manager writes although nothing happens: ${stage.proxy.writes.at(-1)?.what}`],
  );
  return [...found, ...isQuiet, ...(await judgeNow(cluster, foreign))];
}
