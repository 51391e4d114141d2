/** A share of a bounded resource for each person or address: one who asks for a lot waits for their own requests alone. */
import { createSlots, type Slots } from './slots.ts';

export interface SharedSlotsOptions {
  /** Tasks of one holder at a time. */
  readonly share: number;
  /** Further ones of a holder that may wait; as many as there are if it is not given. */
  readonly mostWaiting?: number;
  /** Tasks of all holders at a time; as many as their shares permit if it is not given. */
  readonly all?: number;
}

interface Share {
  readonly slots: Slots;
  count: number;
}

export class SharedSlots {
  readonly #share: number;
  readonly #most: number;
  readonly #all: Slots;
  readonly #shares = new Map<string, Share>();

  constructor({ share, mostWaiting = Number.POSITIVE_INFINITY, all = Number.POSITIVE_INFINITY }: SharedSlotsOptions) {
    this.#share = share;
    this.#most = share + mostWaiting;
    this.#all = createSlots(all);
  }

  /** Persons or addresses that have a task. */
  get holders(): number {
    return this.#shares.size;
  }

  /** Whether another task of the holder may wait. */
  hasRoom(holder: string): boolean {
    return (this.#shares.get(holder)?.count ?? 0) < this.#most;
  }

  /** Runs the task when it is the holder's turn. @throws The error of the task */
  async run<Result>(holder: string, task: () => Promise<Result>): Promise<Result> {
    const share = this.#shares.get(holder) ?? { slots: createSlots(this.#share), count: 0 };
    this.#shares.set(holder, share);
    share.count += 1;
    try {
      return await share.slots(() => this.#all(task));
    } finally {
      share.count -= 1;
      if (share.count === 0) this.#shares.delete(holder);
    }
  }
}
