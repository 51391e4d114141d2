/** What must hold at every moment of a soak, when the people have gone, and over the whole time. Pure. */
import type { Condition } from '../../api/conditions.ts';
import { REASONS } from '../../api/reasons.ts';

export interface Revised {
  readonly metadata: { readonly namespace?: string; readonly name: string };
  readonly spec: { readonly subscription: string; readonly state: string };
}

/** Versions of objects of others, by namespace. */
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
      .map(([name]) => `a foreign object in ${name} was touched`),
  ];
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

/** As in the fuzz: what memory may move by chance. */
const GROWTH = { factor: 1.15, megabytes: 15 };
const FEWEST_SAMPLES = 40;

/** Over the whole time: the peak of the last quarter is about that of the second one. */
export function judgeSoak(memory: readonly MemorySample[]): readonly string[] {
  if (memory.length < FEWEST_SAMPLES) return [];
  const quarter = Math.floor(memory.length / 4);
  const peak = (from: number): number =>
    Math.max(...memory.slice(from, from + quarter).map(({ megabytes }) => megabytes));
  const [early, late] = [peak(quarter), peak(memory.length - quarter)];
  const most = early * GROWTH.factor + GROWTH.megabytes;
  return late <= most ? [] : [`memory grows: ${early.toFixed(0)} MB early, ${late.toFixed(0)} MB late`];
}
