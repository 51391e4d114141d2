/** Streams that are read by a slow reader. */
import { setTimeout as pause } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { unhandledDuring } from '../../../kube/testing/unhandled-rejections.ts';
import { coalesced } from './coalesced.ts';
import { merged } from './merged.ts';

async function* failing(): AsyncGenerator<number> {
  yield 1;
  throw new RangeError('the stream broke');
}

test.each([
  { name: 'merged', join: () => merged([failing()]) },
  { name: 'coalesced', join: () => coalesced(failing()) },
])('a $name stream that fails while its reader is busy fails for the reader alone', async ({ join }) => {
  const unhandled = await unhandledDuring(async () => {
    const stream: AsyncGenerator = join();
    expect((await stream.next()).done).toBe(false);
    await pause(5);
    await expect(stream.next()).rejects.toThrow(RangeError);
  });
  expect(unhandled).toEqual([]);
});
