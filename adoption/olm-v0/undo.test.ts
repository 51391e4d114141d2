/** When an operator is handed back, and when it is not. */
import { beforeEach, describe, expect, test } from 'vitest';
import type { Cluster } from '../../api/cluster.ts';
import { API_VERSION } from '../../api/names.ts';
import { refOf, type KubeObject } from '../../api/object.ts';
import { NEVER } from '../../api/testing/never.ts';
import { fieldsOf } from '../../api/untyped.ts';
import { identityOf } from '../../apply/identity.ts';
import { beginWayBack, endHandOver, makeBackup, writeBackup } from './backup.ts';
import { csvOf, ofOlm, subscriptionOf, surveyOf } from './testing/survey.ts';
import { translateSubscription } from './translate.ts';
import { Undo } from './undo.ts';

const name = { namespace: 'ops', subscription: 'gadget', kept: 'slipway-system' };
const operator = { namespace: 'ops', subscription: 'gadget', package: 'gadget-operator', csv: 'gadget.v1' };
const survey = { ...surveyOf(), subscription: subscriptionOf(), csv: csvOf('gadget.v1') };
const { manifest: wanted } = translateSubscription(survey, { name: 'gadget', version: '1.0.0' });
const backup = writeBackup(makeBackup(survey, operator, { wanted, objects: [] }), name.kept);
const wayBack = { subscription: 'u1', revision: 'gadget-1', managed: [] };

let objects: Map<string, KubeObject>;
let writes: string[];
/** Of the Subscription that the last patch and the last deletion were bound to. */
let bound: readonly unknown[];
/** Fields that the API server drops. */
let isOld: boolean;

beforeEach(() => {
  objects = new Map();
  writes = [];
  bound = [];
  isOld = false;
  for (const object of [stage(endHandOver()), slipways(), ofOlm('operatorGroup', 'all'), revision()]) put(object);
});

function put(object: KubeObject): void {
  objects.set(identityOf(refOf(object)), object);
}

function stage(patch: object): KubeObject {
  const { metadata, data } = fieldsOf(patch);
  return {
    ...backup,
    metadata: { ...backup.metadata, ...fieldsOf(metadata) },
    data: { ...fieldsOf(backup['data']), ...fieldsOf(data) },
  };
}

function slipways(status: object = {}, metadata: object = {}): KubeObject {
  return {
    ...wanted,
    metadata: { ...wanted.metadata, uid: 'u1', generation: 2, ...metadata },
    status: {
      observedGeneration: 2,
      installed: { bundle: 'gadget.v1', version: '1.0.0', revision: 'gadget-1' },
      conditions: [{ type: 'Ready', status: 'True', message: 'it works' }],
      ...status,
    },
  };
}

function revision(): KubeObject {
  const inventory = [{ apiVersion: 'v1', kind: 'Service', namespace: 'ops', name: 'gadget', uid: 's', hash: 'h' }];
  return {
    apiVersion: API_VERSION,
    kind: 'Revision',
    metadata: { name: 'gadget-1', namespace: 'ops' },
    status: { inventory },
  };
}

function undo(): Undo {
  const cluster = {
    get: async (ref) => objects.get(identityOf(ref)),
    list: async ({ kind, apiVersion }) =>
      [...objects.values()].filter((one) => one.kind === kind && one.apiVersion === apiVersion),
    patch: async (ref, patch) => {
      writes.push(`patch ${ref.kind}`);
      bound = [...bound, fieldsOf(fieldsOf(patch)['metadata'])['resourceVersion']];
      const live = objects.get(identityOf(ref)) as KubeObject;
      const spec = isOld ? live['spec'] : { ...fieldsOf(live['spec']), ...fieldsOf(fieldsOf(patch)['spec']) };
      return { ...live, metadata: { ...live.metadata, resourceVersion: '7' }, spec };
    },
    delete: async (ref, preconditions) => {
      writes.push(`delete ${ref.kind}`);
      bound = [...bound, preconditions?.resourceVersion];
    },
  } as Pick<Cluster, 'get' | 'list' | 'patch' | 'delete'> as Cluster;
  return new Undo({ cluster, name, now: () => new Date(0), signal: NEVER });
}

