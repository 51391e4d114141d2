import { describe, expect, test } from 'vitest';
import { KeptInstances } from './kept-instances.ts';
import type { Person } from './person.ts';

/** One person with one custom resource, which anyone may take away. */
function scene() {
  const world: { uid: string | undefined } = { uid: 'first' };
  const person = {
    operator: { name: 'soak' },
    findInstance: async () => world.uid,
    deleteInstance: async () => {
      if (world.uid === undefined) throw new Error('404');
      world.uid = undefined;
    },
  } as unknown as Person;
  const kept = new KeptInstances([person]);
  const [noted] = kept.persons() as [Person];
  return { world, kept, noted };
}

const LOST = ['the custom resource of soak is gone, though no person deleted it'];

describe('between two looks', () => {
  test.each([
    { because: 'nothing happens', uids: ['first'], deletions: 0, lost: [] },
    { because: 'it goes without a person', uids: [undefined], deletions: 0, lost: LOST },
    { because: 'it goes, and another one comes', uids: ['second'], deletions: 0, lost: LOST },
    { because: 'a person deletes it', uids: [], deletions: 1, lost: [] },
    { because: 'a person deletes it, and once more', uids: [], deletions: 2, lost: [] },
    { because: 'it goes, and a person finds nothing to delete', uids: [undefined], deletions: 1, lost: LOST },
  ])('$because', async ({ uids, deletions, lost }) => {
    const { world, kept, noted } = scene();
    await kept.look();
    for (const uid of uids) world.uid = uid;
    for (let done = 0; done < deletions; done += 1) await noted.deleteInstance().catch(() => undefined);
    expect(await kept.look()).toEqual(lost);
    expect(await kept.look()).toEqual([]);
  });
});
