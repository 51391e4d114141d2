/** The manager where it belongs: a Pod from our image, with its own rights, doing the main job on a real node. */
import { join } from 'node:path';
import { beforeAll, describe, expect, test } from 'vitest';
import { realNodeObstacle } from '../../cluster/cluster.ts';
import { useCluster } from '../../lib/cluster.ts';
import { ROOT, SYSTEM } from '../../lib/manager.ts';
import { catalogOf, isReady, runs, subscriptionTo, waitFor } from '../../lib/objects.ts';
import { packageDocuments, publishBundle, publishCatalog } from '../../lib/publish.ts';
import { expectUnchanged, snapshot } from '../../lib/snapshot.ts';
import { until } from '../../lib/until.ts';
import { deploySlipway, DEPLOYMENT, installManifest, pushManager } from './deployed.ts';

const obstacle = realNodeObstacle();
const READY_WITHIN_SECONDS = 15;

describe.skipIf(obstacle !== undefined)(obstacle ?? 'install.yaml on a real node', () => {
  const cluster = useCluster({ node: 'real' });
  const kubectl = (...args: readonly string[]): Promise<string> => cluster().kubectl(args);
  let empty: ReadonlySet<string>;

  beforeAll(async () => {
    await pushManager(cluster());
    empty = await snapshot(cluster());
  }, 300_000);

  test('brings up Pods that are ready within 15 s', async ({ annotate }) => {
    const seconds = await deploySlipway(cluster());
    await annotate(`every Pod ready after ${seconds.toFixed(1)} s`);
    expect(seconds).toBeLessThan(READY_WITHIN_SECONDS);
  });

  test('of which one leads and all say why they are ready', async () => {
    const lease = await kubectl(
      '-n',
      SYSTEM,
      'get',
      'lease',
      'slipway-manager',
      '-o',
      'jsonpath={.spec.holderIdentity}',
    );
    const pods = (await kubectl('-n', SYSTEM, 'get', 'pods', '-o', 'jsonpath={.items[*].metadata.name}')).split(' ');
    expect(pods).toHaveLength(2);
    expect(pods.filter((pod) => lease.startsWith(pod))).toHaveLength(1);
    for (const pod of pods) expect(await proxied(pod, 'readyz?verbose')).toContain('[+]informers ok');
  });

  test('install, upgrade and remove an operator', async () => {
    await publish(['1.0.0']);
    await kubectl('create', 'namespace', 'lights');
    await apply(catalogOf('examples', `${cluster().registry}/catalog:latest`, { interval: '10s' }));
    await waitFor(cluster(), { kind: 'catalog', name: 'examples' }, isReady);
    await apply(subscriptionTo('beacon', 'lights', { package: 'beacon-operator', onFailure: { bakeTime: '1s' } }));
    const subscription = { kind: 'subscription', name: 'beacon', namespace: 'lights' };
    await waitFor(cluster(), subscription, runs('1.0.0'));
    await publish(['1.0.0', '1.1.0']);
    await waitFor(cluster(), subscription, runs('1.1.0'));
    await kubectl('-n', 'lights', 'delete', 'subscription', 'beacon', '--timeout=60s');
    await kubectl('delete', 'catalog', 'examples');
    await kubectl('delete', 'namespace', 'lights');
  });

  test('end within their time when they are told to, and the lease is free at once', async () => {
    await kubectl('-n', SYSTEM, 'scale', DEPLOYMENT, '--replicas=0');
    await until('all Pods are gone', async () => (await kubectl('-n', SYSTEM, 'get', 'pods', '-o', 'name')) === '', {
      timeoutSeconds: 30,
    });
    const holder = await kubectl(
      '-n',
      SYSTEM,
      'get',
      'lease',
      'slipway-manager',
      '-o',
      'jsonpath={.spec.holderIdentity}',
    );
    expect(holder).toBe('');
  });

  test('and leave nothing behind when it is deleted', async () => {
    await cluster().kubectl(['delete', '-f', '-', '--timeout=60s'], installManifest(cluster()));
    await expectUnchanged(cluster(), empty);
  });

  function apply(text: string): Promise<string> {
    return cluster().kubectl(['apply', '-f', '-'], text);
  }

  function proxied(pod: string, path: string): Promise<string> {
    return kubectl('get', '--raw', `/api/v1/namespaces/${SYSTEM}/pods/${pod}:8080/proxy/${path}`);
  }

  async function publish(versions: readonly string[]): Promise<void> {
    const { registry } = cluster();
    const published = [];
    for (const [index, version] of versions.entries()) {
      const folder = join(ROOT, 'bundles/examples/beacon-operator', version);
      const image = await publishBundle(folder, `${registry}/beacon-operator:v${version}`);
      published.push({ version, image, ...(index > 0 && { replaces: versions[index - 1] as string }) });
    }
    await publishCatalog(packageDocuments('beacon-operator', published), `${registry}/catalog:latest`);
  }
});
