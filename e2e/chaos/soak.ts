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
import { KeptInstances } from './kept-instances.ts';
import { syntheticOperator, type ChaosOperator } from './operators.ts';
import { PATIENCE_SECONDS } from './patience.ts';
import { createPerson, type Person } from './person.ts';
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
  /** How often a process lost the lead and was started again. */
  readonly lost: number;
  /** How often the invariants were judged. */
  readonly looks: number;
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
/** After that, no write may come: a manager that repeats one every half a minute is not at rest. */
const REST_MS = 60_000;

/** One soak in a cluster that has nothing of Slipway yet. */
export async function soak(cluster: TestCluster, options: SoakOptions): Promise<SoakResult> {
  const operators = Array.from({ length: options.subscriptions }, (_, at) => syntheticOperator(`soak-${at}`));
  await using stage = await Stage.open(cluster, operators, { asInImage: true, elects: true });
  const kept = new KeptInstances(operators.map((operator) => createPerson(cluster, operator, 1)));
  const foreign = await makeForeign(cluster, operators);
  const broken = new Set<string>();
  const memory: MemorySample[] = [];
  const over = new AbortController();
  let looks = 0;
  const look = async (): Promise<void> => {
    for (const line of [...(await judgeNow(cluster, foreign)), ...(await kept.look())]) broken.add(line);
    looks += 1;
    const sample = await measure(stage);
    // a process that was just killed has no memory any more
    if (Number.isNaN(sample.megabytes)) return;
    memory.push(sample);
    if (memory.length % 30 === 0) options.progress?.(`${sample.megabytes.toFixed(0)} MB`);
  };
  const judging = judgeUntil(over.signal, look, (error) => broken.add(`a look failed: ${error.message}`));
  const tally = await actFor(stage, kept.persons(), options);
  for (const line of await judgeEnd(stage, foreign)) broken.add(line);
  over.abort();
  await judging;
  const { lost, others } = stage.takeEnds();
  for (const line of [...judgeSoak(memory), ...others]) broken.add(line);
  return { ...tally, lost, looks, memory, broken: [...broken] };
}

interface Tally {
  readonly acts: number;
  readonly refused: number;
  readonly kills: number;
}

/** A refused act, such as the second creation of an object, is an answer like any other. */
async function actFor(stage: Stage, persons: readonly Person[], options: SoakOptions): Promise<Tally> {
  const { seed, seconds, progress } = options;
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
  for (const { operator } of persons) await settle(stage.cluster, operator.name);
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

async function judgeUntil(
  signal: AbortSignal,
  judge: () => Promise<void>,
  failed: (error: Error) => void,
): Promise<void> {
  while (!signal.aborted) {
    await judge().catch(failed);
    await pause(JUDGE_EVERY_MS, undefined, { signal }).catch(() => undefined);
  }
}

type Foreign = ReadonlyMap<string, string>;

interface Versioned {
  readonly metadata: { readonly name: string; readonly namespace: string; readonly resourceVersion: string };
}

const FOREIGN = [
  { apiVersion: 'v1', kind: 'ConfigMap', data: { of: 'other people' } },
  { apiVersion: 'v1', kind: 'Secret', stringData: { of: 'other people' } },
  { apiVersion: 'v1', kind: 'ServiceAccount' },
];

/** Objects of other people beside those of the operators. */
async function makeForeign(cluster: TestCluster, operators: readonly ChaosOperator[]): Promise<Foreign> {
  for (const { name: namespace } of operators)
    for (const object of FOREIGN) {
      const metadata = { name: 'foreign', namespace, labels: { 'app.kubernetes.io/part-of': namespace } };
      await apply(cluster, { ...object, metadata });
    }
  return foreignNow(cluster);
}

async function foreignNow(cluster: TestCluster): Promise<Foreign> {
  const ofKind = async (kind: string): Promise<[string, string][]> => {
    const found = await list<Versioned>(cluster, kind.toLowerCase());
    return found
      .filter(({ metadata }) => metadata.name === 'foreign')
      .map(({ metadata }) => [`${kind} ${metadata.namespace}/${metadata.name}`, metadata.resourceVersion]);
  };
  return new Map((await Promise.all(FOREIGN.map(({ kind }) => ofKind(kind)))).flat());
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
  return [...found, ...(await awaitRest(stage)), ...(await judgeNow(cluster, foreign))];
}

/** The last write of a manager that does not come to rest. */
async function awaitRest(stage: Stage): Promise<readonly string[]> {
  const isQuiet = await stage.quiet(QUIET_MS).then(
    () => true,
    () => false,
  );
  const before = stage.proxy.writes.length;
  if (isQuiet) await pause(REST_MS);
  if (isQuiet && stage.proxy.writes.length === before) return [];
  return [`the manager writes although nothing happens: ${stage.proxy.writes.at(-1)?.what}`];
}
