/** One person uses their own share, whatever they ask for, and others do not wait for it. */
import { expect, test } from 'vitest';
import { eventually } from '../kube/testing/eventually.ts';
import { SharedSlots } from './shared-slots.ts';

test.each([
  { because: 'one request', tasks: 1, running: 1 },
  { because: 'as many as the share', tasks: 2, running: 2 },
  { because: 'more than the share', tasks: 5, running: 2 },
])('a person has a share of two: $because', async ({ tasks, running }) => {
  const slots = new SharedSlots({ share: 2 });
  const release = Promise.withResolvers<void>();
  const now = { ann: 0, bob: 0 };
  const task = (user: 'ann' | 'bob') => () => {
    now[user] += 1;
    return release.promise;
  };
  const all = Array.from({ length: tasks }, () => slots.run('ann', task('ann')));
  const bobs = slots.run('bob', task('bob'));
  await eventually(() => now.bob === 1);
  expect(now.ann).toBe(running);
  release.resolve();
  await Promise.all([...all, bobs]);
  expect(now.ann).toBe(tasks);
});

test('a person whose share waits has no room, and has it again afterwards, also after failures', async () => {
  const slots = new SharedSlots({ share: 1, mostWaiting: 1 });
  const release = Promise.withResolvers<void>();
  const fail = async (): Promise<void> => {
    await release.promise;
    throw new Error('broken');
  };
  const both = Promise.allSettled([slots.run('ann', fail), slots.run('ann', fail)]);
  expect([slots.hasRoom('ann'), slots.hasRoom('bob')]).toEqual([false, true]);
  release.resolve();
  expect((await both).map(({ status }) => status)).toEqual(['rejected', 'rejected']);
  expect(slots.hasRoom('ann')).toBe(true);
  expect(slots.holders).toBe(0);
});

test('many persons together have as many tasks as all may have, in the order of the calls', async () => {
  const slots = new SharedSlots({ share: 2, all: 3 });
  const release = Promise.withResolvers<void>();
  const running: string[] = [];
  const task = (user: string) => () => {
    running.push(user);
    return release.promise;
  };
  const all = ['ann', 'ann', 'ann', 'bob', 'cid'].map((user) => slots.run(user, task(user)));
  expect(running).toEqual(['ann', 'ann', 'bob']);
  release.resolve();
  await Promise.all(all);
  expect(running.toSorted()).toEqual(['ann', 'ann', 'ann', 'bob', 'cid']);
});

test('many persons together have no room while as many tasks wait as may, and have it again afterwards', async () => {
  const slots = new SharedSlots({ share: 1, mostWaiting: 1, all: 2, allWaiting: 1 });
  const release = Promise.withResolvers<void>();
  const all = ['ann', 'bob', 'cid'].map((user) => slots.run(user, () => release.promise));
  expect(['ann', 'dan'].map((user) => [slots.hasRoom(user), slots.whyFull(user)])).toEqual([
    [false, 'all'],
    [false, 'all'],
  ]);
  release.resolve();
  await Promise.all(all);
  expect(slots.whyFull('dan')).toBeUndefined();
});
