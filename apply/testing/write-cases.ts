/**
 * The writes of write.ts, as tests that run against the fake API server and against the real one: write.test.ts and
 * apply.cluster.test.ts. The rules of the server itself are in kube/testing/api-server-rules.ts.
 */
import { NEVER } from '../../api/testing/never.ts';
import { refusal } from '../../api/testing/refusal.ts';
import { describe, expect, test } from 'vitest';
import { refOf, type KubeObject } from '../../api/object.ts';
import { isAlreadyExists, isConflictOrReplaced, isNotFound } from '../../api/api-answers.ts';
import type { Cluster } from '../../api/cluster.ts';
import { changeObject, createObject, takeOverFields, withUid } from '../write.ts';
import { sample, sampleCrd } from './sample-objects.ts';

interface ManagedFields {
  readonly manager?: string;
  readonly operation?: string;
}

/** Declares the tests; each calls `cluster`, and `namespace` exists. */
export function describeWrites(cluster: () => Cluster, namespace: string): void {
  const config = (name: string, data: Record<string, string> = { x: '1' }): KubeObject =>
    sample('v1', 'ConfigMap', name, { namespace, data });

  describe('creating an object', () => {
    test('a created object has only fields that a later change can take away', async () => {
      const created = await createObject(cluster(), config('made', { x: '1', y: '1' }), { signal: NEVER });
      expect(managers(created)).toEqual(['slipway Apply']);
      const changed = await changeObject(cluster(), config('made'), created, { signal: NEVER });
      expect(changed['data']).toEqual({ x: '1' });
    });

    test('creating an object that exists is a conflict, in a dry run too, even if it is the same', async () => {
      await cluster().create(config('there'));
      for (const dryRun of [true, false]) {
        expect(
          isConflictOrReplaced(await failure(createObject(cluster(), config('there'), { signal: NEVER, dryRun }))),
        ).toBe(true);
      }
    });

    test('a dry run of a creation leaves nothing behind', async () => {
      await createObject(cluster(), config('tried'), { signal: NEVER, dryRun: true });
      expect(await cluster().get(refOf(config('tried')))).toBeUndefined();
    });

    test('of many creations at once, one wins', async () => {
      const racers = ['1', '2', '3', '4', '5', '6', '7', '8'].map((x) =>
        createObject(cluster(), config('raced', { x }), { signal: NEVER }),
      );
      const settled = await Promise.allSettled(racers);
      expect(settled.filter(({ status }) => status === 'fulfilled')).toHaveLength(1);
    });

    test('an object that cannot be merged is created and changed plainly, and never overwrites another object', async () => {
      const created = await createObject(cluster(), withTwin(namespace, '1'), { signal: NEVER });
      expect(isAlreadyExists(await failure(createObject(cluster(), withTwin(namespace, '2'), { signal: NEVER })))).toBe(
        true,
      );
      const changed = await changeObject(cluster(), withTwin(namespace, '3'), created, { signal: NEVER });
      expect(JSON.stringify(changed['template'])).toContain('"value":"3"');
      // As an object whose fields we own already, so that the server refuses the change itself.
      const { managedFields: _managedFields, ...metadata } = created.metadata as KubeObject['metadata'] & {
        managedFields?: unknown;
      };
      const other = { ...created, metadata: { ...metadata, uid: '00000000-0000-0000-0000-000000000000' } };
      expect(
        isConflictOrReplaced(
          await failure(changeObject(cluster(), withTwin(namespace, '4'), other, { signal: NEVER })),
        ),
      ).toBe(true);
    });
  });

  describe('applying an object', () => {
    test('an apply that is bound to the uid of another object is a conflict, and changes nothing', async () => {
      const created = await cluster().create(config('bound'));
      const other = { ...created, metadata: { ...created.metadata, uid: '00000000-0000-0000-0000-000000000000' } };
      const error = await failure(cluster().apply(withUid(config('bound', { x: '2' }), other), { force: true }));
      expect(isConflictOrReplaced(error)).toBe(true);
      expect(await cluster().get(refOf(created))).toMatchObject({ data: { x: '1' } });
    });

    test('an apply that is bound to the uid of an object that is gone makes no new one', async () => {
      const created = await cluster().create(config('vanished'));
      await cluster().delete(refOf(created));
      const error = await failure(cluster().apply(withUid(config('vanished'), created), { force: true }));
      expect(isConflictOrReplaced(error) || isNotFound(error)).toBe(true);
      expect(await cluster().get(refOf(created))).toBeUndefined();
    });

    test('an apply takes away fields that it no longer names once they are taken over, and not before', async () => {
      const created = await cluster().create(config('less', { x: '1', y: '1' }));
      const before = await cluster().apply(config('less'), { force: true, dryRun: true });
      expect(before['data']).toEqual({ x: '1', y: '1' });
      await takeOverFields(cluster(), created, NEVER);
      const after = await cluster().apply(config('less'), { force: true });
      expect(after['data']).toEqual({ x: '1' });
      expect(managers(after)).toEqual(['slipway Apply']);
    });

    test('the same apply again changes nothing, not even the resourceVersion', async () => {
      await takeOverFields(cluster(), await cluster().create(config('same')), NEVER);
      const first = await cluster().apply(config('same'), { force: true });
      const second = await cluster().apply(config('same'), { force: true });
      expect(second.metadata.resourceVersion).toBe(first.metadata.resourceVersion);
    });
  });

  describe('a write that arrives late', () => {
    test('a late change leaves an object as it is that was written since it was seen', async () => {
      const seen = await createObject(cluster(), config('rewritten', { x: '1' }), { signal: NEVER });
      await changeObject(cluster(), config('rewritten', { x: '2' }), seen, { signal: NEVER });
      expect(
        isConflictOrReplaced(
          await failure(changeObject(cluster(), config('rewritten', { x: '1' }), seen, { signal: NEVER })),
        ),
      ).toBe(true);
      expect(await cluster().get(refOf(seen))).toMatchObject({ data: { x: '2' } });
    });

    test('a late change leaves an object as it is that cannot be merged and was written since it was seen', async () => {
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
      expect(isConflictOrReplaced(await failure(changeObject(cluster(), mine('2'), seen, { signal: NEVER })))).toBe(
        true,
      );
    });
  });

  describe('a CRD that another program has made with a conversion webhook of its own', () => {
    const planted = (kind: string, clientConfig: object): Promise<KubeObject> => {
      const webhook = { clientConfig, conversionReviewVersions: ['v1'] };
      return cluster().apply(converted(kind, { strategy: 'Webhook', webhook }), { fieldManager: 'other' });
    };
    const conversionOf = async (kind: string): Promise<unknown> =>
      (await cluster().get(refOf(sampleCrd(kind))))?.['spec'];
    /** Again if a controller of the API server has written the status of the CRD meanwhile. */
    const change = async (object: KubeObject, isTakenOver: boolean, by = cluster()): Promise<void> => {
      for (;;) {
        const live = (await cluster().get(refOf(object)))!;
        const error = await changeObject(by, object, live, { isTakenOver, signal: NEVER }).catch((e: unknown) => e);
        if (!isConflictOrReplaced(error)) return expect(error).not.toBeInstanceOf(Error);
      }
    };

    test('the API server refuses an apply that turns the conversion off beside the webhook', async () => {
      await planted('Refused', { service: SERVICE });
      const error = await failure(cluster().apply(converted('Refused', { strategy: 'None' }), { force: true }));
      expect(error).toMatchObject({ code: 422 });
    });

    test('a change of the CRD ends the conversion, although the manifest names none', async () => {
      await planted('Planted', { service: SERVICE });
      await change(sampleCrd('Planted'), true);
      expect(await conversionOf('Planted')).toMatchObject({ conversion: { strategy: 'None' } });
      expect(JSON.stringify(await conversionOf('Planted'))).not.toContain(SERVICE.name);
    });

    test('the conversion stays while the API server refuses the rest of the change', async () => {
      const live = await planted('Stays', { service: SERVICE });
      const refusing: Cluster = {
        ...cluster(),
        apply: () => Promise.reject(refusal(422, 'Invalid', 'storedVersions')),
      };
      await failure(changeObject(refusing, sampleCrd('Stays'), live, { isTakenOver: true, signal: NEVER }));
      expect(JSON.stringify(await conversionOf('Stays'))).toContain(SERVICE.name);
    });

    test('a change of the CRD replaces the address of the webhook by the one of the manifest', async () => {
      await planted('Moved', { url: 'https://stranger.example/convert' });
      const webhook = { clientConfig: { service: { ...SERVICE, name: 'mine' } }, conversionReviewVersions: ['v1'] };
      await change(converted('Moved', { strategy: 'Webhook', webhook }), true);
      expect(JSON.stringify(await conversionOf('Moved'))).toContain('"name":"mine"');
      expect(JSON.stringify(await conversionOf('Moved'))).not.toContain('stranger');
    });

    test('a conversion that another program sets later stays', async () => {
      await createObject(cluster(), sampleCrd('Kept'), { signal: NEVER });
      const webhook = { clientConfig: { service: SERVICE }, conversionReviewVersions: ['v1'] };
      const mine = { fieldManager: 'other', force: true };
      await cluster().apply(converted('Kept', { strategy: 'Webhook', webhook }), mine);
      await change(sampleCrd('Kept'), false);
      expect(JSON.stringify(await conversionOf('Kept'))).toContain(SERVICE.name);
    });

    test('a conversion that the earlier manifest had goes with the change itself', async () => {
      const webhook = { clientConfig: { service: SERVICE }, conversionReviewVersions: ['v1'] };
      const made = converted('Former', { strategy: 'Webhook', webhook });
      await createObject(cluster(), made, { signal: NEVER });
      const patchless: Cluster = { ...cluster(), patch: () => expect.fail('a change needs no patch') };
      await change(sampleCrd('Former'), false, patchless);
      expect(JSON.stringify(await conversionOf('Former'))).not.toContain(SERVICE.name);
    });
  });

  describe('taking fields over', () => {
    test('taking fields over from an object that was changed since is a conflict', async () => {
      const created = await cluster().create(config('stale'));
      await cluster().patch(refOf(created), { data: { z: '1' } });
      expect(isConflictOrReplaced(await failure(takeOverFields(cluster(), created, NEVER)))).toBe(true);
    });

    test('fields that were taken over are not taken over again', async () => {
      const owned = await takeOverFields(cluster(), await cluster().create(config('owned')), NEVER);
      expect(await takeOverFields(cluster(), owned, NEVER)).toBe(owned);
    });
  });
}

/** The Service of a stranger. */
const SERVICE = { namespace: 'default', name: 'stranger', path: '/', port: 443 };

function converted(kind: string, conversion: object): KubeObject {
  const crd = sampleCrd(kind);
  return { ...crd, spec: { ...(crd['spec'] as object), conversion } };
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