describe('an operator is not handed back', () => {
  test.each([
    { because: 'its hand-over has not ended', change: () => put(backup), says: 'it is not handed over' },
    {
      because: 'it was uninstalled since',
      change: () => objects.delete(identityOf(refOf(slipways()))),
      says: 'it is not handed over',
    },
    {
      because: 'it was upgraded since',
      change: () => put(slipways({ installed: { bundle: 'gadget.v2', version: '2.0.0', revision: 'gadget-2' } })),
      says: 'gadget.v2 is installed, and OLM had gadget.v1',
    },
    {
      because: 'an upgrade is under way',
      change: () => put(slipways({ pending: { bundle: 'gadget.v2', version: '2.0.0', reason: 'Progressing' } })),
      says: 'gadget.v2 comes next',
    },
    {
      because: 'its status is of an earlier spec',
      change: () => put(slipways({ observedGeneration: 1 })),
      says: 'not Ready',
    },
    {
      because: 'OLM would have no target namespaces',
      change: () => objects.delete(identityOf(refOf(ofOlm('operatorGroup', 'all')))),
      says: '0 OperatorGroups',
    },
    {
      because: 'it was upgraded after the way back had begun',
      change: () => {
        put(stage(beginWayBack(wayBack)));
        put(slipways({ installed: { bundle: 'gadget.v2', version: '2.0.0', revision: 'gadget-2' } }));
      },
      says: 'gadget.v2 is installed',
    },
    {
      because: 'GitOps made the Subscription again',
      change: () => {
        put(stage(beginWayBack(wayBack)));
        put(csvOf('gadget.v1'));
        put(slipways({}, { uid: 'u2' }));
      },
      says: 'was created again since',
    },
  ])('$because', async ({ change, says }) => {
    change();
    await expect(undo().next()).rejects.toThrow(says);
    expect(writes).toEqual([]);
  });
});

describe("Slipway's Subscription is deleted by a person in the middle of the way back", () => {
  const deletionTimestamp = '2026-11-23T00:00:00Z';
  const deleted = (status: object = {}, uninstall?: object): KubeObject => {
    const live = slipways(status, { deletionTimestamp });
    return { ...live, spec: { ...fieldsOf(live['spec']), ...(uninstall !== undefined && { uninstall }) } };
  };
  const other = { installed: { bundle: 'gadget.v1', version: '1.0.0', revision: 'gadget-3' } };
  const leaving = { objects: 'Orphan' };
  const owned = (uid: string): KubeObject => {
    const owner = { apiVersion: API_VERSION, kind: 'Subscription', name: 'gadget', uid, controller: true };
    const { metadata, ...rest } = revision();
    return { ...rest, metadata: { ...metadata, ownerReferences: [owner] } };
  };

  test.each<{ because: string; begun: boolean; own?: KubeObject; revision?: KubeObject; step: string; sent: string[] }>(
    [
      {
        because: 'before the way back: it is uninstalled',
        begun: false,
        own: deleted(),
        step: 'AwaitOrphaned',
        sent: [],
      },
      {
        because: 'its objects would be deleted',
        begun: true,
        own: deleted(),
        step: 'Orphan',
        sent: ['patch Subscription'],
      },
      {
        because: 'the list is of another Revision',
        begun: true,
        own: deleted(other),
        step: 'KeepList',
        sent: ['patch Secret'],
      },
      { because: 'its objects stay anyway', begun: true, own: deleted({}, leaving), step: 'AwaitOrphaned', sent: [] },
      {
        because: 'its Revision is left without it',
        begun: true,
        revision: owned('u1'),
        step: 'AwaitOrphaned',
        sent: [],
      },
      {
        because: 'only a Revision of another one is left',
        begun: true,
        revision: owned('u2'),
        step: 'CreateVersion',
        sent: [],
      },
    ],
  )('$step: $because', async ({ begun, own, revision: left, step, sent }) => {
    if (begun) put(stage(beginWayBack(wayBack)));
    if (own === undefined) objects.delete(identityOf(refOf(slipways())));
    else put(own);
    if (left !== undefined) put(left);
    const next = await undo().next();
    expect(next.step).toBe(step);
    if (step !== 'CreateVersion') await undo().carryOut(next.step, next.facts);
    expect(writes).toEqual(sent);
  });

  test.each([
    {
      because: 'another version is installed',
      status: { installed: { bundle: 'gadget.v2', version: '2.0.0', revision: 'gadget-2' } },
    },
    {
      because: 'an upgrade was under way',
      status: { pending: { bundle: 'gadget.v2', version: '2.0.0', reason: 'Progressing' } },
    },
  ])('and no version can be chosen any more, so that the error names the ways out: $because', async ({ status }) => {
    put(stage(beginWayBack(wayBack)));
    put(deleted(status));
    const error: unknown = await undo()
      .next()
      .catch((thrown: unknown) => thrown);
    expect(error).toMatchObject({ reason: 'Collision' });
    expect((error as { hint: string }).hint).toMatch(/spec\.uninstall\.objects: Orphan.*adoption-stage=HandedOver/);
  });
});

