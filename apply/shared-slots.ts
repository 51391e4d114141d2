/** A share of a bounded resource for each person or address: one who asks for a lot waits for their own requests alone. */
import { createSlots, type Slots } from './slots.ts';

export interface SharedSlotsOptions {
  /** Tasks of one holder at a time. */
  readonly share: number;
  /** Further ones of a holder that may wait; as many as there are if it is not given. */
  readonly mostWaiting?: number;
  /** Tasks of all holders at a time; as many as their shares permit if it is not given. */
  readonly all?: number;
  /** Further ones of all holders that may wait; as many as there are if it is not given. */
  readonly allWaiting?: number;
}

/** `holder`: this one has its share. `all`: as many tasks run and wait as may. */
export type FullSlots = 'holder' | 'all';

interface Share {
  readonly slots: Slots;
  count: number;
}

export class SharedSlots {
  readonly #share: number;
  readonly #most: number;
  readonly #all: Slots;
  readonly #mostOfAll: number;
  readonly #shares = new Map<string, Share>();
  #count = 0;

  constructor({ share, mostWaiting = Infinity, all = Infinity, allWaiting = Infinity }: SharedSlotsOptions) {
    this.#share = share;
    this.#most = share + mostWaiting;
    this.#all = createSlots(all);
    this.#mostOfAll = all + allWaiting;
  }

  /** Persons or addresses that have a task. */
  get holders(): number {
    return this.#shares.size;
  }

  /** Whether another task of the holder may wait. */
  hasRoom(holder: string): boolean {
    return this.whyFull(holder) === undefined;
  }

  /** Why no other task of the holder may wait; undefined if one may. */
  whyFull(holder: string): FullSlots | undefined {
    if ((this.#shares.get(holder)?.count ?? 0) >= this.#most) return 'holder';
    return this.#count >= this.#mostOfAll ? 'all' : undefined;
  }

  /** Runs the task when it is the holder's turn. @throws The error of the task */
  async run<Result>(holder: string, task: () => Promise<Result>): Promise<Result> {
    const share = this.#shares.get(holder) ?? { slots: createSlots(this.#share), count: 0 };
    this.#shares.set(holder, share);
    share.count += 1;
    this.#count += 1;
    try {
      return await share.slots(() => this.#all(task));
    } finally {
      share.count -= 1;
      this.#count -= 1;
      if (share.count === 0) this.#shares.delete(holder);
    }
  }
}
