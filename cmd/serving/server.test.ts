import { Registry } from 'prom-client';
import { afterAll, describe, expect, test } from 'vitest';
import type { HealthCheck } from './answer-checks.ts';
import { serveContent, serveProbes } from './server.ts';

const ready = new Map<string, HealthCheck>([
  ['caches', () => undefined],
  ['catalogs', () => '1 of 2 served; 1 cannot be loaded'],
]);
const checks = { ready, live: new Map<string, HealthCheck>(), checkMs: 50 };
const limits = { connections: 50, perAddress: 50, stallMs: 5000 };
const probes = await serveProbes({ listen: '127.0.0.1:0', checks });
const content = await serveContent({ listen: '127.0.0.1:0', checks, limits, metrics: new Registry() });
afterAll(() => Promise.all([probes.close(), content.close()]));

async function ask({ port }: { readonly port: number }, path: string, method = 'GET'): Promise<string> {
  const response = await fetch(`http://127.0.0.1:${port}${path}`, { method });
  return `${response.status} ${await response.text()}`;
}

describe.each([
  { name: 'the port of probes', port: probes },
  { name: 'the port of clients, which Deployments from before probe', port: content },
])('$name', ({ port }) => {
  test('answers that a replica is ready, and on request with the checks', async () => {
    ready.set('catalogs', () => '1 of 2 served; 1 cannot be loaded');
    expect(await ask(port, '/readyz')).toBe('200 ok\n');
    expect(await ask(port, '/readyz?verbose')).toBe(
      '200 [+]caches ok\n[+]catalogs ok 1 of 2 served; 1 cannot be loaded\n',
    );
  });

  test('always answers with the reason why a replica is not ready', async () => {
    ready.set('catalogs', () => Promise.reject(new Error('1 of 2 not loaded yet')));
    expect(await ask(port, '/readyz')).toBe('503 [+]caches ok\n[-]catalogs failed 1 of 2 not loaded yet\n');
    expect(await ask(port, '/healthz')).toBe('200 ok\n');
  });

  test('names a check that does not end, and caches no answer of the others', async () => {
    ready.set('catalogs', () => new Promise(() => undefined));
    expect(await ask(port, '/readyz?verbose')).toBe('503 [+]caches ok\n[-]catalogs failed no answer within 0.05 s\n');
  });

  test.each([
    { because: 'nothing can be changed', path: '/readyz', method: 'POST', code: '405' },
    { because: 'there is no such thing', path: '/debug', method: 'GET', code: '404' },
  ])('refuses what it does not do: $because', async ({ path, method, code }) => {
    expect(await ask(port, path, method)).toContain(code);
  });
});

test('metrics are on the port of clients only', async () => {
  expect(await ask(content, '/metrics')).toContain('200');
  expect(await ask(probes, '/metrics')).toContain('404');
  expect(await ask(probes, '/catalogs/hub/api/v1/all')).toContain('404');
});
