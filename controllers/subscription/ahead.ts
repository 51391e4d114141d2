/**
 * Bundles that are prepared before they are requested: the next one of a Subscription that names its version in the
 * spec. Nothing is promised: what is not there is prepared when it is requested, as always, and its signatures are
 * checked again. Prepared one after the other while no Subscription is being changed, kept in memory within narrow
 * bounds, and lost with a restart.
 */
import { sleep, systemClock, type Clock } from '../../kube/clock.ts';
import { overOrSlow } from '../preparations.ts';
import { createRecent, type Recent } from '../recent.ts';
import type { PreparedBundle } from './prepare-bundle.ts';

/** Each one costs the processor as much as an installation, and some are never requested. */
const MOST_BUNDLES = 32;

/** So that the Subscriptions of one namespace do not take all the room. */
const MOST_OF_NAMESPACE = 8;

/** Packed bytes of one bundle; hardly any has more. */
const MOST_BYTES = 1024 * 1024;

/** Packed bytes of all bundles, beyond which no other one is prepared. */
const MOST_BYTES_OF_ALL = 4 * MOST_BYTES;

/** Packed bytes of the bundles of one namespace, beyond which those of others come first. */
const MOST_BYTES_OF_NAMESPACE = MOST_BYTES_OF_ALL / 2;

/** A preparation would delay the Subscriptions that are being changed, which are reconciled every two seconds. */
const QUIET_SECONDS = 3;

/** In a large cluster some Subscription is always being changed. */
const LONGEST_WAIT_SECONDS = 60;

/** A registry that has failed is asked again after that time, at the next reconcile. */
const AGAIN_AFTER_SECONDS = 600;

/** A bundle as it is to be rendered: equal keys, equal bytes. */
interface BundleKey {
  /** The Subscription that it is for, as `namespace/name`. */
  readonly owner: string;
  /** Everything that decides the rendered objects: the digest of the image above all. */
  readonly content: string;
}

interface WaitingBundle {
  readonly content: string;
  readonly prepare: () => Promise<PreparedBundle>;
}

/** A bundle that is prepared, or is being prepared. */
interface KeptBundle {
  readonly content: string;
  prepared?: Promise<PreparedBundle | undefined>;
  /** Packed; 0 until it is prepared. */
  bytes: number;
}

/** A bundle that is not prepared once more at each reconcile: it is too large, or its registry has failed. */
interface UnfitBundle {
  readonly content: string;
  /** Seconds of the clock. */
  readonly until: number;
}

export class BundlesAhead {
  readonly #quietSeconds: number;
  readonly #clock: Clock;
  readonly #waiting = new Map<string, WaitingBundle>();
  readonly #kept = new Map<string, KeptBundle>();
  readonly #unfit: Recent<UnfitBundle> = createRecent();
  #lastWork = -Infinity;
  #preparing = false;

  /**
   * @param quietSeconds For tests: how long no Subscription is changed before a preparation begins.
   * @param clock For tests.
   */
  constructor(quietSeconds = QUIET_SECONDS, clock = systemClock) {
    this.#quietSeconds = quietSeconds;
    this.#clock = clock;
  }

  /** How many are kept, being prepared, or waiting for their turn. */
  get size(): number {
    return this.#waiting.size + this.#kept.size;
  }

