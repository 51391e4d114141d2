/** The manager in the cluster: a Pod from our image, with its own rights, doing the main job on a real node. */
import { afterEach, beforeAll, describe, expect, test } from 'vitest';
import { realNodeObstacle } from '../../cluster/cluster.ts';
import { PACKAGE, publishImages, publishReleases, RELEASES } from '../../lib/beacon-operator.ts';
import { useCluster } from '../../lib/cluster.ts';
import { SYSTEM } from '../../lib/manager.ts';
import { catalogOf, isReady, runs, subscriptionTo, waitFor } from '../../lib/objects.ts';
import { expectUnchanged, snapshot } from '../../lib/snapshot.ts';
import { until } from '../../lib/until.ts';
import { makeNamespaces, requestReconcile } from '../../lib/writes.ts';
import { deployConsole, fieldOfPod, PersonAtPod, removeConsole } from './console-pod.ts';
import {
  allowPlainRegistry,
  applyInstallFile,
  DEPLOYMENT,
  describeManager,
  INSTALL_FILE,
  pushManager,
} from './deployed.ts';

const obstacle = realNodeObstacle();

describe.skipIf(obstacle !== undefined)(obstacle ?? 'install.yaml on a real node', () => {
  const cluster = useCluster({ node: 'real' });
  const kubectl = (...args: readonly string[]): Promise<string> => cluster().kubectl(args);
  let empty: ReadonlySet<string>;

  beforeAll(async () => {
    await pushManager(cluster());
    empty = await snapshot(cluster());
  });

  afterEach(async ({ task }) => {
    if (task.result?.state === 'fail') process.stderr.write(await describeManager(cluster()));
  });

  test('brings up Pods that are ready, applied as it is', async ({ annotate }) => {
    const seconds = await applyInstallFile(cluster());
    const told = `every Pod ready after ${seconds.toFixed(1)} s`;
    await annotate(told);
    process.stdout.write(`in-cluster: ${told}\n`);
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
    const pods = await podNames();
    expect(pods).toHaveLength(2);
    expect(pods.filter((pod) => lease.startsWith(pod))).toHaveLength(1);
    for (const pod of pods) expect(await proxied(pod, 'readyz?verbose')).toContain('[+]informers ok');
  });

  test('and continues with another setting', async () => {
    await allowPlainRegistry(cluster());
    await until('only the new Pods are left', async () => (await podNames()).length === 2);
  });

  describe('with the example operator', () => {
    const subscription = { kind: 'subscription', name: 'beacon', namespace: 'lights' };
    let before: ReadonlySet<string>;

    test('install it, and it lights what it is asked to', async () => {
      await publishImages(cluster(), RELEASES);
      await publishReleases(cluster(), RELEASES.slice(0, 1));
      await makeNamespaces(cluster(), ['lights']);
      before = await snapshot(cluster());
      await apply(catalogOf('examples', `${cluster().registry}/catalog:latest`, { interval: '10s' }));
      await waitFor(cluster(), { kind: 'catalog', name: 'examples' }, isReady);
      await apply(subscriptionTo('beacon', 'lights', { package: PACKAGE, onFailure: { bakeTime: '1s' } }));
      await waitFor(cluster(), subscription, runs('1.0.0'));
      await apply(beacon('v1', { colour: 'red' }));
      await isLit('1.0.0');
    });

    test('serve its catalog from every replica', async () => {
      for (const pod of await podNames()) {
        await until(`${pod} serves the catalog`, async () =>
          (await proxied(pod, 'catalogs/examples/api/v1/all')).includes('"olm.package"'),
        );
      }
    });

    describe('and its console, a Pod with an account and rights of its own', () => {
      let address: string;

      test('is ready, and serves its pages under the name that its settings have', async () => {
        address = await deployConsole(cluster());
        expect(await fieldOfPod(cluster(), '{.spec.serviceAccountName} {.status.containerStatuses[0].restartCount}')).toBe('slipway-console 0'); // prettier-ignore
        expect((await fetch(`${address}/overview`)).status).toBe(403);
        const person = await personOf('default', 'default');
        expect(await person.text('/overview')).toMatch(/^<!doctype html>.*<script type="module" src="\/main-/is);
      });

      test('opens for the token of a person, and shows the objects and Catalogs that this person may see', async () => {
        await kubectl('-n', 'lights', 'create', 'serviceaccount', 'reader');
        const role = ['--clusterrole=cluster-admin', '--serviceaccount=lights:reader'];
        await kubectl('create', 'clusterrolebinding', 'console-reader', ...role);
        const reader = await personOf('lights', 'reader');
        expect(reader.cookies.every((name) => name.startsWith('__Host-'))).toBe(true);
        expect(JSON.parse(await reader.text('/api/session'))).toMatchObject({ user: 'system:serviceaccount:lights:reader', way: 'token' }); // prettier-ignore
        const view = JSON.parse(await reader.text('/api/view/subscriptions/lights/beacon')) as object;
        expect(view).toMatchObject({ installed: '1.0.0', pods: [{ state: { tone: 'good' } }], history: [{ version: '1.0.0' }] }); // prettier-ignore
        const content = JSON.parse(await reader.text(`/api/view/catalog/examples/${PACKAGE}`)) as object;
        expect(content).toMatchObject({ notices: [], versions: [{ version: '1.0.0' }] });
      });

      test('shows nothing of it to a person without rights', async () => {
        const other = await personOf('default', 'default');
        for (const path of ['/overview', '/subscriptions/lights/beacon', `/catalog/examples/${PACKAGE}`])
          expect(await other.text(`/api/view${path}`), path).not.toMatch(/1\.0\.0/);
      });

      test('is removed with its files', async () => {
        await kubectl('-n', 'lights', 'delete', 'serviceaccount/reader');
        await kubectl('delete', 'clusterrolebinding/console-reader');
        await removeConsole(cluster());
      });

      /** The person of a ServiceAccount. */
      async function personOf(namespace: string, name: string): Promise<PersonAtPod> {
        return PersonAtPod.open(address, (await kubectl('-n', namespace, 'create', 'token', name)).trim());
      }
    });

    test('upgrade it, its webhooks called and its objects converted by the API server', async () => {
      await publishReleases(cluster(), RELEASES);
      await requestReconcile(cluster(), { kind: 'catalog', name: 'examples' });
      await waitFor(cluster(), subscription, runs('2.0.0'));
      await isLit('2.0.0');
      const converted = JSON.parse(
        await kubectl('-n', 'lights', 'get', 'beacons.v2.example.slipway.dev', 'north', '-o', 'json'),
      ) as { readonly spec: unknown };
      expect(converted.spec).toEqual({ light: { colour: 'red' } });
      const wrong = beacon('v2', { light: { colour: 'white', brightness: 90 }, pattern: 'Blinking' });
      await expect(apply(wrong)).rejects.toThrow(/denied the request/);
    });

    test('remove it, and nothing is left', async () => {
      await kubectl('-n', 'lights', 'delete', 'beacon', 'north', '--timeout=180s');
      await kubectl('-n', 'lights', 'delete', 'subscription', 'beacon', '--timeout=180s');
      await kubectl('delete', 'catalog', 'examples');
      await expectUnchanged(cluster(), before);
      await kubectl('delete', 'namespace', 'lights', '--wait=false'); // takes seconds, in which Slipway is deleted
    });
  });

  test('end within their time after SIGTERM, and the lease is free at once', async () => {
    await kubectl('-n', SYSTEM, 'scale', DEPLOYMENT, '--replicas=0');
    await until('all Pods are gone', async () => (await kubectl('-n', SYSTEM, 'get', 'pods', '-o', 'name')) === '');
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
    await kubectl('delete', '-f', INSTALL_FILE, '--timeout=180s');
    await expectUnchanged(cluster(), empty);
  });

  function apply(text: string): Promise<string> {
    return cluster().kubectl(['apply', '-f', '-'], text);
  }

  function proxied(pod: string, path: string): Promise<string> {
    return kubectl('get', '--raw', `/api/v1/namespaces/${SYSTEM}/pods/${pod}:8080/proxy/${path}`);
  }

  async function podNames(): Promise<readonly string[]> {
    return (await kubectl('-n', SYSTEM, 'get', 'pods', '-o', 'jsonpath={.items[*].metadata.name}')).split(' ');
  }

  function isLit(release: string): Promise<unknown> {
    const status = ['get', 'beacon', 'north', '-o', 'jsonpath={.status.lit} {.status.release}'];
    return until(`the beacon is lit by ${release}`, async () => {
      return (await kubectl('-n', 'lights', ...status)) === `true ${release}`;
    });
  }
});

function beacon(version: string, spec: object): string {
  const metadata = { namespace: 'lights', name: 'north' };
  return JSON.stringify({ apiVersion: `example.slipway.dev/${version}`, kind: 'Beacon', metadata, spec });
}
