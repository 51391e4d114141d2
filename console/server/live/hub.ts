/**
 * All open streams: which browser shows which view of which person. Bounded, of all and of one person, so that no person
 * can keep others out.
 */
import { systemClock, type Cancel, type Clock } from '../../../kube/clock.ts';
import type { VisibleKind } from '../../data/view.ts';
import type { ViewAnswer } from './encode.ts';
import { EventStream } from './event-stream.ts';
import { Topic } from './topic.ts';

export interface HubOptions {
  readonly clock?: Clock;
  readonly coalesceSeconds?: number;
  readonly refreshSeconds?: number;
  /** Least time between two computations of a view that reads objects on demand. */
  readonly restSeconds?: number;
  readonly heartbeatSeconds?: number;
  readonly mostStreams?: number;
  readonly mostStreamsOfPerson?: number;
  readonly onComputed?: (seconds: number) => void;
}

/** A view of a person that a browser listens to. */
export interface Listening {
  /** All that their rights depend on: views are shared within it. */
  readonly person: string;
  /** Name of the user: the limit of one person counts it, as each token may make another `person`. */
  readonly user: string;
  /** Identifies the view among those of the person. */
  readonly view: string;
  /** The changes that concern it. */
  readonly reads: ReadonlySet<VisibleKind>;
  /** Whether its computation reads objects on demand, beyond those that are watched; rights are remembered, and count as none. */
  readonly asks?: boolean;
  /** The only namespace whose objects concern it; absent: all. */
  readonly namespace?: string | undefined;
  readonly compute: (signal: AbortSignal) => Promise<ViewAnswer>;
  readonly lastEventId?: string | undefined;
  /** Whether the browser is still logged in; asked with each heartbeat. */
  readonly isValid: () => Promise<boolean>;
  /** Ends with this session. */
  readonly session?: string | undefined;
}

/** `person`: this one has their share. `total`: all are taken. */
export type StreamsFull = 'person' | 'total';

const COALESCE_SECONDS = 0.025;
const REFRESH_SECONDS = 15;
const REST_SECONDS = 1;
const HEARTBEAT_SECONDS = 15;
const MOST_STREAMS = 512;
const MOST_STREAMS_OF_PERSON = 64;

interface OpenStream {
  readonly stream: EventStream;
  readonly listening: Listening;
}

interface OpenTopic {
  readonly topic: Topic;
  readonly reads: ReadonlySet<VisibleKind>;
  readonly namespace: string | undefined;
}

export class LiveHub {
  readonly #options: Required<Omit<HubOptions, 'onComputed'>> & Pick<HubOptions, 'onComputed'>;
  readonly #topics = new Map<string, OpenTopic>();
  readonly #open = new Set<OpenStream>();
  #heartbeat: Cancel | undefined;

  constructor(options: HubOptions = {}) {
    this.#options = {
      clock: systemClock,
      coalesceSeconds: COALESCE_SECONDS,
      refreshSeconds: REFRESH_SECONDS,
      restSeconds: REST_SECONDS,
      heartbeatSeconds: HEARTBEAT_SECONDS,
      mostStreams: MOST_STREAMS,
      mostStreamsOfPerson: MOST_STREAMS_OF_PERSON,
      ...options,
    };
  }

  /** Streams that are open, and views that are computed for them. */
  get counts(): { readonly streams: number; readonly views: number } {
    return { streams: this.#open.size, views: this.#topics.size };
  }

  /** A stream of the states of a view, from now on until the browser leaves or its session ends. */
  listen(listening: Listening): EventStream | StreamsFull {
    const { mostStreams, mostStreamsOfPerson } = this.#options;
    const own = [...this.#open].filter((one) => one.listening.user === listening.user).length;
    if (own >= mostStreamsOfPerson) return 'person';
    if (this.#open.size >= mostStreams) return 'total';
    const { key, topic } = this.#topicOf(listening);
    const stream: EventStream = new EventStream(listening.lastEventId, () => this.#left(key, topic, opened));
    const opened: OpenStream = { stream, listening };
    this.#open.add(opened);
    topic.add(stream);
    this.#heartbeat ??= this.#nextBeat();
    return stream;
  }

  /** An object of a kind has changed. @param namespace Of the object; absent if it has none, or if any may have changed */
  changed(kind: VisibleKind, namespace?: string): void {
    for (const { topic, reads, namespace: own } of this.#topics.values()) {
      const concerns = own === undefined || namespace === undefined || own === namespace;
      if (concerns && reads.has(kind)) topic.changed();
    }
  }

  /** Ends the streams of a session: its person has logged out. */
  endSession(session: string): void {
    for (const { stream, listening } of this.#open) if (listening.session === session) stream.end();
  }

  close(): void {
    this.#heartbeat?.();
    for (const { stream } of this.#open) stream.end();
  }

  #topicOf({ person, view, reads, compute, asks = false, namespace }: Listening): {
    readonly key: string;
    readonly topic: Topic;
  } {
    const key = `${person} ${view}`;
    const known = this.#topics.get(key)?.topic;
    if (known !== undefined) return { key, topic: known };
    const { clock, coalesceSeconds, refreshSeconds, restSeconds, onComputed } = this.#options;
    const facts = { compute, clock, coalesceSeconds, refreshSeconds, restSeconds: asks ? restSeconds : 0 };
    const topic = new Topic({ ...facts, ...(onComputed !== undefined && { onComputed }) });
    this.#topics.set(key, { topic, reads, namespace });
    return { key, topic };
  }

  #left(key: string, topic: Topic, opened: OpenStream): void {
    this.#open.delete(opened);
    topic.streams.delete(opened.stream);
    if (topic.streams.size > 0) return;
    topic.close();
    this.#topics.delete(key);
  }

  #nextBeat(): Cancel {
    const { clock, heartbeatSeconds } = this.#options;
    return clock.after(heartbeatSeconds, () => {
      for (const opened of this.#open) void beat(opened);
      this.#heartbeat = this.#open.size > 0 ? this.#nextBeat() : undefined;
    });
  }
}

/** A session that cannot be checked now goes on until the next time: the rights of its person are asked for in any case. */
async function beat({ stream, listening }: OpenStream): Promise<void> {
  const isValid = await listening.isValid().catch(() => true);
  if (isValid) stream.beat();
  else stream.end();
}
