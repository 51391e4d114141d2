/** `slipway get all` of a user who may not list every kind. */
import { expect, test } from 'vitest';
import { useFakeCluster } from './testing/fake-cluster.ts';

const cluster = useFakeCluster();

/** Refuses the lists of a kind for missing rights, while the command runs. */
async function withoutRight(plural: string, ...args: readonly string[]) {
  const { api, run } = cluster();
  const stop = api.fault(({ path }, response) => {
    if (!path.endsWith(`/${plural}`)) return false;
    response.writeHead(403).end();
    return true;
  });
  const ended = await run(...args);
  stop();
  return ended;
}

test('get all shows the other kinds if the user may not list one of them, which is named', async () => {
  const { code, stdout, stderr } = await withoutRight('registrypolicies', 'get', 'all');
  expect(code).toBe(0);
  expect(stdout).toContain('gadget');
  expect(stderr).toMatch(/^slipway: list RegistryPolicy\.slipway\.dev: /);
});

test('get of one kind fails if the user may not list it', async () => {
  const { code, stdout } = await withoutRight('registrypolicies', 'get', 'registrypolicies');
  expect({ code, stdout }).toEqual({ code: 1, stdout: '' });
});
