import { expect, it } from 'vitest';
import { createSerializer } from './serialize.ts';

it('tasks of one key run one after the other, others at the same time, and a failure holds up none', async () => {
  const serialize = createSerializer();
  const told: string[] = [];
  const gate = Promise.withResolvers<void>();
  const first = serialize('a', async () => {
    await gate.promise;
    told.push('a1');
    throw new Error('a1 failed');
  });
  const second = serialize('a', async () => void told.push('a2'));
  await serialize('b', async () => void told.push('b'));
  gate.resolve();
  await expect(first).rejects.toThrow('a1 failed');
  await second;
  expect(told).toEqual(['b', 'a1', 'a2']);
});
