/** Results that are made once for all who ask, and kept while there is room; the one that was asked for last stays longest. */
export class Kept<Value> {
  readonly #most: number;
  readonly #values = new Map<string, Promise<Value>>();

  constructor(most: number) {
    this.#most = most;
  }

  /** The kept value, else a new one. A failure is not kept. */
  get(key: string, make: () => Promise<Value>): Promise<Value> {
    const value = this.#values.get(key) ?? make();
    this.#put(key, value);
    value.catch(() => {
      if (this.#values.get(key) === value) this.#values.delete(key);
    });
    return value;
  }

  /** Puts another value in the place of a kept one. */
  replace(key: string, value: Value): void {
    if (this.#values.has(key)) this.#put(key, Promise.resolve(value));
  }

  #put(key: string, value: Promise<Value>): void {
    this.#values.delete(key);
    this.#values.set(key, value);
    if (this.#values.size > this.#most) this.#values.delete(this.#values.keys().next().value as string);
  }
}
