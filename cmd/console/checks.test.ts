/** A console stays ready while the API server is away: its pages say so, and a Service without endpoints says nothing. */
import { afterEach, expect, test } from 'vitest';
import { API_VERSION } from '../../api/names.ts';
import { KINDS } from '../../api/kinds.ts';
import { createClient } from '../../kube/client/client.ts';
import { startFakeApi, type FakeApi } from '../../kube/testing/fake-api.ts';
import { resource } from '../../kube/testing/fake-kinds.ts';
import { createTransport } from '../../kube/transport/transport.ts';
import { untilSynced } from '../../kube/watch/informer.ts';
import { scopesOfCluster } from '../../console/server/scopes.ts';
import { LiveStore } from '../../console/server/store.ts';
import { readyChecks } from './checks.ts';

let api: FakeApi | undefined;
afterEach(() => api?.close());

const informer = (kind: string, hasSynced: boolean) => ({ kind, hasSynced });

async function failuresOf(checks: ReturnType<typeof readyChecks>): Promise<readonly string[]> {
  const results = await Promise.allSettled([...checks.values()].map(async (check) => check()));
  return results.flatMap((one) => (one.status === 'rejected' ? [(one.reason as Error).message] : []));
}

test.each([
  { because: 'no kind was listed', caches: [informer('Catalog', false)], failures: ['not listed yet: Catalog'] },
  { because: 'one kind was not listed', caches: [informer('Catalog', true), informer('Revision', false)], failures: ['not listed yet: Revision'] }, // prettier-ignore
  { because: 'all were listed', caches: [informer('Catalog', true)], failures: [] },
])('$because', async ({ caches, failures }) => {
  expect(await failuresOf(readyChecks(caches))).toEqual(failures);
});

test('the API server goes away after the first lists', async () => {
  api = await startFakeApi();
  for (const { kind, plural, scope } of KINDS) api.serve(resource(API_VERSION, kind, plural, scope === 'Namespaced'));
  const transport = createTransport(api.config);
  const over = new AbortController();
  const client = createClient(transport);
  const store = new LiveStore({ client, scopes: scopesOfCluster('slipway-system') });
  store.start(over.signal);
  await untilSynced(store.caches, { seconds: 20, signal: over.signal });
  let refused = 0;
  api.fault((_, response) => {
    refused += 1;
    response.writeHead(503).end();
    return true;
  });
  await client.raw('/readyz').catch(() => undefined);
  expect(refused).toBeGreaterThan(0);
  expect(await failuresOf(readyChecks(store.caches))).toEqual([]);
  over.abort();
  transport.close();
});
