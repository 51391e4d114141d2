/**
 * The example operator really runs: its Beacons are lit, converted, checked and extinguished by it, over every upgrade.
 * Releases that fail are in broken-releases.
 */
import { beforeAll, describe, expect, test } from 'vitest';
import { realNodeObstacle } from '../../cluster/cluster.ts';
import { PACKAGE, RELEASES } from '../../lib/beacon-operator.ts';
import { runs, waitFor } from '../../lib/objects.ts';
import { expectUnchanged, snapshot } from '../../lib/snapshot.ts';
import { beacon, NAMESPACE, SUBSCRIPTION, useLights } from './lights.ts';

const obstacle = realNodeObstacle();

describe.skipIf(obstacle !== undefined)(obstacle ?? 'the example operator', () => {
  const lights = useLights(RELEASES);
  const { cluster, kubectl, apply, offer, subscribe, isLit, get } = lights;
  let before: ReadonlySet<string>;

  beforeAll(async () => {
    before = await snapshot(cluster());
  });

  test('lights the Beacons of the one namespace that it watches', async () => {
    await subscribe({ watchNamespaces: [NAMESPACE] });
    await waitFor(cluster(), SUBSCRIPTION, runs('1.0.0'));
    await apply(beacon('north', NAMESPACE, { colour: 'red' }));
    await apply(beacon('far', 'harbour', { colour: 'white' }));
    await isLit('v1', NAMESPACE, 'north', '1.0.0');
    expect((await get('v1', 'harbour', 'far')).status).toBeUndefined();
  });

  test('lights the Beacons of all namespaces if the Subscription does not limit it', async () => {
    await subscribe({});
    await isLit('v1', 'harbour', 'far', '1.0.0');
  });

  test('keeps those Beacons lit in the next release', async () => {
    await offer(...RELEASES.slice(0, 2));
    await waitFor(cluster(), SUBSCRIPTION, runs('1.1.0'));
    await isLit('v1', NAMESPACE, 'north', '1.1.0');
    await isLit('v1', 'harbour', 'far', '1.1.0');
  });

  test('is never out of reach on the way to a release with a second version and webhooks', async () => {
    const serving = await lights.inUse(['v1'], async () => {
      await offer(...RELEASES);
      await waitFor(cluster(), SUBSCRIPTION, runs('2.0.0'));
      await isLit('v1', NAMESPACE, 'north', '2.0.0');
    });
    expect(serving.failures).toEqual([]);
    expect(serving.fewestAvailable).toBeGreaterThan(0);
  });

  test('has Beacons of before in both versions', async () => {
    expect((await get('v1', 'harbour', 'far')).spec).toEqual({ colour: 'white' });
    expect((await get('v2', 'harbour', 'far')).spec).toEqual({ light: { colour: 'white' } });
    await isLit('v2', 'harbour', 'far', '2.0.0');
  });

  test('has the API server convert what only one version can say', async () => {
    await apply(beacon('south', NAMESPACE, { light: { colour: 'green', brightness: 20 }, pattern: 'Blinking' }, 'v2'));
    const old = await get('v1', NAMESPACE, 'south');
    expect(old.spec).toEqual({ colour: 'green', intensity: 20 });
    expect(old.metadata.annotations).toMatchObject({ 'example.slipway.dev/pattern': 'Blinking' });
    await apply(beacon('south', NAMESPACE, { colour: 'red', intensity: 30 }, 'v1'));
    expect((await get('v2', NAMESPACE, 'south')).spec).toMatchObject({ light: { colour: 'red', brightness: 30 } });
  });

  test('fills in omitted fields, in either version', async () => {
    await apply(beacon('east', NAMESPACE, { light: { colour: 'white' } }, 'v2'));
    expect((await get('v2', NAMESPACE, 'east')).spec).toEqual({
      light: { colour: 'white', brightness: 100 },
      pattern: 'Steady',
    });
    await apply(beacon('west', NAMESPACE, { colour: 'red' }, 'v1'));
    expect((await get('v1', NAMESPACE, 'west')).spec).toEqual({ colour: 'red', intensity: 60 });
  });

  test('refuses what is wrong, in either version', async () => {
    const v2 = beacon('bad', NAMESPACE, { light: { colour: 'white', brightness: 90 }, pattern: 'Blinking' }, 'v2');
    await expect(apply(v2)).rejects.toThrow(/denied the request: spec\.light\.brightness/);
    const annotations = { 'example.slipway.dev/pattern': 'Blinking' };
    const v1 = beacon('bad', NAMESPACE, { colour: 'white', intensity: 90 }, 'v1', annotations);
    await expect(apply(v1)).rejects.toThrow(/denied the request: spec\.light\.brightness/);
  });

  test('puts the light out before a Beacon is removed', async () => {
    await kubectl(['-n', NAMESPACE, 'wait', '--for=create', '--timeout=180s', 'configmap/beacon-west']);
    await kubectl(['-n', NAMESPACE, 'delete', 'beacon', 'west', '--timeout=180s']);
    await expect(kubectl(['-n', NAMESPACE, 'get', 'configmap', 'beacon-west'])).rejects.toThrow(/not found/i);
  });

  test('has one of two replicas lead, and the other answers too', async () => {
    await subscribe({ config: { replicas: 2 } });
    const two = ['wait', '--for=jsonpath={.status.availableReplicas}=2', '--timeout=180s', `deployment/${PACKAGE}`];
    await kubectl(['-n', NAMESPACE, ...two]);
    const holder = await kubectl(['-n', NAMESPACE, 'get', 'lease', PACKAGE, '-o', 'jsonpath={.spec.holderIdentity}']);
    const pods = (await kubectl(['-n', NAMESPACE, 'get', 'pods', '-o', 'name'])).trim().split('\n');
    expect(pods.filter((pod) => holder.startsWith(pod.replace('pod/', '')))).toHaveLength(1);
    await subscribe({});
    await kubectl([
      '-n',
      NAMESPACE,
      'wait',
      '--for=jsonpath={.status.replicas}=1',
      '--timeout=180s',
      `deployment/${PACKAGE}`,
    ]);
    await waitFor(cluster(), SUBSCRIPTION, runs('2.0.0'));
  });

  test('is removed with its Beacons, each put out first, and nothing is left', async () => {
    await kubectl(['-n', NAMESPACE, 'delete', 'subscription', 'beacon', '--timeout=180s']);
    await expectUnchanged(cluster(), before);
  });
});
