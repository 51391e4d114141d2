/** The API server's rules of deleting objects that clients rely on. */
import { describe, expect, test } from 'vitest';
import { isConflictOrReplaced } from '../../../api/api-answers.ts';
import type { Client } from '../../client/client.ts';
import { configMap, failure, NO_UID, refTo, withMeta } from './objects.ts';

/** Declares the tests; `connect` returns a client with all rights when they run. */
export function checkDeleting(connect: () => Client): void {
  describe('a deletion', () => {
    test('a deletion by the uid of another object deletes nothing', async () => {
      await connect().create(configMap('kept'));
      expect(await connect().delete(refTo('kept'), { uid: NO_UID })).toBeUndefined();
      expect(await connect().get(refTo('kept'))).toBeDefined();
    });

    test('a deletion that arrives late does not delete an object that was written since it was seen', async () => {
      const { metadata } = await connect().apply(configMap('wanted-again'));
      const { uid = '', resourceVersion = '' } = metadata;
      await connect().patch(refTo('wanted-again'), { metadata: { annotations: { 'example.com/by': 'another' } } });
      const error = await failure(connect().delete(refTo('wanted-again'), { uid, resourceVersion }));
      expect(isConflictOrReplaced(error)).toBe(true);
      expect(await connect().get(refTo('wanted-again'))).toBeDefined();
    });

    test('a dry run of a deletion leaves the object as it is', async () => {
      const created = await connect().create(configMap('spared'));
      const { uid = '' } = created.metadata;
      await connect().delete(refTo('spared'), { uid, dryRun: true });
      expect((await connect().get(refTo('spared')))?.metadata).toMatchObject(created.metadata);
    });

    test('a deletion of an object that is gone is a success', async () => {
      expect(await connect().delete(refTo('never'))).toBeUndefined();
    });

    test('a deletion of an object that a finalizer holds answers the object', async () => {
      await connect().create(withMeta(configMap('held'), { finalizers: ['example.com/hold'] }));
      const left = await connect().delete(refTo('held'));
      expect(left?.metadata).toMatchObject({ finalizers: ['example.com/hold'] });
      expect(left?.metadata.deletionTimestamp).toBeDefined();
      await connect().patch(refTo('held'), { metadata: { finalizers: null } });
      expect(await connect().get(refTo('held'))).toBeUndefined();
    });
  });
}
