import { Registry } from 'prom-client';
import { afterAll, expect, test } from 'vitest';
import { serve, type Check } from './server.ts';

const ready = new Map<string, Check>([
  ['caches', () => undefined],
  ['catalogs', () => '1 of 2 served; cannot be loaded: b'],
]);
const server = await serve({ listen: '127.0.0.1:0', metrics: new Registry(), ready, checkMs: 50 });
afterAll(() => server.close());

async function ask(path: string, method = 'GET'): Promise<string> {
  const response = await fetch(`http://127.0.0.1:${server.port}${path}`, { method });
  return `${response.status} ${await response.text()}`;
}

test('a replica that is ready says so, and on request why', async () => {
  expect(await ask('/readyz')).toBe('200 ok\n');
  expect(await ask('/readyz?verbose')).toBe('200 [+]caches ok\n[+]catalogs ok 1 of 2 served; cannot be loaded: b\n');
});

test('a replica that is not ready says why without being asked', async () => {
  ready.set('catalogs', () => Promise.reject(new Error('not loaded yet: a')));
  expect(await ask('/readyz')).toBe('503 [+]caches ok\n[-]catalogs failed not loaded yet: a\n');
  expect(await ask('/healthz')).toBe('200 ok\n');
});

test('a check that does not come to an end is told by its name, and keeps no answer of the others', async () => {
  ready.set('catalogs', () => new Promise(() => undefined));
  expect(await ask('/readyz?verbose')).toBe('503 [+]caches ok\n[-]catalogs failed no answer within 0.05 s\n');
});

test.each([
  { because: 'nothing can be changed', path: '/metrics', method: 'POST', code: '405' },
  { because: 'there is no such thing', path: '/debug', method: 'GET', code: '404' },
])('refuses what it does not do: $because', async ({ path, method, code }) => {
  expect(await ask(path, method)).toContain(code);
});
