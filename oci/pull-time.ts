/**
 * A total time for a pull: however many requests it takes, they wait for the registry no longer than that together. Each
 * request has deadlines of its own (http-body.ts), which many slow ones, one after the other, never exceed: pages of
 * tags, manifests, tokens, redirects, layers. Time that the caller takes to use the content does not count.
 *
 * The manager uses it for bundles, catalogs and signatures. A person who waits for the command line can stop it instead.
 */
import { pullTooSlow } from './errors.ts';
import type { Descriptor } from './manifest.ts';
import type { Reference } from './reference.ts';
import type { Registry } from './registry.ts';
import type { ImageSource } from './source.ts';
import { nameOf } from './upload.ts';

export interface PullTime {
  readonly seconds: number;
  readonly clock: PullClock;
}

/** Seconds of a monotonic clock, and a timer. */
export interface PullClock {
  now(): number;
  /** Runs `action` once after `seconds`; the result cancels it. */
  after(seconds: number, action: () => void): () => void;
}

/**
 * The source for one pull, whose time begins with its first request. Its methods also throw RegistryUnavailable
 * (retried) once the time is over.
 */
export function sourceWithin(source: ImageSource, time: PullTime): ImageSource {
  return timedSource(source, new Countdown(time));
}

/** The registry for one pull, as {@link sourceWithin}; pushes have no total time. */
export function registryWithin(registry: Registry, time: PullTime): Registry {
  const countdown = new Countdown(time);
  return {
    ...registry,
    ...timedSource(registry, countdown),
    resolve: (reference, signal) =>
      countdown.during({ reference, signal }, (limited) => registry.resolve(reference, limited)),
    listTags: (reference, signal) =>
      countdown.during({ reference, signal }, (limited) => registry.listTags(reference, limited)),
    hasBlob: (reference, digest, signal) =>
      countdown.during({ reference, signal }, (limited) => registry.hasBlob(reference, digest, limited)),
    referrers: (reference, { signal, ...options } = {}) =>
      countdown.during({ reference, signal }, (limited) =>
        registry.referrers(reference, { ...options, signal: limited }),
      ),
  };
}

function timedSource(source: ImageSource, countdown: Countdown): ImageSource {
  return {
    pullManifest: (reference, signal, mostBytes) =>
      countdown.during({ reference, signal }, (limited) => source.pullManifest(reference, limited, mostBytes)),
    pullBlob: (reference, descriptor, signal) =>
      receive(countdown, { descriptor, wait: { reference, signal } }, (limited) =>
        source.pullBlob(reference, descriptor, limited),
      ),
  };
}

interface BlobWait {
  readonly descriptor: Pick<Descriptor, 'size'>;
  readonly wait: AwaitedRequest;
}

/** The pieces of a blob; each is waited for by itself, since the caller works on one before it asks for the next. */
async function* receive(
  countdown: Countdown,
  { descriptor, wait }: BlobWait,
  pull: (signal: AbortSignal) => AsyncIterable<Uint8Array>,
): AsyncGenerator<Uint8Array, void, undefined> {
  countdown.asked += descriptor.size;
  const pieces = pull(countdown.limit(wait.signal))[Symbol.asyncIterator]();
  try {
    for (;;) {
      const next = await countdown.during(wait, () => pieces.next());
      if (next.done === true) return;
      countdown.arrived += next.value.length;
      yield next.value;
    }
  } finally {
    await pieces.return?.();
  }
}

/** A request for a repository. */
interface AwaitedRequest {
  readonly reference: Reference;
  /** Of the caller. */
  readonly signal: AbortSignal | undefined;
}

/** The time that is left; it passes while at least one request is under way. */
class Countdown {
  readonly #time: PullTime;
  readonly #over = new AbortController();
  readonly #limits = new WeakMap<AbortSignal, AbortSignal>();
  /** The requests under way, the oldest first. */
  readonly #waits = new Set<{ readonly reference: Reference }>();
  #left: number;
  #pause: () => void = () => undefined;
  /** Bytes of the blobs that were asked for, and those of them that arrived. */
  asked = 0;
  arrived = 0;

  constructor(time: PullTime) {
    this.#time = time;
    this.#left = time.seconds;
  }

  /** Runs a request, whose signal aborts with that of the caller, or once the time is over. */
  async during<Result>(
    { reference, signal }: AwaitedRequest,
    request: (signal: AbortSignal) => Promise<Result>,
  ): Promise<Result> {
    const limited = this.limit(signal);
    limited.throwIfAborted();
    const wait = { reference };
    this.#waits.add(wait);
    if (this.#waits.size === 1) this.#pause = this.#run();
    try {
      return await request(limited);
    } finally {
      this.#waits.delete(wait);
      if (this.#waits.size === 0) this.#pause();
    }
  }

  /** Aborts with the signal of the caller, or once the time is over. */
  limit(signal: AbortSignal | undefined): AbortSignal {
    if (signal === undefined) return this.#over.signal;
    const limited = this.#limits.get(signal) ?? AbortSignal.any([signal, this.#over.signal]);
    this.#limits.set(signal, limited);
    return limited;
  }

  /** Lets the time pass until the returned function is called. */
  #run(): () => void {
    const { clock } = this.#time;
    const since = clock.now();
    const cancel = clock.after(Math.max(0, this.#left), () => this.#expire());
    return () => {
      cancel();
      this.#left -= clock.now() - since;
    };
  }

  #expire(): void {
    const [oldest] = this.#waits;
    const name = oldest === undefined ? 'an image' : nameOf(oldest.reference);
    this.#over.abort(pullTooSlow({ name, seconds: this.#time.seconds, asked: this.asked, arrived: this.arrived }));
  }
}