test('the Subscription is deleted only as this way back has written it: a stop of it may be faster', async () => {
  put(stage(beginWayBack(wayBack)));
  put(slipways({}, { resourceVersion: '6' }));
  const { step, facts } = await undo().next();
  expect(step).toBe('Orphan');
  await undo().carryOut(step, facts);
  expect(writes).toEqual(['patch Subscription', 'delete Subscription']);
  expect(bound).toEqual(['6', '7']);
});

describe('the list of the objects of Slipway', () => {
  test('is kept before the Subscription is deleted', async () => {
    const { step, facts } = await undo().next();
    expect(step).toBe('KeepList');
    await undo().carryOut(step, facts);
    expect(writes).toEqual(['patch Secret']);
  });

  test('is kept again if another Revision is active', async () => {
    put(stage(beginWayBack(wayBack)));
    expect((await undo().next()).step).toBe('Orphan');
    put(slipways({ installed: { bundle: 'gadget.v1', version: '1.0.0', revision: 'gadget-3' } }));
    expect((await undo().next()).step).toBe('KeepList');
  });
});

test('the OperatorCondition does not go with the Subscription of Slipway, which owns it', async () => {
  put(stage(beginWayBack(wayBack)));
  const owner = { apiVersion: API_VERSION, kind: 'Subscription', name: 'gadget', uid: 'u1' };
  const { apiVersion, kind, metadata } = ofOlm('operatorCondition', 'gadget.v1');
  put({ apiVersion, kind, metadata: { ...metadata, ownerReferences: [owner] } });
  const { step, facts } = await undo().next();
  await undo().carryOut(step, facts);
  expect(writes).toEqual(['patch OperatorCondition', 'patch Subscription', 'delete Subscription']);
});

describe("Slipway's Subscription", () => {
  test.each([
    {
      because: 'the API server knows the field that leaves the objects',
      old: false,
      sent: ['patch Subscription', 'delete Subscription'],
    },
    { because: 'the API server drops the field that leaves the objects', old: true, sent: ['patch Subscription'] },
  ])('$because', async ({ old, sent }) => {
    isOld = old;
    put(stage(beginWayBack(wayBack)));
    const { step, facts } = await undo().next();
    const outcome = await undo()
      .carryOut(step, facts)
      .catch((error: unknown) => String(error));
    expect(writes).toEqual(sent);
    if (old) expect(outcome).toContain('has no field spec.uninstall.objects');
  });
});
