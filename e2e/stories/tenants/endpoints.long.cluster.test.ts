/** Clients of catalog content from a manager that requires tokens, with the API server's own tokens and rights. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { join } from 'node:path';
import { useCluster } from '../../lib/cluster.ts';
import { installSlipway, ROOT, startManager, type RunningManager } from '../../lib/manager.ts';
import { catalogOf, isReady, waitFor } from '../../lib/objects.ts';
import { packageDocuments, publishCatalog } from '../../lib/publish.ts';
import { until } from '../../lib/until.ts';

const cluster = useCluster();
const AUDIENCE = 'slipway.dev/catalogs';
let manager: RunningManager;

const kubectl = (...args: string[]): Promise<string> => cluster().kubectl(args);

beforeAll(async () => {
  await installSlipway(cluster());
  const { registry } = cluster();
  const image = `${registry}/gadget@sha256:${'a'.repeat(64)}`;
  await publishCatalog(packageDocuments('gadget', [{ version: '1.0.0', image }]), `${registry}/catalog:latest`);
  manager = await startManager(cluster(), { SLIPWAY_CATALOG_AUTH: 'token' });
  for (const name of ['hub', 'private'])
    await cluster().kubectl(['apply', '-f', '-'], catalogOf(name, `${registry}/catalog:latest`));
  for (const name of ['hub', 'private']) await waitFor(cluster(), { kind: 'catalog', name }, isReady);
  await kubectl('create', 'namespace', 'team-a');
  for (const account of ['reader', 'other']) await kubectl('-n', 'team-a', 'create', 'serviceaccount', account);
  await kubectl(
    'create',
    'clusterrole',
    'hub-reader',
    '--verb=get',
    '--resource=catalogs.slipway.dev',
    '--resource-name=hub',
  );
  await kubectl(
    'create',
    'clusterrolebinding',
    'hub-reader',
    '--clusterrole=hub-reader',
    '--serviceaccount=team-a:reader',
  );
});
afterAll(async () => {
  await manager?.stop();
});

async function read(catalog: string, token?: string): Promise<Response> {
  const headers = token === undefined ? undefined : { authorization: `Bearer ${token}` };
  return fetch(`${manager.url}/catalogs/${catalog}/api/v1/metas?schema=olm.package`, { ...(headers && { headers }) });
}

async function tokenOf(account: string, audience?: string): Promise<string> {
  const token = await kubectl(
    '-n',
    'team-a',
    'create',
    'token',
    account,
    ...(audience === undefined ? [] : ['--audience', audience]),
  );
  return token.trim();
}

test('a manager that may not review tokens refuses every client, and its log names the missing right', async () => {
  expect((await read('hub', await tokenOf('reader', AUDIENCE))).status).toBe(503);
  expect(manager.log()).toContain('system:auth-delegator');
});

describe('with the binding of the overlay', () => {
  beforeAll(async () => {
    await kubectl('apply', '-f', join(ROOT, 'deploy/overlays/catalog-auth/token-review.yaml'));
    const token = await tokenOf('reader', AUDIENCE);
    await until('the binding acts', async () => (await read('hub', token)).ok);
  });

  test.each([
    { account: 'reader', audience: AUDIENCE, catalog: 'hub', status: 200, because: 'it may get this Catalog' },
    { account: 'reader', audience: AUDIENCE, catalog: 'private', status: 403, because: 'it may not get that one' },
    { account: 'reader', audience: AUDIENCE, catalog: 'nothing', status: 403, because: 'what exists is not said' },
    { account: 'other', audience: AUDIENCE, catalog: 'hub', status: 403, because: 'it has no rights' },
    { account: 'reader', audience: undefined, catalog: 'hub', status: 401, because: 'the token is for the API server' },
    { account: 'reader', audience: 'vault', catalog: 'hub', status: 401, because: 'the token is for another service' },
  ])('$account reads $catalog with a token for $audience: $status, as $because', async (row) => {
    const answer = await read(row.catalog, await tokenOf(row.account, row.audience));
    expect(answer.status).toBe(row.status);
    const text = await answer.text();
    expect(text.includes('gadget')).toBe(row.status === 200);
  });

  test.each([
    { because: 'there is no token', token: undefined },
    { because: 'the token is made up', token: 'eyJhbGciOiJub25lIn0.eyJzdWIiOiJhZG1pbiJ9.' },
  ])('nothing is read: $because', async ({ token }) => {
    const answer = await read('hub', token);
    expect(answer.status).toBe(401);
    expect(answer.headers.get('www-authenticate')).toContain('Bearer');
  });

  // remembered for half a minute
  test('the token of an account that was deleted opens nothing', async () => {
    const token = await tokenOf('reader', AUDIENCE);
    expect((await read('hub', token)).status).toBe(200);
    await kubectl('-n', 'team-a', 'delete', 'serviceaccount', 'reader');
    await until('the token is refused', async () => (await read('hub', token)).status === 401);
  });
});

test.each(['probes', 'url'] as const)('readiness names no object on the port of %s', async (port) => {
  const text = await (await fetch(`${manager[port]}/readyz?verbose`)).text();
  expect(text).toContain('[+]catalogs ok 2 of 2 served');
  expect(text).not.toMatch(/hub|private|team-a/);
});

test('the port of probes has neither metrics nor content', async () => {
  for (const path of ['/metrics', '/catalogs/hub/api/v1/all']) {
    expect((await fetch(`${manager.probes}${path}`)).status).toBe(404);
  }
});
