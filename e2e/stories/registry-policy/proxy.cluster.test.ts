/**
 * A manager behind a proxy, as its variables say: registries are reached through it by names that only it knows, and the API
 * server never is.
 */
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { startProxy, type TestProxy } from '../../../oci/testing/proxy.ts';
import { useCluster } from '../../lib/cluster.ts';
import { installSlipway, startManager, type RunningManager } from '../../lib/manager.ts';
import { catalogOf, isReady, runs, subscriptionTo, waitFor } from '../../lib/objects.ts';
import { packageDocuments, publishCatalog } from '../../lib/publish.ts';
import { publishTiny } from '../../lib/tiny-operator.ts';
import { apply, makeNamespaces } from '../../lib/writes.ts';

describe('a manager behind a proxy', () => {
  const cluster = useCluster();
  let proxy: TestProxy;
  let manager: RunningManager;
  let far: string;

  beforeAll(async () => {
    proxy = await startProxy();
    far = cluster().registry.replace('localhost', 'registry.example');
    await installSlipway(cluster());
    await makeNamespaces(cluster(), ['gadget']);
    const variables = { HTTPS_PROXY: proxy.url, HTTP_PROXY: proxy.url, SLIPWAY_PLAIN_HTTP: far };
    manager = await startManager(cluster(), variables);
  });
  afterAll(async () => {
    await manager?.stop();
    await proxy?.close();
  });

  test('installs from a registry that only the proxy can resolve', async () => {
    const published = await publishTiny(cluster().registry, { name: 'gadget', version: '1.0.0' });
    const image = published.replace(cluster().registry, far);
    const documents = packageDocuments('gadget', [{ version: '1.0.0', image }]);
    await publishCatalog(documents, `${cluster().registry}/catalog:v1`);
    await apply(cluster(), catalogOf('far', `${far}/catalog:v1`));
    await waitFor(cluster(), { kind: 'catalog', name: 'far' }, isReady);
    await apply(cluster(), subscriptionTo('gadget', 'gadget', { package: 'gadget' }));
    await waitFor(cluster(), { kind: 'subscription', name: 'gadget', namespace: 'gadget' }, runs('1.0.0'));
  });

  test('asks the proxy for that registry alone, and reaches the API server directly', () => {
    expect([...new Set(proxy.seen.map(({ target }) => target))]).toEqual([far]);
  });
});
