import { expect, test } from 'vitest';
import { NEVER } from '../api/testing/never.ts';
import { createSlots, inSlots } from './slots.ts';

test('tasks begin in order, never more at once than there are slots, and a failed task frees its slot', async () => {
  const slots = createSlots(2);
  const begun: number[] = [];
  const gates = [0, 1, 2, 3].map(() => Promise.withResolvers<void>());
  const tasks = gates.map(({ promise }, index) =>
    slots(async () => {
      begun.push(index);
      await promise;
    }),
  );
  expect(begun).toEqual([0, 1]);
  gates[1]?.reject(new Error('x'));
  await expect(tasks[1]).rejects.toThrow('x');
  expect(begun).toEqual([0, 1, 2]);
  for (const gate of gates) gate.resolve();
  await Promise.allSettled(tasks);
  expect(begun).toEqual([0, 1, 2, 3]);
});

test('a failure is thrown once every other task under way has ended, so that no write is left behind', async () => {
  const gate = Promise.withResolvers<void>();
  const ended: string[] = [];
  const over = inSlots({ slots: createSlots(2), signal: NEVER }, ['fails', 'works'], async (name) => {
    if (name === 'fails') throw new Error('x');
    await gate.promise;
    ended.push(name);
  }).catch((error: unknown) => ended.push(String(error)));
  await Promise.race([over, new Promise(setImmediate)]);
  gate.resolve();
  await over;
  expect(ended).toEqual(['works', 'Error: x']);
});

test('the results are in the order of the items, and no task begins after the abort', async () => {
  const controller = new AbortController();
  const reason = new Error('stop');
  const begun: number[] = [];
  const task = async (item: number): Promise<number> => {
    begun.push(item);
    if (item === 2) controller.abort(reason);
    return item;
  };
  expect(await inSlots({ slots: createSlots(1), signal: NEVER }, [1, 3], task)).toEqual([1, 3]);
  await expect(inSlots({ slots: createSlots(1), signal: controller.signal }, [1, 2, 3], task)).rejects.toBe(reason);
  expect(begun).toEqual([1, 3, 1, 2]);
});
