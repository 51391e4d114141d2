/**
 * From which places of a version map one upgrade leads to a place. Ranges of places stand for edges from many: a
 * catalog of N bundles can describe N squared edges in few words.
 */
import type { Interval } from '../coverage.ts';

/** The ways into one place. */
export interface Entrance {
  readonly places: readonly number[];
  /** Places from `first` to `last`, both inside. */
  readonly ranges: readonly Interval[];
}

/** Places that a search has not reached yet; each is taken once, so that a search takes no more steps than places. */
export class OpenPlaces {
  readonly #entrances: readonly Entrance[];
  /** By place, itself if it is open, else a later place before which none is open; shortened while it is followed. */
  readonly #next: Int32Array;

  constructor(entrances: readonly Entrance[], isOpen: (place: number) => boolean) {
    this.#entrances = entrances;
    this.#next = Int32Array.from({ length: entrances.length + 1 }, (_, at) => at);
    for (const at of entrances.keys()) if (!isOpen(at)) this.#next[at] = at + 1;
  }

  /** Takes the open places from which one upgrade leads to a place. */
  *takeBefore(to: number): Generator<number> {
    const { places = [], ranges = [] } = this.#entrances[to] ?? {};
    for (const from of places) if (this.#firstFrom(from) === from) yield this.#take(from);
    for (const { first, last } of ranges)
      for (let from = this.#firstFrom(first); from <= last; from = this.#firstFrom(from)) yield this.#take(from);
  }

  #take(place: number): number {
    this.#next[place] = place + 1;
    return place;
  }

  #firstFrom(place: number): number {
    const next = this.#next;
    let at = place;
    for (let after = next[at] ?? at; after !== at; after = next[at] ?? at) {
      next[at] = next[after] ?? after;
      at = after;
    }
    return at;
  }
}
