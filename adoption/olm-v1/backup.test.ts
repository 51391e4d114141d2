/** A backup is read as it was written, and a Secret that a person changed is refused. */
import { gzipSync } from 'node:zlib';
import { describe, expect, test } from 'vitest';
import { ReasonedError } from '../../api/errors.ts';
import type { KubeObject } from '../../api/object.ts';
import { NEVER } from '../../api/testing/never.ts';
import { createFakeCluster } from '../../kube/testing/fake-cluster.ts';
import { backupsOf, endHandOver, readBackup, writeBackup, type Backup } from './backup.ts';
import { extensionOf, surveyOf } from './testing/extension.ts';
import { translateExtension } from './translate.ts';

const { manifest: wanted } = translateExtension(surveyOf(), { name: 'gadget' });
const backup: Backup = {
  extension: 'gadget',
  olm: extensionOf(),
  wanted,
  range: '1.x',
  objects: [{ apiVersion: 'v1', kind: 'Service', namespace: 'ops', name: 'one' }],
  isEnded: false,
};
const name = { extension: 'gadget', kept: 'slipway-system' };
const packed = (value: unknown): string => gzipSync(JSON.stringify(value)).toString('base64');

describe('a backup', () => {
  test('is read as it was written, and as ended once it is', () => {
    const secret = writeBackup(backup, name.kept);
    expect(readBackup(secret, name)).toEqual(backup);
    const { annotations } = endHandOver()['metadata'] as { readonly annotations: Record<string, string> };
    const ended = { ...secret, metadata: { ...secret.metadata, annotations } };
    expect(readBackup(ended, name)).toEqual({ ...backup, isEnded: true });
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
});

test('a backup that no Secret can hold is refused, with the part that can be removed', () => {
  const text = Array.from({ length: 120_000 }, (_, at) => String(Math.sin(at))).join('');
  const large = { ...backup, olm: extensionOf({ metadata: { annotations: { note: text } } }) };
  const write = (): KubeObject => writeBackup(large, name.kept);
  expect(write).toThrow(ReasonedError);
  expect(write).toThrow('the backup of ClusterExtension.olm.operatorframework.io gadget exceeds the size of a Secret');
});

describe('a Secret that is no backup is refused', () => {
  test.each([
    { because: 'it has no data', data: undefined },
    { because: 'it is no compressed text', data: { 'backup.json.gz': 'aGVsbG8=' } },
    { because: 'it lacks fields', data: { 'backup.json.gz': packed({ extension: 'gadget' }) } },
    { because: 'it is of another one', data: { 'backup.json.gz': packed({ ...backup, extension: 'lamp' }) } },
    {
      because: 'it would create an object of another kind',
      data: { 'backup.json.gz': packed({ ...backup, wanted: { ...wanted, kind: 'ClusterRoleBinding' } }) },
    },
    {
      because: 'it would create an object of another kind on the way back',
      data: { 'backup.json.gz': packed({ ...backup, olm: { ...backup.olm, kind: 'ClusterCatalog' } }) },
    },
    {
      because: 'it would create another ClusterExtension on the way back',
      data: { 'backup.json.gz': packed({ ...backup, olm: { ...backup.olm, metadata: { name: 'lamp' } } }) },
    },
  ])('$because', ({ data }) => {
    const secret: KubeObject = { apiVersion: 'v1', kind: 'Secret', metadata: { name: 'x', namespace: 'y' }, data };
    const read = (): Backup => readBackup(secret, name);
    expect(read).toThrow(ReasonedError);
    expect(read).toThrow('cannot be read');
  });
});
