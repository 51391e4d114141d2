import { describe, expect, test } from 'vitest';
import { createPreparations } from './preparations.ts';

/** A task that ends when the test says so. */
function task(): { readonly run: () => Promise<string>; end(): void; hasBegun: boolean } {
  const { promise, resolve } = Promise.withResolvers<string>();
  const one = {
    hasBegun: false,
    run: () => {
      one.hasBegun = true;
      return promise;
    },
    end: () => resolve('done'),
  };
  return one;
}

describe('the preparation of bundles', () => {
  test('begins for two bundles at a time, and for the next one when one is prepared', async () => {
    const prepare = createPreparations();
    const tasks = [task(), task(), task()] as const;
    const all = tasks.map(({ run }) => prepare(run));
    expect(tasks.map(({ hasBegun }) => hasBegun)).toEqual([true, true, false]);
    tasks[1].end();
    await expect.poll(() => tasks[2].hasBegun).toBe(true);
    for (const one of tasks) one.end();
    expect(await Promise.all(all)).toEqual(['done', 'done', 'done']);
  });

  test('begins for the next one although two registries do not answer', async () => {
    const prepare = createPreparations({ slowMilliseconds: 1 });
    const tasks = [task(), task(), task()] as const;
    const all = tasks.map(({ run }) => prepare(run));
    await expect.poll(() => tasks[2].hasBegun).toBe(true);
    for (const one of tasks) one.end();
    expect(await Promise.all(all)).toEqual(['done', 'done', 'done']);
  });

  test('fails with the error of the registry, and goes on with the next one', async () => {
    const prepare = createPreparations();
    const refused = new Error('refused');
    const failing = Array.from({ length: 4 }, () => prepare(() => Promise.reject(refused)));
    for (const one of failing) await expect(one).rejects.toBe(refused);
    await expect(prepare(() => Promise.resolve('done'))).resolves.toBe('done');
  });
});