  /** Has a bundle prepared when its turn comes, unless it is known already, or other Subscriptions have taken the room. */
  begin({ owner, content }: BundleKey, prepare: () => Promise<PreparedBundle>): void {
    const known = this.#waiting.get(owner) ?? this.#kept.get(owner);
    if (known?.content === content || this.#isUnfit({ owner, content })) return;
    this.#remove(owner);
    if (!this.#hasRoomFor(owner)) return;
    this.#waiting.set(owner, { content, prepare });
    void this.#prepareAll();
  }

  /** The bundle, once; undefined if its preparation has not begun, or was for another content. */
  async take({ owner, content }: BundleKey): Promise<PreparedBundle | undefined> {
    this.noteWork();
    const known = this.#kept.get(owner);
    this.#remove(owner);
    return known?.content === content ? known.prepared : undefined;
  }

  /** Forgets the bundle of a Subscription that is gone, being deleted or suspended, or that needs none any more. */
  drop(owner: string): void {
    this.#remove(owner);
    this.#unfit.delete(owner);
  }

  /** Called while a Subscription is being changed: preparations wait until none is, for a while. */
  noteWork(): void {
    this.#lastWork = this.#clock.now();
  }

  #hasRoomFor(owner: string): boolean {
    const owners = [...this.#waiting.keys(), ...this.#kept.keys()];
    const neighbours = owners.filter((other) => namespaceOf(other) === namespaceOf(owner));
    return owners.length < MOST_BUNDLES && neighbours.length < MOST_OF_NAMESPACE;
  }

  #isUnfit({ owner, content }: BundleKey): boolean {
    const unfit = this.#unfit.get(owner);
    return unfit?.content === content && this.#clock.now() < unfit.until;
  }

  #remove(owner: string): void {
    this.#waiting.delete(owner);
    if (this.#kept.delete(owner)) void this.#prepareAll();
  }

  async #prepareAll(): Promise<void> {
    if (this.#preparing) return;
    this.#preparing = true;
    let since = this.#clock.now();
    for (let next = this.#next(); next !== undefined; next = this.#next()) {
      const left = Math.min(this.#lastWork + this.#quietSeconds, since + LONGEST_WAIT_SECONDS) - this.#clock.now();
      if (left > 0) await sleep(left, { clock: this.#clock });
      else {
        await overOrSlow(this.#prepareOne(...next));
        since = this.#clock.now();
      }
    }
    this.#preparing = false;
  }

  /** The one that has waited longest, if there is room for it. */
  #next(): [owner: string, bundle: WaitingBundle] | undefined {
    if (this.#bytesOf([...this.#kept.keys()]) >= MOST_BYTES_OF_ALL) return undefined;
    return [...this.#waiting].find(([owner]) => {
      const neighbours = [...this.#kept.keys()].filter((other) => namespaceOf(other) === namespaceOf(owner));
      return this.#bytesOf(neighbours) < MOST_BYTES_OF_NAMESPACE;
    });
  }

  #bytesOf(owners: readonly string[]): number {
    return owners.reduce((sum, owner) => sum + (this.#kept.get(owner)?.bytes ?? 0), 0);
  }

  #prepareOne(owner: string, { content, prepare }: WaitingBundle): Promise<unknown> {
    const bundle: KeptBundle = { content, bytes: 0 };
    this.#waiting.delete(owner);
    this.#kept.set(owner, bundle);
    bundle.prepared = this.#finish(owner, bundle, prepare);
    return bundle.prepared;
  }

  /** Undefined if it fails, which is reported when it is requested, or if it is too large to be kept. */
  async #finish(
    owner: string,
    bundle: KeptBundle,
    prepare: WaitingBundle['prepare'],
  ): Promise<PreparedBundle | undefined> {
    try {
      const prepared = await prepare();
      // It was requested meanwhile, so that it need not be kept.
      if (this.#kept.get(owner) !== bundle) return prepared;
      const bytes = prepared.manifests.pieces.reduce((sum, { length }) => sum + length, 0);
      if (bytes > MOST_BYTES) return this.#giveUp(owner, bundle, Infinity);
      bundle.bytes = bytes;
      return prepared;
    } catch {
      return this.#giveUp(owner, bundle, this.#clock.now() + AGAIN_AFTER_SECONDS);
    }
  }

  #giveUp(owner: string, bundle: KeptBundle, until: number): undefined {
    if (this.#kept.get(owner) !== bundle) return;
    this.#kept.delete(owner);
    this.#unfit.set(owner, { content: bundle.content, until });
  }
}

function namespaceOf(owner: string): string {
  return owner.slice(0, owner.indexOf('/'));
}
