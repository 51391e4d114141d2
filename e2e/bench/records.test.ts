import { gunzipSync } from 'node:zlib';
import { expect, test } from 'vitest';
import { Revision } from '../../api/revision.ts';
import { formatTable, rowsOfRecords } from './budgets.ts';
import type { FloorRun } from './floor.ts';
import { intentOf, outcomeOf, recordsOf, type Recorded } from './records.ts';

const OBJECTS = [
  { apiVersion: 'v1', kind: 'Service', metadata: { namespace: 'one', name: 'metrics' } },
  { apiVersion: 'rbac.authorization.k8s.io/v1', kind: 'ClusterRole', metadata: { name: 'reader' } },
];
const RECORDED: Recorded = { name: 'one', version: '1.2.3', number: 2, objects: OBJECTS };

test.for([
  { because: 'the objects are about to be written', status: intentOf(RECORDED) },
  { because: 'all of them work', status: outcomeOf(RECORDED, new Date('2026-11-23T12:00:00Z')) },
])('a Revision of the floor has the form of those of the manager if $because', ({ status }) => {
  const { revision } = recordsOf(RECORDED);
  expect(Revision.parse({ ...revision, status })).toMatchObject({ status });
});

test('the Secret that a Revision of the floor names holds its objects', () => {
  const { secret, revision } = recordsOf(RECORDED);
  expect(revision.spec.manifests.secrets).toEqual([secret.metadata.name]);
  const { manifests } = secret['data'] as { readonly manifests: string };
  expect(JSON.parse(gunzipSync(Buffer.from(manifests, 'base64')).toString())).toEqual(OBJECTS);
});

test('the inventory of an intent names no uid, and that of an outcome one for each object', () => {
  const uids = [intentOf(RECORDED), outcomeOf(RECORDED, new Date(0))].map(({ inventory }) =>
    inventory?.map(({ uid }) => uid !== ''),
  );
  expect(uids).toEqual([
    [false, false],
    [true, true],
  ]);
});

test('the floor with records is printed beside the floor, for each operation: how many times as long it takes', () => {
  const run = (seconds: number, requests: number): FloorRun => {
    const cost = { seconds, requests };
    return { install: cost, upgrade: cost, removal: cost };
  };
  const rows = rowsOfRecords('one', run(2, 4), run(3, 10));
  expect(rows.map(({ what, unit, floor, measured }) => [what, unit, floor, measured])).toEqual(
    ['install', 'upgrade', 'removal'].flatMap((lap) => [
      [`one: ${lap}, floor with records`, 's', 2, 3],
      [`one: ${lap}, floor with records`, 'requests', 4, 10],
    ]),
  );
  expect(formatTable(rows)).toContain('1.50');
});
