/**
 * Runs a reconcile function for every key that watches ask for: limited concurrency, shared between namespaces, never two
 * runs for one key, retries on failure or request. The caller decides what a reconcile does; this file decides when.
 */
import { randomUUID } from 'node:crypto';
import { aborted } from '../../api/aborted.ts';
import { ReasonedError } from '../../api/errors.ts';
import type { KubeObject } from '../../api/object.ts';
import { systemClock, type Cancel, type Clock } from '../clock.ts';
import type { Informer } from '../watch/informer.ts';
import { createFailureLog, type FailureLog } from './failure-log.ts';
import { silentLog, type Log } from '../log.ts';
import { reportWhileLong } from './long-work.ts';
import type { RateLimiter } from '../rate-limiters.ts';
import { createWorkQueue, type QueueObserver, type WorkQueue } from './work-queue.ts';

/** Identifies the object to reconcile. */
export interface ObjectKey {
  readonly namespace?: string;
  readonly name: string;
}

/** When to reconcile again though nothing has changed; undefined: never. */
export type Result = { readonly requeueAfterSeconds?: number } | undefined | void;

export interface ReconcileContext {
  /** Aborts when the time to finish after a shutdown is over, and at once when leadership is lost. */
  readonly signal: AbortSignal;
  /** Carries the controller, the key and an id of this reconcile. */
  readonly log: Log;
}

export type Reconcile = (key: ObjectKey, context: ReconcileContext) => Promise<Result>;

export type WatchEventOf<K extends KubeObject = KubeObject> =
  | { readonly type: 'added' | 'deleted'; readonly object: K }
  | { readonly type: 'updated'; readonly object: K; readonly old: K };

/** A kind whose changes trigger reconciles. */
export interface ControllerWatch<K extends KubeObject = KubeObject> {
  readonly informer: Informer<K>;
  /** The keys that a change affects. For an update it is called with the old object and with the new one. */
  readonly keys: (object: K, event: WatchEventOf<K>) => readonly ObjectKey[];
  /** How long a change may wait to be reconciled together with others; by default not at all. */
  readonly afterSeconds?: (event: WatchEventOf<K>) => number;
}

/** How a reconcile ended, under the names of controller-runtime. */
export type ReconcileOutcome = 'success' | 'requeue' | 'requeue_after' | 'error' | 'terminal_error';

/** Receives the controller's activity; see metrics.ts. */
export interface ControllerObserver {
  readonly queue?: QueueObserver;
  started(): void;
  finished(outcome: ReconcileOutcome, seconds: number): void;
  /** Called once; the observer may query the queue for its length and its unfinished work. */
  attach(queue: WorkQueue, concurrency: number): void;
}

/** Default time for reconciles to finish after a shutdown. */
export const SHUTDOWN_SECONDS = 20;

export interface ControllerOptions {
  readonly name: string;
  readonly reconcile: Reconcile;
  readonly watches: readonly ControllerWatch[];
  /** Concurrent reconciles, of which each namespace gets a part (fair-share.ts); 1 by default. */
  readonly concurrency?: number;
  readonly queue?: WorkQueue;
  readonly rateLimiter?: RateLimiter;
  readonly observer?: ControllerObserver;
  readonly log?: Log;
  readonly clock?: Clock;
  /** Time for reconciles to finish after a shutdown; SHUTDOWN_SECONDS by default. */
  readonly shutdownSeconds?: number;
}

export interface Controller {
  readonly name: string;
  readonly queue: WorkQueue;
  /** Requests a reconcile, as a watch would. */
  enqueue(key: ObjectKey): void;
  /** Waits for the informers, then works until `signal` aborts and running reconciles have ended. Call it once. */
  run(signal: AbortSignal): Promise<void>;
}

/** A watch with functions typed for the informer's objects: they get objects of that informer only. */
export function watchOf<K extends KubeObject>(watch: ControllerWatch<K>): ControllerWatch {
  return watch as unknown as ControllerWatch;
}

