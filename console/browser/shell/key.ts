/**
 * The key of a console that runs on this machine. Browsers send a cookie to every port of a machine, so to programs of its
 * other users too; the storage of a page belongs to its own port alone. The console hands the key over in the fragment of the
 * first address, and answers only requests that repeat it. A console in a cluster has none.
 */

const NAME = 'slipway-key';

/** State: the key, kept for the other tabs if the browser permits it. */
export class PortKey {
  readonly #key: string;

  constructor({ location, history, storage }: PortKeyParts) {
    const handed = /^#key=([\w-]{43})$/.exec(location.hash)?.[1];
    if (handed !== undefined) history.replaceState(null, '', `${location.pathname}${location.search}`);
    this.#key = handed ?? read(storage) ?? '';
    if (handed !== undefined) keep(storage, handed);
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
