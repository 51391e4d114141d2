import { describe, expect, test } from 'vitest';
import { refusal } from '../../../api/testing/refusal.ts';
import { sample } from '../../../apply/testing/sample-objects.ts';
import { askRights, awaitAccess } from './rights.ts';

const never = new AbortController().signal;
const widget = sample('example.com/v1', 'Widget', 'a', { namespace: 'ops' });
const config = sample('v1', 'ConfigMap', 'a', { namespace: 'ops' });

/** Rejects so many reads, like an API server that has not read the rule yet. */
function refusing(times: number): {
  readonly asked: string[];
  readonly get: (ref: { kind: string }) => Promise<undefined>;
} {
  const asked: string[] = [];
  return {
    asked,
    get: async ({ kind }) => {
      asked.push(kind);
      if (asked.length <= times) throw refusal(403, 'Forbidden', 'no');
      return undefined;
    },
  };
}

describe('rights that the manager has just given itself', () => {
  test('the manager waits until the API server has read its new rights, once for each kind', async () => {
    const cluster = refusing(2);
    expect(await awaitAccess(cluster, [widget, { ...widget }, config], { signal: never })).toEqual([]);
    expect(cluster.asked).toEqual(['Widget', 'Widget', 'Widget']);
  });

  test('the manager does not wait for ever for its rights: objects that it may not write are named', async () => {
    const unready = await awaitAccess(refusing(100), [widget], { signal: never, patienceMs: 50 });
    expect(unready).toMatchObject([{ ref: { kind: 'Widget', name: 'a' }, health: { state: 'Progressing' } }]);
  });
});

describe('rights that are there already', () => {
  test.each([
    { because: 'the operator that converts the object comes later', code: 500, reason: 'InternalError' },
    { because: 'the kind is not served yet', code: 404, reason: 'NotFound' },
  ])('are no obstacle if $because', async ({ code, reason }) => {
    const get = (): Promise<never> => Promise.reject(refusal(code, reason, 'conversion webhook failed'));
    expect(await awaitAccess({ get }, [widget], { signal: never })).toEqual([]);
  });

  test('are unknown if no answer comes: that is retried', async () => {
    const get = (): Promise<never> => Promise.reject(refusal(0, '', 'no answer'));
    await expect(awaitAccess({ get }, [widget], { signal: never })).rejects.toThrow('no answer');
  });
});

describe('rights of an account', () => {
  const account = { namespace: 'ops', name: 'installer' };
  const kinds = new Map([['Widget.example.com', { plural: 'widgets', namespaced: true }]]);

  test('rights of an account that cannot be checked are left to the API server', async () => {
    const ask = askRights({ account, allows: async () => undefined, kinds }, never);
    expect(await ask(widget, ['create', 'patch'])).toBeUndefined();
  });

  test('rights of an account are checked in the namespace of the object, and by its name once it exists', async () => {
    const asked: unknown[] = [];
    const allows = async (access: unknown): Promise<boolean> => (asked.push(access), true);
    await askRights({ account, allows, kinds }, never)(widget, ['create', 'patch']);
    const common = { group: 'example.com', resource: 'widgets', namespace: 'ops' };
    expect(asked).toEqual([
      { verb: 'create', ...common },
      { verb: 'patch', ...common, name: 'a' },
    ]);
  });
});
