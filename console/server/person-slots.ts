/** A share of a bounded resource for each person: one who asks for a lot waits for their own requests alone. */
import { createSlots, type Slots } from '../../apply/slots.ts';

export interface PersonSlotsOptions {
  /** Tasks of one person at a time. */
  readonly perPerson: number;
  /** Further ones that may wait; as many as there are if it is not given. */
  readonly mostWaiting?: number;
}

interface Share {
  readonly slots: Slots;
  count: number;
}

export class PersonSlots {
  readonly #perPerson: number;
  readonly #most: number;
  readonly #shares = new Map<string, Share>();

  constructor({ perPerson, mostWaiting = Number.POSITIVE_INFINITY }: PersonSlotsOptions) {
    this.#perPerson = perPerson;
    this.#most = perPerson + mostWaiting;
  }

  /** Persons who have a task. */
  get persons(): number {
    return this.#shares.size;
  }

  /** Whether another task of the person may wait. */
  hasRoom(user: string): boolean {
    return (this.#shares.get(user)?.count ?? 0) < this.#most;
  }

  /** Runs the task when it is the person's turn. @throws The error of the task */
  async run<Result>(user: string, task: () => Promise<Result>): Promise<Result> {
    const share = this.#shares.get(user) ?? { slots: createSlots(this.#perPerson), count: 0 };
    this.#shares.set(user, share);
    share.count += 1;
    try {
      return await share.slots(task);
    } finally {
      share.count -= 1;
      if (share.count === 0) this.#shares.delete(user);
    }
  }
}