/** The object itself: the usual `keys` for the controller's own kind. */
export function ownKey({ metadata }: KubeObject): readonly ObjectKey[] {
  const { namespace, name } = metadata;
  return [namespace === undefined ? { name } : { namespace, name }];
}

/** `keys` for objects owned by objects of `kind`: their owners of that kind. */
export function ownerKeys(kind: string): (object: KubeObject) => readonly ObjectKey[] {
  return ({ metadata }) =>
    (metadata.ownerReferences ?? [])
      .filter((owner) => owner.kind === kind)
      .map(({ name }) => (metadata.namespace === undefined ? { name } : { namespace: metadata.namespace, name }));
}

/** `namespace/name`, or `name`. */
export function formatKey({ namespace, name }: ObjectKey): string {
  return namespace === undefined ? name : `${namespace}/${name}`;
}

/** A controller that has not been started; what is enqueued before waits. */
export function createController(options: ControllerOptions): Controller {
  const { name, observer, concurrency = 1, log = silentLog, clock = systemClock } = options;
  const queue = options.queue ?? createWorkQueue(queueOptions(options, clock));
  const shutDown = (): void => queue.shutDown();
  observer?.attach(queue, concurrency);
  const worker: Worker = {
    ...options,
    queue,
    clock,
    log: log.child({ controller: name }),
    failures: createFailureLog(),
  };
  return {
    name,
    queue,
    enqueue: (key) => queue.add(formatKey(key)),
    async run(signal) {
      const unsubscribe = options.watches.map((watch) => subscribe(watch, queue));
      const limit = limitAfter(signal, { seconds: options.shutdownSeconds ?? SHUTDOWN_SECONDS, clock });
      if (signal.aborted) shutDown();
      signal.addEventListener('abort', shutDown, { once: true });
      try {
        await settled(options.watches, signal);
        await Promise.all(Array.from({ length: concurrency }, () => work(worker, limit.signal)));
      } finally {
        for (const off of unsubscribe) off();
        shutDown();
        signal.removeEventListener('abort', shutDown);
        limit.clear();
      }
    },
  };
}

interface Worker extends Pick<ControllerOptions, 'name' | 'reconcile' | 'observer'> {
  readonly queue: WorkQueue;
  readonly clock: Clock;
  readonly log: Log;
  readonly failures: FailureLog;
}

function queueOptions(
  { rateLimiter, observer, concurrency = 1 }: ControllerOptions,
  clock: Clock,
): Parameters<typeof createWorkQueue>[0] {
  return {
    workers: concurrency,
    clock,
    ...(rateLimiter !== undefined && { rateLimiter }),
    ...(observer?.queue !== undefined && { observer: observer.queue }),
  };
}

function subscribe({ informer, keys, afterSeconds }: ControllerWatch, queue: WorkQueue): () => void {
  const enqueue = (event: WatchEventOf, ...objects: readonly KubeObject[]): void => {
    // Once for both states: a worker may take the first key at once, and the second would then be a further reconcile.
    const affected = new Set(objects.flatMap((object) => keys(object, event).map(formatKey)));
    for (const key of affected) queue.addAfter(key, afterSeconds?.(event) ?? 0);
  };
  return informer.on({
    added: (object) => enqueue({ type: 'added', object }, object),
    updated: (old, object) => enqueue({ type: 'updated', object, old }, old, object),
    deleted: (object) => enqueue({ type: 'deleted', object }, object),
  });
}

/** Waits for the first lists; returns without error when `signal` aborts first. */
async function settled(watches: readonly ControllerWatch[], signal: AbortSignal): Promise<void> {
  const synced = Promise.all(watches.map(({ informer }) => informer.synced));
  await Promise.race([aborted(signal), synced]).catch((error: unknown) => {
    if (!signal.aborted) throw error;
  });
}

