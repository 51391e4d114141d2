/** Bounds concurrent tasks by their weight, such as the memory that they take. */

export interface WeightedSlot {
  /**
   * Waits until there is room for the weight, in the order of the calls. The slot gives back first the weight that it has:
   * two slots that wait for each other's room would never get it. Throws the reason of the signal.
   */
  take(weight: number, signal: AbortSignal): Promise<void>;
  /** Changes the weight without waiting; if there is no room for it, the answer is false, and nothing changes. */
  resize(weight: number): boolean;
  /** Gives all weight back. */
  free(): void;
}

interface WaitingTask {
  readonly weight: number;
  readonly begin: () => void;
}

export interface WeightLimits {
  /** For all slots together. */
  readonly most: number;
  /** Up to this weight a slot neither waits nor counts. */
  readonly light?: number;
}

/**
 * Makes slots, each without weight at first, whose weights stay within `most` together. A weight beyond that has room once
 * all other slots are free. A slot is for one task.
 */
export function createWeightedSlots({ most, light = 0 }: WeightLimits): () => WeightedSlot {
  const waiting = new Set<WaitingTask>();
  let taken = 0;
  const hasRoom = (weight: number, others: number): boolean =>
    weight <= light || others === 0 || others + weight <= most;
  const admit = (): void => {
    for (const next of waiting) {
      if (!hasRoom(next.weight, taken)) return;
      waiting.delete(next);
      next.begin();
    }
  };
  return () => {
    let held = 0;
    const hold = (weight: number): void => {
      const counted = weight <= light ? 0 : weight;
      taken += counted - held;
      held = counted;
    };
    const free = (): void => {
      hold(0);
      admit();
    };
    return {
      async take(weight, signal) {
        free();
        signal.throwIfAborted();
        if (weight <= light) return;
        const { promise, resolve, reject } = Promise.withResolvers<void>();
        const one: WaitingTask = { weight, begin: () => resolve(hold(weight)) };
        const abort = (): void => {
          if (waiting.delete(one)) reject(signal.reason as Error);
          admit();
        };
        signal.addEventListener('abort', abort, { once: true });
        waiting.add(one);
        admit();
        await promise.finally(() => signal.removeEventListener('abort', abort));
      },
      resize(weight) {
        if (weight > held && !hasRoom(weight, taken - held)) return false;
        hold(weight);
        admit();
        return true;
      },
      free,
    };
  };
}
