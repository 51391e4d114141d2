/**
 * Records Events on objects for people to read. Repetitions become a series; events above the rate limit are dropped
 * and counted. Never blocks the work: `record` returns at once and never throws.
 */
import { randomUUID } from 'node:crypto';
import { ReasonedError } from '../../api/errors.ts';
import { isNotFound } from '../../api/api-answers.ts';
import type { Client } from '../client/client.ts';
import { sleep, systemClock, type Cancel, type Clock } from '../clock.ts';
import { buildEvent, seriesKey, seriesPatch, type EventFacts, type Reporter } from './event-series.ts';
import { silentLog, type Log } from '../log.ts';
import { createBucket, type Bucket } from '../rate-limiters.ts';

export type { EventFacts } from './event-series.ts';

export interface EventRecorder {
  /** Queues an Event. */
  record(facts: EventFacts): void;
  /** Resolves when everything recorded so far was sent or given up, or when `signal` aborts. */
  flush(signal?: AbortSignal): Promise<void>;
  /** Stops sending. */
  stop(): void;
  /** Events dropped since the start. */
  readonly dropped: number;
}

export interface EventRecorderOptions extends Reporter {
  readonly client: Pick<Client, 'create' | 'patch'>;
  readonly clock?: Clock;
  readonly log?: Log;
}

/** A series that is silent for this long is over; the next repetition starts another. */
const SERIES_ENDS_SECONDS = 360;
/** Shortest time between two updates of a series' count. */
const SERIES_FLUSH_SECONDS = 30;
const MOST_SERIES = 2000;
const MOST_WAITING = 1000;
/**
 * Limit per object and type: 25 at once, then one in 5 minutes, as in client-go. Normal events do not use up the limit of
 * Warnings.
 */
const PER_OBJECT = { burst: 25, perSecond: 1 / 300 };
const OVERALL = { burst: 50, perSecond: 10 };
const MOST_ATTEMPTS = 3;
const RETRY_SECONDS = 2;

/** A recorder that writes through `client`. */
export function createEventRecorder(options: EventRecorderOptions): EventRecorder {
  const { clock = systemClock, log = silentLog } = options;
  const series = new Map<string, Series>();
  const objects = new Map<string, Bucket>();
  const stopped = new AbortController();
  const sender = createSender({ clock, log, signal: stopped.signal });
  let refused = 0;

  function record(facts: EventFacts): void {
    const key = seriesKey(facts);
    const now = clock.now();
    const known = series.get(key);
    if (known !== undefined && now - known.seenAt < SERIES_ENDS_SECONDS) return repeat(known, now);
    if (!bucketOf(facts).take()) {
      refused += 1;
      return;
    }
    known?.cancel?.();
    const event = buildEvent(facts, options, { wall: clock.wall(), unique: randomUUID() });
    remember(series, key, { event, count: 1, seenAt: now, seenWall: clock.wall(), cancel: undefined });
    sender.send(async (signal) => void (await options.client.create(event, {}, signal)));
  }

  function repeat(known: Series, now: number): void {
    known.count += 1;
    known.seenAt = now;
    known.seenWall = clock.wall();
    known.cancel ??= clock.after(known.count === 2 ? 0 : SERIES_FLUSH_SECONDS, () => sendSeries(known));
  }

  function sendSeries(known: Series): void {
    known.cancel = undefined;
    const patch = seriesPatch(known.count, known.seenWall);
    const ref = { ...known.event, namespace: known.event.metadata.namespace ?? '', name: known.event.metadata.name };
    sender.send(async (signal) => {
      try {
        await options.client.patch(ref, patch, {}, signal);
      } catch (error) {
        if (!isNotFound(error)) throw error;
        await options.client.create({ ...known.event, ...patch }, {}, signal);
      }
    });
  }

  function bucketOf({ regarding, type }: EventFacts): Bucket {
    const { namespace = '', name, uid }: Identity = 'metadata' in regarding ? regarding.metadata : regarding;
    const key = JSON.stringify([regarding.kind, namespace, name, uid, type]);
    const bucket = objects.get(key) ?? createBucket({ ...PER_OBJECT, clock });
    remember(objects, key, bucket);
    return bucket;
  }

  return {
    record(facts) {
      try {
        if (!stopped.signal.aborted) record(facts);
      } catch (error) {
        log.error({ err: error }, 'an event could not be recorded');
      }
    },
    async flush(signal) {
      for (const known of series.values()) {
        if (known.cancel === undefined) continue;
        known.cancel();
        sendSeries(known);
      }
      await sender.idle(signal);
    },
    stop() {
      for (const known of series.values()) known.cancel?.();
      stopped.abort(new Error('the recorder was stopped'));
    },
    get dropped() {
      return refused + sender.dropped();
    },
  };
}

/** An object that was deleted and created again is another one, with no events yet. */
interface Identity {
  readonly namespace?: string;
  readonly name: string;
  readonly uid?: string;
}

interface Series {
  readonly event: ReturnType<typeof buildEvent>;
  count: number;
  /** Monotonic seconds, and milliseconds since 1970. */
  seenAt: number;
  seenWall: number;
  /** Cancels the timer that will send the count. */
  cancel: Cancel | undefined;
}

/** Adds at the end, and drops the oldest entry above the limit. */
function remember<Value>(map: Map<string, Value>, key: string, value: Value): void {
  map.delete(key);
  map.set(key, value);
  if (map.size > MOST_SERIES) map.delete(map.keys().next().value as string);
}

type Work = (signal: AbortSignal) => Promise<void>;

interface Sender {
  send(work: Work): void;
  idle(signal?: AbortSignal): Promise<void>;
  dropped(): number;
}

/** Sends one event at a time, in order, at a limited rate, from a bounded queue. */
function createSender({
  clock,
  log,
  signal,
}: {
  readonly clock: Clock;
  readonly log: Log;
  readonly signal: AbortSignal;
}): Sender {
  const waiting: Work[] = [];
  const bucket = createBucket({ ...OVERALL, clock });
  let running: Promise<void> | undefined;
  let dropped = 0;

  async function run(): Promise<void> {
    for (let work = waiting.shift(); work !== undefined && !signal.aborted; work = waiting.shift()) {
      try {
        await sleep(bucket.reserve(), { clock, signal });
        await trySending(work, { clock, signal });
      } catch (error) {
        dropped += 1;
        log.debug({ err: error }, 'an event was not sent');
      }
    }
    running = undefined;
  }

  return {
    send(work) {
      if (waiting.length >= MOST_WAITING) {
        dropped += 1;
        return;
      }
      waiting.push(work);
      running ??= run();
    },
    async idle(limit) {
      const aborted =
        limit && new Promise<void>((resolve) => limit.addEventListener('abort', () => resolve(), { once: true }));
      await Promise.race([running, ...(aborted === undefined ? [] : [aborted])]);
    },
    dropped: () => dropped,
  };
}

/** Retries a few times if the server is unavailable. */
async function trySending(
  work: Work,
  { clock, signal }: { readonly clock: Clock; readonly signal: AbortSignal },
): Promise<void> {
  for (let attempt = 1; ; attempt++) {
    try {
      return await work(signal);
    } catch (error) {
      const mayHelp = error instanceof ReasonedError && error.reason === 'ApiUnavailable';
      if (!mayHelp || attempt >= MOST_ATTEMPTS) throw error;
      await sleep(RETRY_SECONDS * attempt, { clock, signal });
    }
  }
}
