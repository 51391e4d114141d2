import { describe, expect, test } from 'vitest';
import { createWeightedSlots, type WeightedSlot } from './weighted-slots.ts';

const NEVER = new AbortController().signal;

/** Takes the weights in turn, each in a slot of its own, and notes the names of those that have their room. */
function scene(most: number) {
  const slots = createWeightedSlots({ most });
  const begun: string[] = [];
  return {
    begun,
    slots,
    take: (name: string, weight: number, signal = NEVER): WeightedSlot & { readonly over: Promise<unknown> } => {
      const slot = slots();
      const over = slot.take(weight, signal).then(
        () => begun.push(name),
        (error: unknown) => error,
      );
      return { ...slot, over };
    },
  };
}

/** Every task that can go on has gone on. */
const settled = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

describe('slots with a weight', () => {
  test.each([
    { weights: [4, 4, 4], begun: 2, because: 'the third is beyond the bound' },
    { weights: [4, 6, 1], begun: 2, because: 'the bound is reached' },
    { weights: [11, 1], begun: 1, because: 'one that is too heavy goes alone' },
    { weights: [1, 11], begun: 1, because: 'one that is too heavy waits until it is alone' },
    { weights: [6, 6, 1], begun: 1, because: 'a light one does not overtake a heavy one, which would wait for ever' },
    { weights: [0, 11], begun: 2, because: 'a weight of nothing takes no room' },
  ])('of $weights $begun begin within 10: $because', async ({ weights, begun }) => {
    const { take, begun: names } = scene(10);
    weights.forEach((weight, index) => take(`${index}`, weight));
    await settled();
    expect(names).toEqual(weights.slice(0, begun).map((_, index) => `${index}`));
  });

  test('begin in the order of the calls as room is given back', async () => {
    const { take, begun } = scene(10);
    const first = take('first', 8);
    take('heavy', 20);
    take('last', 1);
    await settled();
    expect(begun).toEqual(['first']);
    first.free();
    await settled();
    expect(begun).toEqual(['first', 'heavy']);
  });

  test('are given up with the reason of the signal, and others take the room', async () => {
    const { take, begun } = scene(10);
    const aborting = new AbortController();
    take('first', 8);
    const heavy = take('heavy', 20, aborting.signal);
    take('last', 1);
    const reason = new Error('stopped');
    aborting.abort(reason);
    expect(await heavy.over).toBe(reason);
    await settled();
    expect(begun).toEqual(['first', 'last']);
    expect(await take('late', 1, aborting.signal).over).toBe(reason);
  });

  test('an abort after the room is taken changes nothing', async () => {
    const { take } = scene(10);
    const aborting = new AbortController();
    await take('first', 10, aborting.signal).over;
    aborting.abort();
    const next = take('next', 1);
    await settled();
    expect(next.resize(1)).toBe(false);
  });

  test('change their weight without waiting, if there is room', async () => {
    const { take, begun } = scene(10);
    const [first, second] = [take('first', 4), take('second', 4)];
    await settled();
    expect([first.resize(7), first.resize(6), second.resize(5), second.resize(1)]).toEqual([false, true, false, true]);
    take('third', 3);
    await settled();
    expect(begun).toEqual(['first', 'second', 'third']);
  });

  test('two that need more than is free do not wait for each other for ever', async () => {
    const { slots } = scene(10);
    const order: string[] = [];
    const grow = async (name: string): Promise<void> => {
      const slot = slots();
      await slot.take(5, NEVER);
      await settled();
      if (!slot.resize(8)) await slot.take(8, NEVER);
      order.push(name);
      await settled();
      slot.free();
    };
    await Promise.all([grow('first'), grow('second')]);
    expect(order.toSorted()).toEqual(['first', 'second']);
  });
});

describe('a light task', () => {
  test('waits neither for heavy ones nor behind a waiting one, and takes no room', async () => {
    const slots = createWeightedSlots({ most: 10, light: 2 });
    const heavy = slots();
    await heavy.take(30, NEVER);
    const waiting = slots().take(5, NEVER);
    const light = slots();
    await light.take(2, NEVER);
    heavy.free();
    await waiting;
    const other = slots();
    expect(other.resize(5)).toBe(true);
    expect(slots().resize(3)).toBe(false);
  });

  test('that turns out to be heavy counts, and gives its room back', async () => {
    const slots = createWeightedSlots({ most: 10, light: 2 });
    const [one, other] = [slots(), slots()];
    await one.take(1, NEVER);
    expect(one.resize(8)).toBe(true);
    expect(other.resize(8)).toBe(false);
    expect(one.resize(2)).toBe(true);
    expect(other.resize(8)).toBe(true);
  });
});
