/** The API server's rules of creating objects that clients rely on. */
import { describe, expect, test } from 'vitest';
import { isAlreadyExists, isConflictOrReplaced, isNotFound } from '../../../api/api-answers.ts';
import type { Client } from '../../client/client.ts';
import { configMap, failure, managers, refTo, withMeta, withTwin } from './objects.ts';

/** Declares the tests; `connect` returns a client with all rights when they run. */
export function checkCreating(connect: () => Client): void {
  describe('a create', () => {
    test('a create of an object that exists is refused as such, in a dry run too', async () => {
      await connect().create(configMap('twice'));
      for (const dryRun of [true, false]) {
        const error = await failure(connect().create(configMap('twice'), { dryRun }));
        expect([isAlreadyExists(error), isConflictOrReplaced(error)]).toEqual([true, false]);
      }
    });

    test('a dry run of a create leaves nothing behind', async () => {
      await connect().create(configMap('dry'), { dryRun: true });
      expect(await connect().get(refTo('dry'))).toBeUndefined();
    });

    test('a create in a namespace that does not exist is refused as not found', async () => {
      const lost = withMeta(configMap('lost'), { namespace: 'nowhere' });
      expect(isNotFound(await failure(connect().create(lost)))).toBe(true);
    });

    test("a create gives the fields to our manager's Update", async () => {
      expect(managers(await connect().create(configMap('fields-created')))).toEqual(['slipway Update']);
    });

    test('a create accepts a list with a key twice, which an apply cannot merge', async () => {
      const error = await failure(connect().apply(withTwin('twin', '1'), { force: true }));
      expect(error).toMatchObject({ code: 500, message: expect.stringMatching(/failed to create typed patch object/) });
      const created = await connect().create(withTwin('twin', '1'));
      expect(JSON.stringify(created['template'])).toContain('"value":"1"');
    });
  });

  describe('a create by apply: an apply bound to the version of the empty store', () => {
    const bound = (name: string, data?: Readonly<Record<string, string>>) =>
      withMeta(configMap(name, data), { resourceVersion: '1' });

    test('an apply that creates makes an object whose fields a later apply takes away', async () => {
      const created = await connect().apply(bound('made', { x: '1', y: '1' }), { force: true });
      expect(managers(created)).toEqual(['slipway Apply']);
      expect((await connect().apply(configMap('made'), { force: true }))['data']).toEqual({ x: '1' });
    });

    test('an apply that creates is a conflict with an object that exists, in a dry run too, even if it is the same', async () => {
      await connect().create(configMap('there'));
      for (const dryRun of [true, false]) {
        const error = await failure(connect().apply(bound('there'), { force: true, dryRun }));
        expect(isConflictOrReplaced(error)).toBe(true);
      }
    });

    test('a dry run of an apply that creates leaves nothing behind', async () => {
      await connect().apply(bound('tried'), { force: true, dryRun: true });
      expect(await connect().get(refTo('tried'))).toBeUndefined();
    });

    test('of many applies that create one object at once, one wins', async () => {
      const racers = ['1', '2', '3', '4', '5', '6', '7', '8'].map((x) =>
        connect().apply(bound('raced', { x }), { force: true }),
      );
      const settled = await Promise.allSettled(racers);
      expect(settled.filter(({ status }) => status === 'fulfilled')).toHaveLength(1);
    });
  });
}
