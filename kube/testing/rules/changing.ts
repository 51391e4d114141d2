/** The API server's rules of changing objects that clients rely on: preconditions, and the ownership of fields. */
import { describe, expect, test } from 'vitest';
import { isConflictOrReplaced, isNotFound } from '../../../api/api-answers.ts';
import type { Client } from '../../client/client.ts';
import { configMap, failure, handOver, managers, NO_UID, refTo, withMeta, withTwin } from './objects.ts';

/** Declares the tests; `connect` returns a client with all rights when they run. */
export function checkChanging(connect: () => Client): void {
  describe('an apply', () => {
    test('an apply bound to the uid of another object is a conflict, and changes nothing', async () => {
      await connect().create(configMap('bound'));
      const other = withMeta(configMap('bound', { x: '2' }), { uid: NO_UID });
      expect(isConflictOrReplaced(await failure(connect().apply(other, { force: true })))).toBe(true);
      expect(await connect().get(refTo('bound'))).toMatchObject({ data: { x: '1' } });
    });

    test('an apply bound to the uid of an object that is gone makes no new one', async () => {
      const { metadata } = await connect().create(configMap('vanished'));
      await connect().delete(refTo('vanished'));
      const late = withMeta(configMap('vanished'), { uid: metadata.uid });
      const error = await failure(connect().apply(late, { force: true }));
      expect(isConflictOrReplaced(error) || isNotFound(error)).toBe(true);
      expect(await connect().get(refTo('vanished'))).toBeUndefined();
    });

    test('an apply takes away fields that it no longer names once they belong to applies, and not before', async () => {
      const created = await connect().create(configMap('less', { x: '1', y: '1' }));
      const before = await connect().apply(configMap('less'), { force: true, dryRun: true });
      expect(before['data']).toEqual({ x: '1', y: '1' });
      await handOver(connect(), created);
      const after = await connect().apply(configMap('less'), { force: true });
      expect(after['data']).toEqual({ x: '1' });
      expect(managers(after)).toEqual(['slipway Apply']);
    });

    test('the same apply again changes nothing, not even the resourceVersion', async () => {
      await handOver(connect(), await connect().create(configMap('same')));
      const first = await connect().apply(configMap('same'), { force: true });
      const second = await connect().apply(configMap('same'), { force: true });
      expect(second.metadata.resourceVersion).toBe(first.metadata.resourceVersion);
    });

    test('an apply takes away no field that another manager owns too', async () => {
      await connect().apply(configMap('shared', { x: '1', y: '1' }), { fieldManager: 'other' });
      await connect().apply(configMap('shared', { x: '1', y: '1' }));
      expect((await connect().apply(configMap('shared')))['data']).toEqual({ x: '1', y: '1' });
    });

    test('an apply of a field of another manager is refused with its name, unless it is forced', async () => {
      await connect().apply(configMap('disputed'), { fieldManager: 'other' });
      await expect(connect().apply(configMap('disputed', { x: '2' }))).rejects.toMatchObject({
        reason: 'Collision',
        causes: [expect.objectContaining({ field: '.data.x' }) as object],
      });
      expect((await connect().apply(configMap('disputed', { x: '2' }), { force: true }))['data']).toEqual({ x: '2' });
    });
  });

  describe('a write that arrives late', () => {
    test('an apply bound to an earlier version is a conflict, and changes nothing', async () => {
      const { metadata } = await connect().apply(configMap('rewritten'));
      await connect().apply(configMap('rewritten', { x: '2' }));
      const { uid, resourceVersion } = metadata;
      const late = withMeta(configMap('rewritten'), { uid, resourceVersion });
      expect(isConflictOrReplaced(await failure(connect().apply(late, { force: true })))).toBe(true);
      expect(await connect().get(refTo('rewritten'))).toMatchObject({ data: { x: '2' } });
    });

    test('a patch bound to the uid of another object, or to an earlier version, is a conflict', async () => {
      const { metadata } = await connect().create(withTwin('twin-late', '1'));
      const ref = { apiVersion: 'v1', kind: 'PodTemplate', namespace: metadata.namespace ?? '', name: 'twin-late' };
      await connect().patch(ref, { metadata: { annotations: { 'example.com/by': 'another' } } });
      const { uid, resourceVersion } = metadata;
      for (const bound of [{ uid, resourceVersion }, { uid: NO_UID }]) {
        expect(isConflictOrReplaced(await failure(connect().patch(ref, { metadata: bound })))).toBe(true);
      }
    });

    test('a change of managedFields that is bound to an earlier version is a conflict', async () => {
      const created = await connect().create(configMap('stale'));
      await connect().patch(refTo('stale'), { data: { z: '1' } });
      expect(isConflictOrReplaced(await failure(handOver(connect(), created)))).toBe(true);
    });
  });
}
