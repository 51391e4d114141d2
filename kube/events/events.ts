/**
 * Records Events on objects for people to read. Repetitions become a series; events above the rate limit are dropped
 * and counted. Never blocks the work: `record` returns at once and never throws.
 */
import { randomUUID } from 'node:crypto';
import { isNotFound } from '../../api/api-answers.ts';
import type { Client } from '../client/client.ts';
import { systemClock, type Cancel, type Clock } from '../clock.ts';
import { buildEvent, seriesKey, seriesPatch, type Occurrence, type Reporter } from './event-series.ts';
import { EventSender } from './event-sender.ts';
import { silentLog, type Log } from '../log.ts';
import { createBucket, type Bucket } from '../rate-limiters.ts';

export type { Occurrence } from './event-series.ts';

export interface EventRecorder {
  /** Queues an Event. */
  record(facts: Occurrence): void;
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
/**
 * Limit per object and type: 25 at once, then one in 5 minutes, as in client-go. Normal events do not use up the limit of
 * Warnings.
 */
const PER_OBJECT = { burst: 25, perSecond: 1 / 300 };

/** A recorder that writes through `client`. */
export function createEventRecorder(options: EventRecorderOptions): EventRecorder {
  return new SeriesRecorder(options);
}

class SeriesRecorder implements EventRecorder {
  readonly #client: EventRecorderOptions['client'];
  readonly #reporter: Reporter;
  readonly #clock: Clock;
  readonly #log: Log;
  readonly #sender: EventSender;
  readonly #stopped = new AbortController();
  /** By object, reason and text; the oldest is dropped above the limit. */
  readonly #series = new Map<string, Series>();
  /** The rate of events of each object and type. */
  readonly #buckets = new Map<string, Bucket>();
  /** Events above the rate of their object. */
  #refused = 0;

  constructor({ client, clock = systemClock, log = silentLog, ...reporter }: EventRecorderOptions) {
    this.#client = client;
    this.#reporter = reporter;
    this.#clock = clock;
    this.#log = log;
    this.#sender = new EventSender({ clock, log, signal: this.#stopped.signal });
  }

  get dropped(): number {
    return this.#refused + this.#sender.dropped;
  }

  record(facts: Occurrence): void {
    try {
      if (!this.#stopped.signal.aborted) this.#record(facts);
    } catch (error) {
      this.#log.error({ err: error }, 'an event could not be recorded');
    }
  }

  async flush(signal?: AbortSignal): Promise<void> {
    for (const known of this.#series.values()) {
      if (known.cancel === undefined) continue;
      known.cancel();
      this.#sendSeries(known);
    }
    await this.#sender.idle(signal);
  }

  stop(): void {
    for (const known of this.#series.values()) known.cancel?.();
    this.#stopped.abort(new Error('the recorder was stopped'));
  }

  #record(facts: Occurrence): void {
    const key = seriesKey(facts);
    const [now, wall] = [this.#clock.now(), this.#clock.wall()];
    const known = this.#series.get(key);
    if (known !== undefined && now - known.seenAt < SERIES_ENDS_SECONDS) return this.#repeat(known);
    if (!this.#bucketOf(facts).take()) {
      this.#refused += 1;
      return;
    }
    known?.cancel?.();
    const event = buildEvent(facts, this.#reporter, { wall, unique: randomUUID() });
    remember(this.#series, key, { event, count: 1, seenAt: now, seenWall: wall, cancel: undefined });
    this.#sender.send(async (signal) => void (await this.#client.create(event, {}, signal)));
  }

  #repeat(known: Series): void {
    known.count += 1;
    known.seenAt = this.#clock.now();
    known.seenWall = this.#clock.wall();
    known.cancel ??= this.#clock.after(known.count === 2 ? 0 : SERIES_FLUSH_SECONDS, () => this.#sendSeries(known));
  }

  #sendSeries(known: Series): void {
    known.cancel = undefined;
    const patch = seriesPatch(known.count, known.seenWall);
    const ref = { ...known.event, namespace: known.event.metadata.namespace ?? '', name: known.event.metadata.name };
    this.#sender.send(async (signal) => {
      try {
        await this.#client.patch(ref, patch, {}, signal);
      } catch (error) {
        if (!isNotFound(error)) throw error;
        await this.#client.create({ ...known.event, ...patch }, {}, signal);
      }
    });
  }

  #bucketOf({ regarding, type }: Occurrence): Bucket {
    const { namespace = '', name, uid }: Identity = 'metadata' in regarding ? regarding.metadata : regarding;
    const key = JSON.stringify([regarding.kind, namespace, name, uid, type]);
    const bucket = this.#buckets.get(key) ?? createBucket({ ...PER_OBJECT, clock: this.#clock });
    remember(this.#buckets, key, bucket);
    return bucket;
  }
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
