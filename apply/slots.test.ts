import { expect, test } from 'vitest';
import { createSlots } from './slots.ts';

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
