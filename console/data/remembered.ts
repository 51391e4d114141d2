/**
 * Results of pure functions of catalog content: the same large content is asked about by many persons, again and again.
 * Content is known by its identity, everything else by its value.
 */
const MOST = 256;

export class Remembered<Value> {
  static readonly #numbers = new WeakMap<object, number>();
  static #last = 0;
  readonly #values = new Map<string, Value>();

  /** The result of an earlier call with the same content and equal facts, else that of `make`. */
  get(contents: readonly (object | undefined)[], facts: unknown, make: () => Value): Value {
    const key = JSON.stringify([contents.map((one) => Remembered.#numberOf(one)), facts]);
    const known = this.#values.get(key);
    const value = known !== undefined || this.#values.has(key) ? (known as Value) : make();
    this.#values.delete(key);
    this.#values.set(key, value);
    if (this.#values.size > MOST) this.#values.delete(this.#values.keys().next().value as string);
    return value;
  }

  static #numberOf(content: object | undefined): number {
    if (content === undefined) return 0;
    const number = Remembered.#numbers.get(content) ?? (Remembered.#last += 1);
    Remembered.#numbers.set(content, number);
    return number;
  }
}
