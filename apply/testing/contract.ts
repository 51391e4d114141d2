/**
 * Assumptions of apply/ about a cluster, as tests that run against the real API server and against the fake, so that a
 * fake that differs is found. Called by fake-cluster.test.ts and apply.cluster.test.ts.
 */
import { NEVER } from '../../api/testing/never.ts';
import { describe, expect, test } from 'vitest';
import { refOf, type KubeObject } from '../../api/object.ts';
import { isAlreadyExists, isConflictOrReplaced, isNotFound } from '../../api/api-answers.ts';
import type { Cluster } from '../../api/cluster.ts';
import { changeObject, createObject, takeOverFields, withUid } from '../write.ts';
import { sample } from './sample-objects.ts';

interface ManagedFields {
  readonly manager?: string;
  readonly operation?: string;
}

/** Declares the tests; each calls `cluster`, and `namespace` exists. */
export function describeContract(cluster: () => Cluster, namespace: string): void {
  const config = (name: string, data: Record<string, string> = { x: '1' }): KubeObject =>
    sample('v1', 'ConfigMap', name, { namespace, data });

  describe('creating', () => {
    test('an object that exists is refused as such, in a dry run too', async () => {
      await cluster().create(config('twice'));
      for (const dryRun of [true, false]) {
        const error = await failure(cluster().create(config('twice'), { dryRun }));
        expect([isAlreadyExists(error), isConflictOrReplaced(error)]).toEqual([true, false]);
      }
    });

    test('a dry run leaves nothing behind', async () => {
      await cluster().create(config('dry'), { dryRun: true });
      expect(await cluster().get(refOf(config('dry')))).toBeUndefined();
    });

    test('in a namespace that does not exist is refused as not found', async () => {
      const object = sample('v1', 'ConfigMap', 'lost', { namespace: 'nowhere' });
      expect(isNotFound(await failure(cluster().create(object)))).toBe(true);
    });

    test("gives the fields to our manager's Update", async () => {
      const created = await cluster().create(config('fields-created'));
      expect(managers(created)).toEqual(['slipway Update']);
    });
  });

  describe('creating by apply', () => {
    test('makes an object whose fields are all ours to take away again', async () => {
      const created = await createObject(cluster(), config('made', { x: '1', y: '1' }), { signal: NEVER });
      expect(managers(created)).toEqual(['slipway Apply']);
      const changed = await changeObject(cluster(), config('made'), created, NEVER);
      expect(changed['data']).toEqual({ x: '1' });
    });

    test('an object that exists is a conflict, in a dry run too, even if it is the same', async () => {
      await cluster().create(config('there'));
      for (const dryRun of [true, false]) {
        expect(
          isConflictOrReplaced(await failure(createObject(cluster(), config('there'), { signal: NEVER, dryRun }))),
        ).toBe(true);
      }
    });

    test('a dry run leaves nothing behind', async () => {
      await createObject(cluster(), config('tried'), { signal: NEVER, dryRun: true });
      expect(await cluster().get(refOf(config('tried')))).toBeUndefined();
    });

    test('of many at once, one wins', async () => {
      const racers = ['1', '2', '3', '4', '5', '6', '7', '8'].map((x) =>
        createObject(cluster(), config('raced', { x }), { signal: NEVER }),
      );
      const settled = await Promise.allSettled(racers);
      expect(settled.filter(({ status }) => status === 'fulfilled')).toHaveLength(1);
    });

    test('what cannot be merged is created and changed plainly, and never laid over another object', async () => {
      const created = await createObject(cluster(), withTwin(namespace, '1'), { signal: NEVER });
      expect(isAlreadyExists(await failure(createObject(cluster(), withTwin(namespace, '2'), { signal: NEVER })))).toBe(
        true,
      );
      const changed = await changeObject(cluster(), withTwin(namespace, '3'), created, NEVER);
      expect(JSON.stringify(changed['template'])).toContain('"value":"3"');
      // As an object whose fields we own already, so that the server refuses the change itself.
      const { managedFields: _managedFields, ...metadata } = created.metadata as KubeObject['metadata'] & {
        managedFields?: unknown;
      };
      const other = { ...created, metadata: { ...metadata, uid: '00000000-0000-0000-0000-000000000000' } };
      expect(isConflictOrReplaced(await failure(changeObject(cluster(), withTwin(namespace, '4'), other, NEVER)))).toBe(
        true,
      );
    });
  });

  describe('applying', () => {
    test('bound to the uid of another object is a conflict, and changes nothing', async () => {
      const created = await cluster().create(config('bound'));
      const other = { ...created, metadata: { ...created.metadata, uid: '00000000-0000-0000-0000-000000000000' } };
      const error = await failure(cluster().apply(withUid(config('bound', { x: '2' }), other), { force: true }));
      expect(isConflictOrReplaced(error)).toBe(true);
      expect(await cluster().get(refOf(created))).toMatchObject({ data: { x: '1' } });
    });

    test('bound to the uid of an object that is gone does not make a new one', async () => {
      const created = await cluster().create(config('vanished'));
      await cluster().delete(refOf(created));
      const error = await failure(cluster().apply(withUid(config('vanished'), created), { force: true }));
      expect(isConflictOrReplaced(error) || isNotFound(error)).toBe(true);
      expect(await cluster().get(refOf(created))).toBeUndefined();
    });

    test('takes away what it no longer names once the fields are taken over, and not before', async () => {
      const created = await cluster().create(config('less', { x: '1', y: '1' }));
      const before = await cluster().apply(config('less'), { force: true, dryRun: true });
      expect(before['data']).toEqual({ x: '1', y: '1' });
      await takeOverFields(cluster(), created, NEVER);
      const after = await cluster().apply(config('less'), { force: true });
      expect(after['data']).toEqual({ x: '1' });
      expect(managers(after)).toEqual(['slipway Apply']);
    });

    test('the same again changes nothing, not even the resourceVersion', async () => {
      await takeOverFields(cluster(), await cluster().create(config('same')), NEVER);
      const first = await cluster().apply(config('same'), { force: true });
      const second = await cluster().apply(config('same'), { force: true });
      expect(second.metadata.resourceVersion).toBe(first.metadata.resourceVersion);
    });
  });

  describe('a write that arrives late', () => {
    test('changes nothing of an object that was written since it was seen', async () => {
      const seen = await createObject(cluster(), config('rewritten', { x: '1' }), { signal: NEVER });
      await changeObject(cluster(), config('rewritten', { x: '2' }), seen, NEVER);
      expect(
        isConflictOrReplaced(await failure(changeObject(cluster(), config('rewritten', { x: '1' }), seen, NEVER))),
      ).toBe(true);
      expect(await cluster().get(refOf(seen))).toMatchObject({ data: { x: '2' } });
    });

    test('changes nothing of an object that cannot be merged and was written since it was seen', async () => {
      const refOfTwin = { name: 'twin-late', namespace };
      const created = await createObject(
        cluster(),
        { ...withTwin(namespace, '1'), metadata: refOfTwin },
        { signal: NEVER },
      );
      // As an object whose fields we own already, so that the server refuses the change itself.
      const { managedFields: _, ...metadata } = created.metadata as KubeObject['metadata'] & {
        managedFields?: unknown;
      };
      const seen = { ...created, metadata };
      const mine = (value: string): KubeObject => ({ ...withTwin(namespace, value), metadata: refOfTwin });
      await cluster().patch(refOf(seen), { metadata: { annotations: { 'example.com/by': 'another' } } });
      expect(isConflictOrReplaced(await failure(changeObject(cluster(), mine('2'), seen, NEVER)))).toBe(true);
    });

    test('does not delete what was written since it was seen', async () => {
      const { metadata } = await createObject(cluster(), config('wanted-again'), { signal: NEVER });
      const { uid = '', resourceVersion = '' } = metadata;
      await cluster().patch(refOf(config('wanted-again')), {
        metadata: { annotations: { 'example.com/by': 'another' } },
      });
      const error = await failure(cluster().delete(refOf(config('wanted-again')), { uid, resourceVersion }));
      expect(isConflictOrReplaced(error)).toBe(true);
      expect(await cluster().get(refOf(config('wanted-again')))).toBeDefined();
    });
  });

  describe('taking fields over', () => {
    test('from an object that was changed since is a conflict', async () => {
      const created = await cluster().create(config('stale'));
      await cluster().patch(refOf(created), { data: { z: '1' } });
      expect(isConflictOrReplaced(await failure(takeOverFields(cluster(), created, NEVER)))).toBe(true);
    });

    test('twice is done once', async () => {
      const owned = await takeOverFields(cluster(), await cluster().create(config('owned')), NEVER);
      expect(await takeOverFields(cluster(), owned, NEVER)).toBe(owned);
    });
  });

  describe('deleting', () => {
    test('by the uid of another object deletes nothing', async () => {
      const created = await cluster().create(config('kept'));
      expect(await cluster().delete(refOf(created), { uid: '00000000-0000-0000-0000-000000000000' })).toBeUndefined();
      expect(await cluster().get(refOf(created))).toBeDefined();
    });

    test('a dry run leaves the object as it is', async () => {
      const created = await cluster().create(config('spared'));
      const { uid = '' } = created.metadata;
      await cluster().delete(refOf(created), { uid, dryRun: true });
      expect((await cluster().get(refOf(created)))?.metadata).toMatchObject(created.metadata);
    });

    test('what is gone is a success', async () => {
      expect(await cluster().delete(refOf(config('never')))).toBeUndefined();
    });

    test('what a finalizer holds answers the object', async () => {
      const object = config('held');
      await cluster().create({ ...object, metadata: { ...object.metadata, finalizers: ['example.com/hold'] } });
      const left = await cluster().delete(refOf(object));
      expect(left?.metadata).toMatchObject({ finalizers: ['example.com/hold'] });
      expect(left?.metadata.deletionTimestamp).toBeDefined();
      await cluster().patch(refOf(object), { metadata: { finalizers: null } });
      expect(await cluster().get(refOf(object))).toBeUndefined();
    });
  });

  describe('listing', () => {
    test('finds Secrets by label and type, without their contents where only metadata is asked for', async () => {
      const labels = { 'example.com/of': 'listing' };
      const secret = (name: string, type: string): KubeObject =>
        sample('v1', 'Secret', name, { metadata: { name, namespace, labels }, type, data: { x: 'eA==' } });
      const made = await cluster().create(secret('listed', 'example.com/ours'));
      await cluster().create(secret('of-another-type', 'Opaque'));
      const found = await cluster().list(
        { apiVersion: 'v1', kind: 'Secret' },
        {
          namespace,
          labelSelector: 'example.com/of=listing',
          fieldSelector: 'type=example.com/ours',
          metadataOnly: true,
        },
      );
      expect(found.map(({ metadata }) => metadata.uid)).toEqual([made.metadata.uid]);
      expect(found[0]).not.toHaveProperty('data');
    });

    test('by name finds the one object in its namespace', async () => {
      const created = await cluster().create(config('listed'));
      await cluster().create(config('listed-too'));
      const kind = { apiVersion: 'v1', kind: 'ConfigMap' };
      const found = await cluster().list(kind, { namespace, fieldSelector: 'metadata.name=listed' });
      expect(found.map(({ metadata }) => metadata.uid)).toEqual([created.metadata.uid]);
      expect(await cluster().list(kind, { namespace, fieldSelector: 'metadata.name=never' })).toEqual([]);
    });
  });

  describe('kinds', () => {
    test.each([
      { apiVersion: 'v1', kind: 'ConfigMap', scope: true },
      { apiVersion: 'v1', kind: 'Namespace', scope: false },
      { apiVersion: 'nothing.example.com/v1', kind: 'Nothing', scope: undefined },
    ])('$kind is namespaced: $scope', async ({ apiVersion, kind, scope }) => {
      expect(await cluster().isNamespaced({ apiVersion, kind })).toBe(scope);
    });

    test('an object of a kind that is not served is not there', async () => {
      const ref = { apiVersion: 'nothing.example.com/v1', kind: 'Nothing', namespace, name: 'x' };
      expect(await cluster().get(ref)).toBeUndefined();
    });
  });
}

/** A Pod template in which an environment variable appears twice; no controller acts on it. */
function withTwin(namespace: string, value: string): KubeObject {
  const env = ['0', value].map((each) => ({ name: 'TWIN', value: each }));
  const spec = { containers: [{ name: 'a', image: 'registry.example/a:1', env }] };
  return sample('v1', 'PodTemplate', 'twin', { namespace, template: { metadata: { labels: { app: 'twin' } }, spec } });
}

function managers(object: KubeObject): string[] {
  const { managedFields = [] } = object.metadata as { managedFields?: readonly ManagedFields[] };
  return managedFields.map(({ manager = '', operation = '' }) => `${manager} ${operation}`);
}

/** The error that a promise rejects with. */
async function failure(promise: Promise<unknown>): Promise<unknown> {
  return promise.then(
    () => expect.fail('nothing was refused'),
    (error: unknown) => error,
  );
}
