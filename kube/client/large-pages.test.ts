/** Lists of objects that other users have made large: no answer of several objects is read beyond its bound. */
import { beforeEach, expect, test } from 'vitest';
import { unavailable } from '../../api/api-error.ts';
import type { KubeObject } from '../../api/object.ts';
import { createFakeCluster, type FakeCluster } from '../testing/fake-cluster.ts';
import type { Transport } from '../transport/transport.ts';
import { createClient, type Client } from './client.ts';

const KIND = { apiVersion: 'v1', kind: 'ConfigMap' };
/** A byte of the fake API server stands for so many: it needs seconds for objects that are large. */
const SCALE = 1024;
const MIB = 1024;

let cluster: FakeCluster;
let transport: Transport;
let client: Client;
let limits: unknown[];

beforeEach(() => {
  cluster = createFakeCluster();
  limits = [];
  cluster.over((inner) => (transport = bounded(inner)));
  client = createClient(transport);
});

/** Reads no longer answer than the request allows, as the transport over HTTPS. */
function bounded(inner: Transport): Transport {
  return {
    ...inner,
    async request(request) {
      if (request.path.endsWith('/configmaps')) limits.push(request.query?.['limit']);
      const answer = await inner.request(request);
      const { mostBytes = Infinity } = request;
      if (answer.body.length * SCALE <= mostBytes) return answer;
      throw unavailable('read', 'too long', new RangeError(`larger than ${mostBytes} bytes`));
    },
  };
}

/** Objects of about so many bytes, in the scale. */
function put(count: number, bytes: number): void {
  for (let number = 0; number < count; number += 1)
    cluster.put({ ...KIND, metadata: { name: `x${number}`, namespace: 'a' }, data: 'y'.repeat(bytes - 200) });
}

const nameOf = ({ apiVersion, kind, metadata: { name } }: KubeObject): KubeObject => ({ apiVersion, kind, metadata: { name } }); // prettier-ignore

test.each([
  {
    because: 'as many fit into a page as before',
    count: 30,
    bytes: 220,
    keep: nameOf,
    asked: [100],
  },
  {
    because: 'the page shrinks until it fits, and the next pages are as small',
    count: 10,
    bytes: MIB,
    keep: nameOf,
    asked: [100, 25, 7, 7],
  },
  { because: 'a list of whole objects', count: 5, bytes: 2 * MIB, keep: undefined, asked: [500, 125, 32, 8, 2, 2, 2] }, // prettier-ignore
  { because: 'an object that is larger than a page comes alone', count: 2, bytes: 9 * MIB, keep: nameOf, asked: [100, 25, 7, 2, 1, 1] }, // prettier-ignore
])('a list is complete, however large its objects are: $because', async ({ count, bytes, keep, asked }) => {
  put(count, bytes);
  expect(await client.list(KIND, keep === undefined ? {} : { keep })).toHaveLength(count);
  expect(limits).toEqual(asked);
});

test('a list of which the first objects are enough ends with their page', async () => {
  put(60, 201);
  expect(await client.list(KIND, { keep: nameOf, limit: 20 })).toHaveLength(25);
  expect(limits).toEqual([100, 25]);
});

test('an answer that cannot be smaller is an error, and is not asked for again', async () => {
  put(1, 65 * MIB);
  const refused = { reason: 'ApiUnavailable', cause: expect.any(RangeError) as RangeError };
  await expect(client.listPage(KIND, { limit: 1 })).rejects.toMatchObject(refused);
  await expect(client.listPage(KIND)).rejects.toMatchObject(refused);
  expect(limits).toEqual([1, undefined]);
});

test.each([
  { because: 'it fits', mostListBytes: 5000, outcome: 10 },
  { because: 'whole objects would fill the memory', mostListBytes: 2000, outcome: 'list ConfigMap: all objects have more than 2000 bytes. Delete some, or give the program more memory' }, // prettier-ignore
])('a list of whole objects is bounded in all: $because', async ({ mostListBytes, outcome }) => {
  put(10, 400);
  const limited = createClient(transport, { mostListBytes });
  const listed = limited.list(KIND).then(({ length }) => length, ({ message }: Error) => message); // prettier-ignore
  expect(await listed).toBe(outcome);
  expect(await limited.list(KIND, { keep: nameOf })).toHaveLength(10);
});
