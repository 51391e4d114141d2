/**
 * Waits until objects work, or are gone. An injected `observe` reports their changes: a watch in the manager, growing
 * polls elsewhere. Nothing here sleeps for a fixed time; deadlines do not follow the wall clock.
 */
import { setTimeout as delay } from 'node:timers/promises';
import type { KubeObject, ObjectRef } from '../api/object.ts';
import type { Unready } from './apply-result.ts';
import type { Cluster } from '../api/cluster.ts';
import { assessHealth, type Health } from './health.ts';
import { identityOf } from './identity.ts';
import { describeHolders } from './remove.ts';

export interface Observation {
  readonly ref: ObjectRef;
  /** Undefined if the object does not exist. */
  readonly object: KubeObject | undefined;
}

/** Yields the state of all `refs` at once and then after every change, until aborted. */
export type Observe = (refs: readonly ObjectRef[], signal: AbortSignal) => AsyncIterable<readonly Observation[]>;

export interface WaitOptions {
  readonly observe: Observe;
  readonly deadlineSeconds: number;
  readonly signal: AbortSignal;
}

/**
 * Waits until every object is Ready. Returns those that are not: at once when one has Failed, else at the deadline.
 * Throws the signal's reason when aborted, and errors of `observe`.
 */
export function waitUntilReady(refs: readonly ObjectRef[], options: WaitOptions): Promise<readonly Unready[]> {
  return waitFor(refs, options, (object) =>
    object === undefined ? { state: 'Progressing', message: 'it does not exist' } : assessHealth(object),
  );
}

/** An object to wait for; with the uid, another object in its place counts as gone. */
export type Leaving = ObjectRef & { readonly uid?: string };

/**
 * Waits until no object is left; returns those that remain, with their finalizers. Throws as {@link waitUntilReady}.
 */
export function waitUntilGone(refs: readonly Leaving[], options: WaitOptions): Promise<readonly Unready[]> {
  const uids = new Map(refs.map((ref) => [identityOf(ref), ref.uid]));
  return waitFor(refs, options, (object, ref) => {
    const uid = uids.get(identityOf(ref));
    const gone = object === undefined || (uid !== undefined && object.metadata.uid !== uid);
    return gone ? { state: 'Ready', message: '' } : { state: 'Progressing', message: describeHolders(object) };
  });
}

async function waitFor(
  refs: readonly ObjectRef[],
  options: WaitOptions,
  judge: (object: KubeObject | undefined, ref: ObjectRef) => Health,
): Promise<readonly Unready[]> {
  if (refs.length === 0) return [];
  const deadline = AbortSignal.timeout(Math.round(options.deadlineSeconds * 1000));
  const over = new AbortController();
  const signal = AbortSignal.any([deadline, over.signal, options.signal]);
  let pending: readonly Unready[] = refs.map((ref) => ({
    ref,
    health: { state: 'Unknown', message: 'it was not observed' },
  }));
  try {
    for await (const observed of untilAborted(options.observe(refs, signal), signal)) {
      pending = observed.map(({ ref, object }) => ({ ref, health: judge(object, ref) })).filter(isPending);
      if (pending.length === 0 || pending.some(({ health }) => health.state === 'Failed')) break;
    }
  } catch (error) {
    if (!deadline.aborted || options.signal.aborted) throw error;
  } finally {
    over.abort();
  }
  options.signal.throwIfAborted();
  return pending;
}

function isPending({ health }: Unready): boolean {
  return health.state !== 'Ready';
}

/** The same items, ended with the signal's reason even if the source ignores the signal. */
async function* untilAborted<Item>(source: AsyncIterable<Item>, signal: AbortSignal): AsyncGenerator<Item> {
  const { promise: aborted, reject } = Promise.withResolvers<never>();
  const abort = (): void => reject(signal.reason as Error);
  aborted.catch(() => undefined);
  signal.addEventListener('abort', abort, { once: true });
  if (signal.aborted) abort();
  const items = source[Symbol.asyncIterator]();
  try {
    for (;;) {
      const next = await Promise.race([items.next(), aborted]);
      if (next.done === true) return;
      yield next.value;
    }
  } finally {
    signal.removeEventListener('abort', abort);
    // Not awaited: a source that ignores the signal would block its reader.
    items.return?.().catch(() => undefined);
  }
}

const FIRST_PAUSE_MS = 25;
const LONGEST_PAUSE_MS = 2000;

/** Observes by reading every object, with growing pauses, for callers without a watch. */
export function observeByPolling(cluster: Pick<Cluster, 'get'>): Observe {
  return async function* poll(refs, signal) {
    for (let pause = FIRST_PAUSE_MS; ; pause = Math.min(pause * 1.5, LONGEST_PAUSE_MS)) {
      yield await Promise.all(refs.map(async (ref) => ({ ref, object: await cluster.get(ref, signal) })));
      await delay(pause, undefined, { signal });
    }
  };
}
