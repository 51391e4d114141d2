/**
 * The key of a console that runs on this machine. Browsers send a cookie to every port of a machine, so to programs of its
 * other users too; the storage of a page belongs to its own port alone. The console hands the key over in the fragment of the
 * first address, and answers only requests that repeat it. A console in a cluster has none.
 */

const NAME = 'slipway-key';

/** Whether the console accepts a request with these headers; undefined if it does not answer. */
export type IsAccepted = (headers: Readonly<Record<string, string>>) => Promise<boolean | undefined>;

/** State: the key, kept for the other tabs if the browser permits it. */
export class PortKey {
  readonly #storage: PortKeyParts['storage'];
  readonly #handed: string | undefined;
  #key: string;

  constructor({ location, history, storage }: PortKeyParts) {
    this.#storage = storage;
    this.#handed = /^#key=([\w-]{43})$/.exec(location.hash)?.[1];
    if (this.#handed !== undefined) history.replaceState(null, '', `${location.pathname}${location.search}`);
    this.#key = this.#handed ?? read(storage) ?? '';
  }

  /**
   * Keeps the key of the address if the console accepts it. Any page can link here with a key that it made up: the one
   * that this browser has goes on working then. Called once, before the first request.
   */
  async settle(isAccepted: IsAccepted): Promise<void> {
    const stored = read(this.#storage);
    if (this.#handed === undefined || this.#handed === stored) return;
    const verdict = await isAccepted(this.headers);
    if (verdict === true) keep(this.#storage, this.#handed);
    else if (verdict === false && stored !== undefined) this.#key = stored;
  }

  get headers(): Readonly<Record<string, string>> {
    return this.#key === '' ? {} : { 'x-slipway-key': this.#key };
  }

  /** The address for a request that can have no headers: of a stream, or of an image. */
  in(url: string): string {
    return this.#key === '' ? url : `${url}${url.includes('?') ? '&' : '?'}key=${this.#key}`;
  }
}

/** The parts of the window that are used. */
export interface PortKeyParts {
  readonly location: Pick<Location, 'hash' | 'pathname' | 'search'>;
  readonly history: Pick<History, 'replaceState'>;
  /** Throws if the browser permits no storage. */
  readonly storage: () => Pick<Storage, 'getItem' | 'setItem'>;
}

function read(storage: PortKeyParts['storage']): string | undefined {
  try {
    return storage().getItem(NAME) ?? undefined;
  } catch {
    return undefined;
  }
}

function keep(storage: PortKeyParts['storage'], key: string): void {
  try {
    storage().setItem(NAME, key);
  } catch {
    // This tab has it, and others have to open a new address.
  }
}
