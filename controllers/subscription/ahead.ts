/**
 * Bundles that are prepared before they are requested: the next one of a Subscription that names its version in the
 * spec. Nothing is promised: what is not there is prepared when it is requested, as always, and its signatures are
 * checked again. Kept in memory within narrow bounds, and lost with a restart.
 */
import { createRecent, type Recent } from '../recent.ts';
import type { PreparedBundle } from './prepare-bundle.ts';

/** Each one costs the processor as much as an installation, and most are never requested. */
const MOST_BUNDLES = 2;

/** Packed; hardly any bundle has more. */
const MOST_BYTES = 1024 * 1024;

/** A bundle as it is to be rendered: equal keys, equal bytes. */
interface BundleKey {
  /** The Subscription that it is for. */
  readonly owner: string;
  /** Everything that decides the rendered objects: the digest of the image above all. */
  readonly content: string;
}

interface BundleAhead {
  readonly content: string;
  readonly prepared: Promise<PreparedBundle | undefined>;
}

export class BundlesAhead {
  readonly #bundles = new Map<string, BundleAhead>();
  /** The content by owner that failed or is too large: each reconcile would prepare it once more. */
  readonly #unfit: Recent<string> = createRecent();

  /** How many are kept, or being prepared. */
  get size(): number {
    return this.#bundles.size;
  }

  /**
   * Begins to prepare a bundle, unless it is there, could not be kept before, or other Subscriptions have taken the room.
   */
  begin({ owner, content }: BundleKey, prepare: () => Promise<PreparedBundle>): void {
    const known = this.#bundles.get(owner);
    if (known?.content === content || this.#unfit.get(owner) === content) return;
    if (known === undefined && this.#bundles.size >= MOST_BUNDLES) return;
    const bundle: BundleAhead = { content, prepared: prepare().then(ifSmall, () => undefined) };
    this.#bundles.set(owner, bundle);
    void this.#noteUnfit(owner, bundle);
  }

  /** The bundle, once; undefined if it was not prepared, or not with this content. */
  async take({ owner, content }: BundleKey): Promise<PreparedBundle | undefined> {
    const known = this.#bundles.get(owner);
    this.#bundles.delete(owner);
    return known?.content === content ? known.prepared : undefined;
  }

  /** Forgets the bundle of a Subscription that is gone, being deleted or suspended, or that needs none any more. */
  drop(owner: string): void {
    this.#bundles.delete(owner);
    this.#unfit.delete(owner);
  }

  async #noteUnfit(owner: string, bundle: BundleAhead): Promise<void> {
    if ((await bundle.prepared) !== undefined || this.#bundles.get(owner) !== bundle) return;
    this.#bundles.delete(owner);
    this.#unfit.set(owner, bundle.content);
  }
}

function ifSmall(bundle: PreparedBundle): PreparedBundle | undefined {
  const bytes = bundle.manifests.pieces.reduce((sum, { length }) => sum + length, 0);
  return bytes <= MOST_BYTES ? bundle : undefined;
}
