/** A backup is read as it was written, and a Secret that a person changed is refused. */
import { gzipSync } from 'node:zlib';
import { describe, expect, test } from 'vitest';
import { ReasonedError } from '../../api/errors.ts';
import type { KubeObject } from '../../api/object.ts';
import { NEVER } from '../../api/testing/never.ts';
import { fieldsOf } from '../../api/untyped.ts';
import { createFakeCluster } from '../../kube/testing/fake-cluster.ts';
import { backupsOf, beginWayBack, endHandOver, makeBackup, readBackup, writeBackup } from './backup.ts';
import { csvOf, subscriptionOf, surveyOf } from './testing/survey.ts';
import { translateSubscription } from './translate.ts';

const operator = { namespace: 'ops', subscription: 'gadget', package: 'gadget-operator', csv: 'gadget.v1' };
const marked: KubeObject = {
  apiVersion: 'v1',
  kind: 'Service',
  metadata: {
    name: 'one',
    namespace: 'ops',
    labels: { 'olm.managed': 'true' },
    annotations: { 'operatorframework.io/x': 'y', 'large.example/note': 'not kept' },
  },
};
const survey = { ...surveyOf(), subscription: subscriptionOf(), csv: csvOf('gadget.v1') };
const { manifest: wanted } = translateSubscription(survey, { name: 'gadget', version: '1.0.0' });
const backup = makeBackup(survey, operator, { wanted, objects: [marked] });

function secretWith(data: unknown): KubeObject {
  return { apiVersion: 'v1', kind: 'Secret', metadata: { name: 'slipway-adoption-gadget', namespace: 'ops' }, data };
}

const name = { namespace: 'ops', subscription: 'gadget', kept: 'slipway-system' };
const packed = (value: unknown): string => gzipSync(JSON.stringify(value)).toString('base64');

describe('a backup', () => {
  test('is read as it was written', () => {
    expect(readBackup(writeBackup(backup, name.kept), name)).toEqual(backup);
  });

  test('has the marks of each object, and no other annotations', () => {
    const [object] = backup.objects;
    expect(object?.annotations).toEqual({ 'operatorframework.io/x': 'y' });
  });

  test('says how far the hand-over is, and has the objects of Slipway once the way back has begun', () => {
    const secret = writeBackup(backup, name.kept);
    const patched = (patch: object): KubeObject => ({
      ...secret,
      metadata: { ...secret.metadata, ...fieldsOf(fieldsOf(patch)['metadata']) },
      data: { ...fieldsOf(secret['data']), ...fieldsOf(fieldsOf(patch)['data']) },
    });
    const wayBack = {
      subscription: 'u',
      revision: 'gadget-1',
      managed: [{ apiVersion: 'v1', kind: 'Service', namespace: 'ops', name: 'one' }],
    };
    expect(backup.stage).toBe('HandingOver');
    expect(readBackup(patched(endHandOver()), name)).toEqual({ ...backup, stage: 'HandedOver' });
    expect(readBackup(patched(beginWayBack(wayBack)), name)).toEqual({ ...backup, stage: 'HandingBack', wayBack });
  });

  test('is found in the namespace of the manager, and one that was changed by hand is left out', async () => {
    const cluster = createFakeCluster();
    cluster.put({ apiVersion: 'v1', kind: 'Namespace', metadata: { name: name.kept } });
    const secret = writeBackup(backup, name.kept);
    cluster.put(secret);
    cluster.put({
      ...secret,
      metadata: { ...secret.metadata, name: 'changed' },
      data: { 'backup.json.gz': 'aGVsbG8=' },
    });
    cluster.put({ ...secret, metadata: { name: 'another', namespace: name.kept } });
    expect(await backupsOf(cluster, name.kept, NEVER)).toEqual([name]);
  });

  test('that no Secret can hold is refused', () => {
    const text = Array.from({ length: 120_000 }, (_, at) => String(Math.sin(at))).join('');
    const csv = csvOf('gadget.v1', { spec: { icon: text } });
    const large = makeBackup({ ...survey, csv }, operator, { wanted, objects: [] });
    expect(() => writeBackup(large, name.kept)).toThrow('exceeds the size of a Secret');
  });
});

describe('a Secret that is no backup is refused', () => {
  test.each([
    { because: 'it has no data', data: undefined },
    { because: 'it is no compressed text', data: { 'backup.json.gz': 'aGVsbG8=' } },
    { because: 'it lacks fields', data: { 'backup.json.gz': packed({ operator }) } },
    {
      because: 'it would create an object of another kind',
      data: { 'backup.json.gz': packed({ ...backup, wanted: { ...wanted, kind: 'ClusterRoleBinding' } }) },
    },
    {
      because: 'it would create an object in another namespace',
      data: {
        'backup.json.gz': packed({ ...backup, wanted: { ...wanted, metadata: { name: 'x', namespace: 'else' } } }),
      },
    },
    {
      because: 'it would create an object beside the OperatorCondition',
      data: { 'backup.json.gz': packed({ ...backup, operatorCondition: marked }) },
    },
    {
      because: 'it is of another namespace',
      data: { 'backup.json.gz': packed({ ...backup, operator: { ...operator, namespace: 'else' } }) },
    },
  ])('$because', ({ data }) => {
    expect(() => readBackup(secretWith(data), name)).toThrow(ReasonedError);
  });
});
