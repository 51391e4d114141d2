/** The main job: a Catalog and a Subscription applied, the operator running, upgraded by itself, and cleanly away. */
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { useCluster } from '../../lib/cluster.ts';
import { installSlipway, ROOT, startManager, type RunningManager } from '../../lib/manager.ts';
import { catalogOf, isReady, runs, subscriptionTo, waitFor } from '../../lib/objects.ts';
import { packageDocuments, publishBundle, publishCatalog } from '../../lib/publish.ts';
import { expectUnchanged, snapshot } from '../../lib/snapshot.ts';

const cluster = useCluster();
const examples = join(ROOT, 'bundles/examples/beacon-operator');
let manager: RunningManager;

beforeAll(async () => {
  await installSlipway(cluster());
  manager = await startManager(cluster());
});
afterAll(async () => {
  await manager?.stop();
});

async function publish(versions: readonly string[]): Promise<void> {
  const { registry } = cluster();
  const published = await Promise.all(
    versions.map(async (version, index) => ({
      version,
      image: await publishBundle(join(examples, version), `${registry}/beacon-operator:v${version}`),
      ...(index > 0 && { replaces: versions[index - 1] as string }),
    })),
  );
  await publishCatalog(packageDocuments('beacon-operator', published), `${registry}/catalog:latest`);
}

describe('an operator', () => {
  let before: ReadonlySet<string>;
  const subscription = { kind: 'subscription', name: 'beacon', namespace: 'lights' };

  test('is installed by a Subscription', async () => {
    await publish(['1.0.0']);
    await cluster().kubectl(['create', 'namespace', 'lights']);
    await cluster().kubectl([
      '-n',
      'lights',
      'wait',
      '--for=create',
      '--timeout=30s',
      'serviceaccount/default',
      'configmap/kube-root-ca.crt',
    ]);
    before = await snapshot(cluster());
    await cluster().kubectl(
      ['apply', '-f', '-'],
      catalogOf('examples', `${cluster().registry}/catalog:latest`, { interval: '10s' }),
    );
    await waitFor(cluster(), { kind: 'catalog', name: 'examples' }, isReady);
    await cluster().kubectl(
      ['apply', '-f', '-'],
      subscriptionTo('beacon', 'lights', { package: 'beacon-operator', onFailure: { bakeTime: '1s' } }),
    );
    await waitFor(cluster(), subscription, runs('1.0.0'));
    await cluster().kubectl([
      '-n',
      'lights',
      'wait',
      '--for=condition=Available',
      '--timeout=10s',
      'deployment/beacon-operator',
    ]);
    expect(await cluster().kubectl(['get', 'crd', 'beacons.example.slipway.dev', '-o', 'name'])).toContain('beacons');
  });

  test('is installed by a manager that reports that it leads', async () => {
    const metrics = await (await fetch(`${manager.url}/metrics`)).text();
    expect(metrics).toMatch(/^leader_election_master_status\{name="slipway-manager"\} 1$/m);
  });

  test('is upgraded along the graph when newer versions are published', async () => {
    await publish(['1.0.0', '1.1.0', '2.0.0']);
    await waitFor(cluster(), subscription, runs('2.0.0'));
    const image = await cluster().kubectl([
      '-n',
      'lights',
      'get',
      'deployment',
      'beacon-operator',
      '-o',
      'jsonpath={.spec.template.spec.containers[0].image}',
    ]);
    expect(image).toContain('v2.0.0');
  });

  test('is repaired when a user changes or deletes one of its objects', async () => {
    await cluster().kubectl(['-n', 'lights', 'delete', 'deployment', 'beacon-operator']);
    await cluster().kubectl(['-n', 'lights', 'wait', '--for=create', '--timeout=30s', 'deployment/beacon-operator']);
    await cluster().kubectl(['-n', 'lights', 'scale', 'deployment', 'beacon-operator', '--replicas=3']);
    await cluster().kubectl([
      '-n',
      'lights',
      'wait',
      '--for=jsonpath={.spec.replicas}=1',
      '--timeout=30s',
      'deployment/beacon-operator',
    ]);
    await waitFor(cluster(), subscription, runs('2.0.0'));
  });

  test('leaves nothing behind when the Subscription is deleted', async () => {
    await cluster().kubectl(['-n', 'lights', 'delete', 'subscription', 'beacon', '--timeout=60s']);
    await cluster().kubectl(['delete', 'catalog', 'examples']);
    await expectUnchanged(cluster(), before);
  });
});
