/** Joins the values that come while their reader is busy, so that a slow reader does not fall behind. */
import { awaitedLater } from '../../../api/awaited-later.ts';

/** The values that have come since the batch before; each batch has one at least. Ends and fails as the source does. */
export async function* coalesced<Value>(source: AsyncGenerator<Value>): AsyncGenerator<readonly Value[]> {
  const waiting = new PendingValues<Value>();
  const reading = awaitedLater(waiting.fill(source));
  try {
    while (await waiting.hasMore()) yield waiting.take();
    await reading;
  } finally {
    void source.return(undefined).catch(() => undefined);
  }
}

/** Mutable: the values that nothing has read yet. */
class PendingValues<Value> {
  #values: Value[] = [];
  #isOver = false;
  #woken = Promise.withResolvers<void>();

  async fill(source: AsyncGenerator<Value>): Promise<void> {
    try {
      for await (const value of source) {
        this.#values.push(value);
        this.#woken.resolve();
      }
    } finally {
      this.#isOver = true;
      this.#woken.resolve();
    }
  }

  /** Waits for a value; false once the source has ended and all are read. */
  async hasMore(): Promise<boolean> {
    while (this.#values.length === 0 && !this.#isOver) {
      await this.#woken.promise;
      this.#woken = Promise.withResolvers<void>();
    }
    return this.#values.length > 0;
  }

  take(): readonly Value[] {
    const taken = this.#values;
    this.#values = [];
    return taken;
  }
}
