/**
 * Bundles that are prepared before they are requested: the next one of a Subscription that names its version in the
 * spec. Nothing is promised: what is not there is prepared when it is requested, as always, and its signatures are
 * checked again. Prepared one after the other while no Subscription has work, kept in memory within narrow bounds, and
 * lost with a restart.
 */
import { setTimeout as delay } from 'node:timers/promises';
import { createRecent, type Recent } from '../recent.ts';
import type { PreparedBundle } from './prepare-bundle.ts';

/** Each one costs the processor as much as an installation, and some are never requested. */
const MOST_BUNDLES = 32;

/** Of one, packed; hardly any bundle has more. */
const MOST_BYTES = 1024 * 1024;

/** Of all, packed. */
const MOST_BYTES_OF_ALL = 4 * MOST_BYTES;

/** How long no Subscription has had work before a preparation begins: it would delay the ones that have. */
const QUIET_MS = 1000;

/** A bundle as it is to be rendered: equal keys, equal bytes. */
interface BundleKey {
  /** The Subscription that it is for. */
  readonly owner: string;
  /** Everything that decides the rendered objects: the digest of the image above all. */
  readonly content: string;
}

interface BundleAhead {
  readonly content: string;
  readonly prepare: () => Promise<PreparedBundle>;
  /** Absent until its turn comes. */
  prepared?: Promise<PreparedBundle | undefined>;
  /** Packed, once it is prepared. */
  bytes: number;
}

export interface QuietClock {
  /** Milliseconds that only grow. */
  readonly now: () => number;
  readonly pause: (milliseconds: number) => Promise<void>;
}

const CLOCK: QuietClock = {
  now: () => performance.now(),
  pause: (milliseconds) => delay(milliseconds, undefined, { ref: false }),
};

export class BundlesAhead {
  readonly #quietMs: number;
  readonly #clock: QuietClock;
  readonly #bundles = new Map<string, BundleAhead>();
  /** The content by owner that failed or is too large: each reconcile would prepare it once more. */
  readonly #unfit: Recent<string> = createRecent();
  #lastWork = -Infinity;
  #preparing = false;

  /** @param quietMs And the clock, for tests. */
  constructor(quietMs = QUIET_MS, clock = CLOCK) {
    this.#quietMs = quietMs;
    this.#clock = clock;
  }

  /** How many are kept, being prepared, or waiting for their turn. */
  get size(): number {
    return this.#bundles.size;
  }

  /**
   * Has a bundle prepared when its turn comes, unless it is there, could not be kept before, or other Subscriptions have
   * taken the room.
   */
  begin({ owner, content }: BundleKey, prepare: () => Promise<PreparedBundle>): void {
    this.#noteWork();
    const known = this.#bundles.get(owner);
    if (known?.content === content || this.#unfit.get(owner) === content) return;
    if (known === undefined && this.#bundles.size >= MOST_BUNDLES) return;
    this.#bundles.set(owner, { content, prepare, bytes: 0 });
    void this.#prepareAll();
  }

  /** The bundle, once; undefined if its preparation has not begun, or was for another content. */
  async take({ owner, content }: BundleKey): Promise<PreparedBundle | undefined> {
    this.#noteWork();
    const known = this.#bundles.get(owner);
    this.#bundles.delete(owner);
    return known?.content === content ? known.prepared : undefined;
  }

  /** Forgets the bundle of a Subscription that is gone, being deleted or suspended, or that needs none any more. */
  drop(owner: string): void {
    this.#noteWork();
    this.#bundles.delete(owner);
    this.#unfit.delete(owner);
  }

  #noteWork(): void {
    this.#lastWork = this.#clock.now();
  }

  async #prepareAll(): Promise<void> {
    if (this.#preparing) return;
    this.#preparing = true;
    for (let next = this.#next(); next !== undefined; next = this.#next()) {
      const left = this.#lastWork + this.#quietMs - this.#clock.now();
      if (left > 0) await this.#clock.pause(left);
      else await this.#prepareOne(...next);
    }
    this.#preparing = false;
  }

  #next(): [owner: string, bundle: BundleAhead] | undefined {
    return [...this.#bundles].find(([, { prepared }]) => prepared === undefined);
  }

  async #prepareOne(owner: string, bundle: BundleAhead): Promise<void> {
    bundle.prepared = this.#prepared(bundle);
    if ((await bundle.prepared) !== undefined || this.#bundles.get(owner) !== bundle) return;
    this.#bundles.delete(owner);
    this.#unfit.set(owner, bundle.content);
  }

  /** Undefined if it fails, which is reported when it is requested, or if there is no room for it. */
  async #prepared(bundle: BundleAhead): Promise<PreparedBundle | undefined> {
    try {
      const prepared = await bundle.prepare();
      const bytes = prepared.manifests.pieces.reduce((sum, { length }) => sum + length, 0);
      if (bytes > MOST_BYTES || this.#bytes() + bytes > MOST_BYTES_OF_ALL) return undefined;
      bundle.bytes = bytes;
      return prepared;
    } catch {
      return undefined;
    }
  }

  #bytes(): number {
    return [...this.#bundles.values()].reduce((sum, { bytes }) => sum + bytes, 0);
  }
}
