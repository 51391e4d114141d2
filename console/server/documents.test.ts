/** However a read of a Catalog fails, its caller gets a reason, so that a view can say it and the process goes on. */
import { createServer, type RequestListener } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterEach, describe, expect, test } from 'vitest';
import { ApiError } from '../../api/api-error.ts';
import { documentsByProxy, documentsOfManager, type ReadDocuments } from './documents.ts';

const QUESTION = { catalog: 'team', query: { schema: 'olm.package' } } as const;
const closing: (() => void)[] = [];
afterEach(() => closing.splice(0).forEach((close) => close()));

async function managerThat(answers: RequestListener): Promise<string> {
  const server = createServer(answers);
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  closing.push(() => {
    server.closeAllConnections();
    server.close();
  });
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

async function all(read: ReadDocuments, raw: () => Promise<string>, signal: AbortSignal): Promise<readonly unknown[]> {
  const found: unknown[] = [];
  for await (const one of read({ raw }, QUESTION, signal)) found.push(one);
  return found;
}

const noRaw = async (): Promise<string> => '';
const soon = (): AbortSignal => AbortSignal.timeout(50);
const never = (): AbortSignal => new AbortController().signal;

const FAILURES: readonly {
  readonly because: string;
  readonly answer: RequestListener;
  readonly signal: () => AbortSignal;
}[] = [
  {
    because: 'the manager ends in the middle of the body',
    signal: never,
    answer: (_, response) => response.write('{"a":1}\n', () => response.destroy()),
  },
  { because: 'the manager ends before it answers', signal: never, answer: (request) => request.socket.destroy() },
  { because: 'the manager does not answer in time', signal: soon, answer: () => undefined },
  { because: 'the body does not end in time', signal: soon, answer: (_, response) => response.write('{"a":1}\n') },
  { because: 'a document is no JSON', signal: never, answer: (_, response) => response.end('{"a":\n') },
  { because: 'the last document is cut off', signal: never, answer: (_, response) => response.end('{"a":1}\n{"b"') },
  {
    because: 'the manager answers with an error',
    signal: never,
    answer: (_, response) => response.writeHead(503).end(),
  },
  {
    because: 'the manager leads elsewhere',
    signal: never,
    answer: (_, response) => response.writeHead(302, { location: '/x' }).end(),
  },
];

describe('a read from the manager is CatalogUnavailable', () => {
  test.each(FAILURES)('if $because', async ({ answer, signal }) => {
    const read = documentsOfManager({ url: await managerThat(answer) });
    await expect(all(read, noRaw, signal())).rejects.toMatchObject({ reason: 'CatalogUnavailable' });
  });

  test('if the token of the console cannot be read', async () => {
    const token = (): Promise<string> => Promise.reject(new Error('ENOENT'));
    const read = documentsOfManager({ url: 'http://127.0.0.1:1', token });
    await expect(all(read, noRaw, never())).rejects.toMatchObject({ reason: 'CatalogUnavailable' });
  });
});

describe('a read through the API server', () => {
  test.each([
    {
      because: 'a request that was called off',
      error: new DOMException('timeout', 'TimeoutError'),
      reason: 'CatalogUnavailable',
    },
    { because: 'a body that ends early', error: new TypeError('terminated'), reason: 'CatalogUnavailable' },
    {
      because: 'an API server that is away',
      error: new ApiError('get', { code: 503, message: 'x', causes: [] }),
      reason: 'CatalogUnavailable',
    },
    {
      because: 'a person without the right',
      error: new ApiError('get', { code: 403, message: 'x', causes: [] }),
      reason: 'Forbidden',
    },
  ])('fails with $reason for $because', async ({ error, reason }) => {
    const read = documentsByProxy('slipway-system');
    await expect(all(read, () => Promise.reject(error), never())).rejects.toMatchObject({ reason });
  });

  test('is CatalogUnavailable if a document is no JSON', async () => {
    const read = documentsByProxy('slipway-system');
    await expect(all(read, async () => '{"a":1}\n<html>', never())).rejects.toMatchObject({
      reason: 'CatalogUnavailable',
    });
  });
});

test('documents are read line by line', async () => {
  const url = await managerThat((_, response) => response.end('{"a":1}\n\n{"b":2}'));
  expect(await all(documentsOfManager({ url }), noRaw, never())).toEqual([{ a: 1 }, { b: 2 }]);
});
