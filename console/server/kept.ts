/** Results that are made once for all who ask, and kept while there is room; the one that was asked for last stays longest. */

export interface KeptOptions<Value> {
  readonly most: number;
  /** How much room a value takes. */
  readonly weigh?: (value: Value) => number;
  /** Room for all values together. */
  readonly mostWeight?: number;
  /** A value of which this is false is given to those who wait for it, and not kept. */
  readonly isKept?: (value: Value) => boolean;
}

interface Entry<Value> {
  readonly value: Promise<Value>;
  weight: number;
}

export class Kept<Value> {
  readonly #options: Required<KeptOptions<Value>>;
  readonly #entries = new Map<string, Entry<Value>>();
  #weight = 0;

  constructor(options: KeptOptions<Value>) {
    this.#options = { weigh: () => 0, mostWeight: Number.POSITIVE_INFINITY, isKept: () => true, ...options };
  }

  /** The kept value, else a new one. A failure is not kept. */
  get(key: string, make: () => Promise<Value>): Promise<Value> {
    const known = this.#entries.get(key);
    const entry = known ?? { value: make(), weight: 0 };
    this.#put(key, entry);
    if (known === undefined) this.#settle(key, entry);
    return entry.value;
  }

  has(key: string): boolean {
    return this.#entries.has(key);
  }

  /** The kept value, if there is one; it does not stay longer for that. */
  peek(key: string): Promise<Value> | undefined {
    return this.#entries.get(key)?.value;
  }

  /** Puts another value in the place of a kept one. */
  replace(key: string, value: Value): void {
    if (!this.#entries.has(key)) return;
    const entry = { value: Promise.resolve(value), weight: 0 };
    this.#put(key, entry);
    this.#weigh(entry, value);
  }

  #settle(key: string, entry: Entry<Value>): void {
    const isPresent = (): boolean => this.#entries.get(key) === entry;
    entry.value.then(
      (value) => {
        if (!isPresent()) return undefined;
        return this.#options.isKept(value) ? this.#weigh(entry, value) : this.#remove(key);
      },
      () => (isPresent() ? this.#remove(key) : undefined),
    );
  }

  #weigh(entry: Entry<Value>, value: Value): void {
    entry.weight = this.#options.weigh(value);
    this.#weight += entry.weight;
    this.#shrink();
  }

  #put(key: string, entry: Entry<Value>): void {
    if (this.#entries.get(key) === entry) this.#entries.delete(key);
    else this.#remove(key);
    this.#entries.set(key, entry);
    this.#shrink();
  }

  #shrink(): void {
    const { most, mostWeight } = this.#options;
    while (this.#entries.size > most || (this.#weight > mostWeight && this.#entries.size > 0))
      this.#remove(this.#entries.keys().next().value as string);
  }

  #remove(key: string): void {
    this.#weight -= this.#entries.get(key)?.weight ?? 0;
    this.#entries.delete(key);
  }
}
