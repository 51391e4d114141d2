/** The main job: a Catalog and a Subscription applied, the operator running, upgraded by itself, and cleanly away. */
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { useCluster } from '../../lib/cluster.ts';
import { installSlipway, ROOT, startManager, type RunningManager } from '../../lib/manager.ts';
import { OperationLog, type LogLine } from '../../lib/operation-log.ts';
import { catalogOf, isReady, runs, subscriptionTo, waitFor } from '../../lib/objects.ts';
import { packageDocuments, publishBundle, publishCatalog } from '../../lib/publish.ts';
import { expectUnchanged, snapshot } from '../../lib/snapshot.ts';
import { until } from '../../lib/until.ts';
import { makeNamespaces } from '../../lib/writes.ts';

const cluster = useCluster();
const examples = join(ROOT, 'bundles/examples/beacon-operator');
let manager: RunningManager;
let log: OperationLog;

beforeAll(async () => {
  await installSlipway(cluster());
  manager = await startManager(cluster());
  log = new OperationLog(manager, 'lights');
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

/** Few enough to be read: the beginning and the end, with the versions and how long it took. */
const MOST_LINES = 3;

/** Waits for the line that ends the operation; returns all lines about it. */
async function linesUntil(end: RegExp): Promise<readonly LogLine[]> {
  const lines: LogLine[] = [];
  await until(
    `a line like ${end}`,
    async () => lines.push(...log.next()) > 0 && lines.some(({ msg }) => end.test(msg)),
    {
      explain: () => JSON.stringify(lines, undefined, 2),
    },
  );
  return lines;
}

describe('an operator', () => {
  let before: ReadonlySet<string>;
  const subscription = { kind: 'subscription', name: 'beacon', namespace: 'lights' };

  test('is installed by a Subscription', async () => {
    await publish(['1.0.0']);
    await makeNamespaces(cluster(), ['lights']);
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
    const lines = await linesUntil(/^beacon-operator\.v1\.0\.0 is installed and healthy, after \d+ s$/);
    expect(lines.map(({ level, reason }) => `${level} ${reason}`)).toEqual(['30 Installing', '30 Succeeded']);
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
    const lines = await linesUntil(/^beacon-operator\.v2\.0\.0 is installed and healthy, after \d+ s$/);
    expect(lines.length, JSON.stringify(lines, undefined, 2)).toBeLessThanOrEqual(2 * MOST_LINES);
    expect(lines.map(({ msg }) => msg)).toContainEqual(
      expect.stringMatching(/^beacon-operator\.v1\.1\.0 is to follow beacon-operator\.v1\.0\.0.*step 1 of 2$/),
    );
  });

  test('is repaired when a user changes or deletes one of its objects', async () => {
    await cluster().kubectl(['-n', 'lights', 'delete', 'deployment', 'beacon-operator']);
    await cluster().kubectl(['-n', 'lights', 'wait', '--for=create', '--timeout=60s', 'deployment/beacon-operator']);
    await cluster().kubectl(['-n', 'lights', 'scale', 'deployment', 'beacon-operator', '--replicas=3']);
    await cluster().kubectl([
      '-n',
      'lights',
      'wait',
      '--for=jsonpath={.spec.replicas}=1',
      '--timeout=60s',
      'deployment/beacon-operator',
    ]);
    await waitFor(cluster(), subscription, runs('2.0.0'));
    const lines = await linesUntil(/spec\.replicas was changed by .*\(beacon-operator\.v2\.0\.0\)$/);
    expect(lines.length, JSON.stringify(lines, undefined, 2)).toBeLessThanOrEqual(2 * MOST_LINES);
  });

  test('leaves nothing behind when the Subscription is deleted', async () => {
    await cluster().kubectl(['-n', 'lights', 'delete', 'subscription', 'beacon', '--timeout=180s']);
    await cluster().kubectl(['delete', 'catalog', 'examples']);
    await expectUnchanged(cluster(), before);
    const lines = await linesUntil(/^beacon-operator\.v2\.0\.0 is uninstalled, after \d+ s/);
    expect(lines.length, JSON.stringify(lines, undefined, 2)).toBeLessThanOrEqual(MOST_LINES);
  });
});