async function work(worker: Worker, signal: AbortSignal): Promise<void> {
  const { queue } = worker;
  for (let key = await queue.get(); key !== undefined; key = await queue.get()) {
    const taken = key;
    try {
      await leaveOnAbort(reconcileOnce(worker, taken, signal), signal);
    } finally {
      queue.done(taken);
    }
  }
}

async function reconcileOnce(worker: Worker, key: string, signal: AbortSignal): Promise<void> {
  const { queue, clock, observer } = worker;
  const objectKey = parseKey(key);
  const log = worker.log.child({ ...objectKey, reconcileID: randomUUID() });
  const startedAt = clock.now();
  observer?.started();
  const cancel = reportWhileLong(log, clock);
  let outcome: ReconcileOutcome = 'success';
  try {
    const result = await worker.reconcile(objectKey, { signal, log });
    queue.forget(key);
    worker.failures.succeeded(key);
    if (result?.requeueAfterSeconds !== undefined) {
      outcome = 'requeue_after';
      queue.addAfter(key, result.requeueAfterSeconds);
    }
  } catch (error) {
    outcome = signal.aborted ? 'error' : requeueFailed({ ...worker, log }, key, error);
  } finally {
    cancel();
    observer?.finished(outcome, clock.now() - startedAt);
  }
}

type FailureParts = Pick<Worker, 'queue' | 'log' | 'failures'>;

/** The only place where an error's retry policy becomes a delay in the queue. */
function requeueFailed({ queue, log, failures }: FailureParts, key: string, error: unknown): ReconcileOutcome {
  const retry = error instanceof ReasonedError ? error.retry : 'backoff';
  const facts = { retry, retries: queue.retries(key) };
  const ordinary = isReasonConflict(error) && facts.retries < ORDINARY_CONFLICTS;
  if (ordinary) log.debug({ ...facts, err: error }, 'reconcile starts again on fresh data');
  else failures.failed(log, key, { error, facts });
  if (retry === 'never') {
    queue.forget(key);
    return 'terminal_error';
  }
  if (retry === 'backoff') queue.addRateLimited(key);
  else queue.addAfter(key, retry.afterSeconds);
  return ordinary ? 'requeue' : 'error';
}

/** Conflicts in a row that are normal: another writer was faster, and the reconcile runs again on fresh data. */
const ORDINARY_CONFLICTS = 5;

function isReasonConflict(error: unknown): boolean {
  return error instanceof ReasonedError && error.reason === 'Conflict';
}

function parseKey(key: string): ObjectKey {
  const slash = key.indexOf('/');
  return slash < 0 ? { name: key } : { namespace: key.slice(0, slash), name: key.slice(slash + 1) };
}

/** A signal that aborts `seconds` after `signal` does, or at once if leadership was lost. */
function limitAfter(
  signal: AbortSignal,
  { seconds, clock }: { readonly seconds: number; readonly clock: Clock },
): { readonly signal: AbortSignal; clear(): void } {
  const controller = new AbortController();
  let cancel: Cancel | undefined;
  const onAbort = (): void => {
    const lost = signal.reason instanceof ReasonedError && signal.reason.reason === 'LeaderLost';
    cancel = clock.after(lost ? 0 : seconds, () => controller.abort(signal.reason));
  };
  if (signal.aborted) onAbort();
  else signal.addEventListener('abort', onAbort, { once: true });
  return {
    signal: controller.signal,
    clear() {
      cancel?.();
      signal.removeEventListener('abort', onAbort);
    },
  };
}

/** Ends with `work`, or with `signal`: a reconcile that ignores it must not keep the process from ending. */
function leaveOnAbort(work: Promise<void>, signal: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    const onAbort = (): void => resolve();
    if (signal.aborted) onAbort();
    signal.addEventListener('abort', onAbort, { once: true });
    work.then(resolve, reject).finally(() => signal.removeEventListener('abort', onAbort));
  });
}
