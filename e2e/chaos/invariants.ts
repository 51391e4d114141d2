/** What must hold at every moment of a soak, when the people have gone, and over the whole time. Pure. */
import type { Condition } from '../../api/conditions.ts';
import { REASONS } from '../../api/reasons.ts';

export interface Revised {
  readonly metadata: { readonly namespace?: string; readonly name: string };
  readonly spec: { readonly subscription: string; readonly state: string };
}

/** By the name of each object, such as `Secret soak-1/foreign`, something that a write to it changes. */
export interface Untouched {
  readonly before: ReadonlyMap<string, string>;
  readonly now: ReadonlyMap<string, string>;
}

/** At every moment: one active Revision of a Subscription at most, and foreign objects as they were. */
export function judgeMoment(revisions: readonly Revised[], { before, now }: Untouched): readonly string[] {
  const active = revisions.filter(({ spec }) => spec.state === 'Active');
  const counts = Map.groupBy(active, ({ metadata, spec }) => `${metadata.namespace}/${spec.subscription}`);
  const twice = [...counts].filter(([, found]) => found.length > 1);
  return [
    ...twice.map(([name, found]) => `${name} has ${found.length} active Revisions`),
    ...[...before]
      .filter(([name, version]) => now.get(name) !== version)
      .map(([name]) => `${name} is of other people, and was touched`),
  ];
}

/** The custom resources that have gone since the last look, or are others of the same name, and that no person has deleted. */
export function judgeKept({ before, now }: Untouched, deleted: ReadonlySet<string>): readonly string[] {
  return [...before]
    .filter(([name, uid]) => now.get(name) !== uid && !deleted.has(name))
    .map(([name]) => `the custom resource of ${name} is gone, though no person deleted it`);
}

export interface Subscribed {
  readonly metadata: { readonly name: string; readonly generation: number };
  readonly status?: { readonly conditions?: readonly Condition[] };
}

/** When the people have gone: every Subscription is Ready or says why not, about its present spec, and nothing is under way. */
export function judgeRest(subscriptions: readonly Subscribed[]): readonly string[] {
  return subscriptions.flatMap(({ metadata: { name, generation }, status }) => {
    const conditions = status?.conditions ?? [];
    const ready = conditions.find(({ type }) => type === 'Ready');
    if (ready === undefined) return [`${name} has no condition Ready`];
    const isUnderWay = conditions.some(({ type, status: is }) => type === 'Reconciling' && is === 'True');
    return [
      ...(ready.observedGeneration === generation ? [] : [`${name}: Ready is about an earlier spec`]),
      ...(ready.status === 'True' || isExplained(ready) ? [] : [`${name}: ${ready.reason} does not say why`]),
      ...(isUnderWay ? [`${name}: work is under way without an end`] : []),
    ];
  });
}

function isExplained({ reason, message }: Condition): boolean {
  return reason in REASONS && reason !== 'InternalError' && message !== '';
}

export interface MemorySample {
  /** A process that was started again begins with little. */
  readonly pid: number;
  readonly megabytes: number;
}

/** What memory may move by chance, as in the fuzz. */
const GROWTH = { factor: 1.15, megabytes: 15 };
/** A process with fewer samples has lived too short to be judged by itself. */
const FEWEST_OF_PROCESS = 20;

/** The peak of the first third, when caches fill and code is compiled, and of everything after it. */
export interface Peaks {
  readonly early: number;
  readonly late: number;
}

/** Over the whole time, and over the life of each process that lived long: the peak does not grow after the first third. */
export function judgeSoak(memory: readonly MemorySample[]): readonly string[] {
  if (memory.length === 0) return ['memory was never measured'];
  const processes = [...Map.groupBy(memory, ({ pid }) => pid)].filter(([, { length }]) => length >= FEWEST_OF_PROCESS);
  const judged: readonly (readonly [string, readonly MemorySample[]])[] = [
    ['of the whole soak', memory],
    ...processes.map(([pid, samples]) => [`of process ${pid}`, samples] as const),
  ];
  return judged.flatMap(([of, samples]) => {
    const { early, late } = peaksOf(samples);
    if (late <= early * GROWTH.factor + GROWTH.megabytes) return [];
    return [`memory ${of} grows: ${early.toFixed(0)} MB in its first third, ${late.toFixed(0)} MB after it`];
  });
}

export function peaksOf(memory: readonly MemorySample[]): Peaks {
  const third = Math.ceil(memory.length / 3);
  const peak = (samples: readonly MemorySample[]): number => Math.max(0, ...samples.map(({ megabytes }) => megabytes));
  return { early: peak(memory.slice(0, third)), late: peak(memory.slice(third)) };
}
