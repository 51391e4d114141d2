/**
 * The example operator really runs: its Beacons are lit, converted, checked and extinguished by it, over every upgrade;
 * releases that fail say how they fail, and never take down the one that works.
 */
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { realNodeObstacle } from '../../cluster/cluster.ts';
import {
  PACKAGE,
  publishImages,
  publishReleases,
  RELEASES,
  successor,
  withBrokenSchema,
  withFault,
  type Release,
} from '../../lib/beacon-operator.ts';
import { useCluster } from '../../lib/cluster.ts';
import { installSlipway, startManager, type RunningManager } from '../../lib/manager.ts';
import { catalogOf, isReady, runs, subscriptionTo, waitFor } from '../../lib/objects.ts';
import { servingDuring } from '../../lib/serving.ts';
import { expectUnchanged, snapshot } from '../../lib/snapshot.ts';
import { until } from '../../lib/until.ts';
import { expectGivenUp } from './told.ts';

const NAMESPACE = 'lights';
const SUBSCRIPTION = { kind: 'subscription', name: 'beacon', namespace: NAMESPACE, timeoutSeconds: 120 };

const v1Of = { apiVersion: 'example.slipway.dev/v1', kind: 'Beacon', namespace: NAMESPACE, name: 'north' };
const v2Of = { ...v1Of, apiVersion: 'example.slipway.dev/v2' };

/** What a user of the operator does all day: reads Beacons, and writes them. */
const PROBES_V1: Probes = {
  'read as v1': (client) => client.get(v1Of),
  'write as v1': (client) => client.patch(v1Of, { metadata: { annotations: { 'probe.example/at': `${Date.now()}` } } }),
};
const PROBES_V2: Probes = {
  ...PROBES_V1,
  'read as v2': (client) => client.get(v2Of),
  'write as v2': (client) => client.patch(v2Of, { metadata: { annotations: { 'probe.example/at': `${Date.now()}` } } }),
};

/** Releases that fail, each in its own way, and what is to be said of them. */
const BROKEN: readonly Broken[] = [
  {
    because: 'ends as soon as it starts',
    release: successor('2.1.0', withFault('crash')),
    reason: /^ProgressDeadlineExceeded$/,
    says: [
      /container manager of Pod beacon-operator-\w+-\w+ crashes: exit code 3/,
      /Its last lines: .*the table of colours is damaged/,
    ],
  },
  {
    because: 'is never ready',
    release: successor('2.2.0', { ...withFault('never-ready'), skips: ['2.1.0'] }),
    reason: /^ProgressDeadlineExceeded$/,
    says: [
      /container manager of Pod beacon-operator-\w+-\w+ runs and is not ready: Readiness probe failed: .*503/,
      /Its last lines: .*the lamp oil has not arrived/,
    ],
  },
  {
    because: 'has an image that nobody pushed',
    release: successor('2.3.0', { withoutImage: true, skips: ['2.1.0', '2.2.0'] }),
    reason: /^ProgressDeadlineExceeded$/,
    says: [/container manager of Pod beacon-operator-\w+-\w+ cannot pull registry\.example\/beacon-operator:v2\.3\.0/],
  },
  {
    because: 'has a CRD that the API server refuses',
    release: successor('2.4.0', { ...withBrokenSchema(), skips: ['2.1.0', '2.2.0', '2.3.0'] }),
    reason: /^ObjectInvalid$/,
    says: [/CustomResourceDefinition.* beacons\.example\.slipway\.dev/, /x-kubernetes-validations/],
  },
  {
    because: 'does not answer when its webhooks are called',
    release: successor('2.5.0', { ...withFault('deaf-webhooks'), skips: ['2.1.0', '2.2.0', '2.3.0', '2.4.0'] }),
    reason: /^(WebhookSilent|ProgressDeadlineExceeded)$/,
    says: [
      /Pod beacon-operator-\w+-\w+, which is ready, does not answer when the API server calls https:\/\/.*\/\w+: .*connection refused/,
      /Its last lines: .*the beacon operator starts/,
    ],
  },
  {
    because: 'converts, and does not answer when it is asked what may be written',
    release: successor('2.6.0', {
      ...withFault('deaf-admission'),
      skips: ['2.1.0', '2.2.0', '2.3.0', '2.4.0', '2.5.0'],
    }),
    reason: /^(WebhookSilent|ProgressDeadlineExceeded)$/,
    says: [
      /WebhookConfiguration.* \w+beacons\.example\.slipway\.dev: Pod beacon-operator-\w+-\w+, which is ready, does not answer/,
      /:443\/(default|validate): context deadline exceeded/,
    ],
  },
];

/** The first release with webhooks, as it should not be; and the one that supersedes it. */
const DEAF_AT_FIRST = successor('1.9.0', { ...withFault('deaf-webhooks'), replaces: '1.1.0' });
const FIRST_WITH_WEBHOOKS: Release = { ...(RELEASES[2] as Release), skips: [DEAF_AT_FIRST.version] };
const OFFERED: readonly Release[] = [...RELEASES.slice(0, 2), DEAF_AT_FIRST, FIRST_WITH_WEBHOOKS];

const FIXED = successor('2.9.0', { skips: BROKEN.map(({ release }) => release.version) });

interface Broken {
  readonly because: string;
  readonly release: Release;
  readonly reason: RegExp;
  readonly says: readonly RegExp[];
}

/** A manager that is killed leaves no lease to be waited for. */
const ALONE = { SLIPWAY_LEADER_ELECT: 'false' };

type Probes = Parameters<typeof servingDuring>[1]['probes'];

const obstacle = realNodeObstacle();

describe.skipIf(obstacle !== undefined)(obstacle ?? 'the example operator', () => {
  const cluster = useCluster({ node: 'real' });
  let manager: RunningManager;
  let before: ReadonlySet<string>;

  beforeAll(async () => {
    await installSlipway(cluster());
    manager = await startManager(cluster(), ALONE);
    await publishImages(cluster(), RELEASES);
    for (const name of [NAMESPACE, 'harbour']) {
      await kubectl(['create', 'namespace', name]);
      const objects = ['serviceaccount/default', 'configmap/kube-root-ca.crt'];
      await kubectl(['-n', name, 'wait', '--for=create', '--timeout=30s', ...objects]);
    }
    before = await snapshot(cluster());
    await offer(...RELEASES.slice(0, 1));
    await apply(catalogOf('examples', `${cluster().registry}/catalog:latest`, { interval: '10s' }));
    await waitFor(cluster(), { kind: 'catalog', name: 'examples' }, isReady);
  }, 600_000);
  afterAll(async () => {
    await manager?.stop();
  });

  test('lights the Beacons of the one namespace that it is told to watch', async () => {
    await subscribe({ watchNamespaces: [NAMESPACE] });
    await waitFor(cluster(), SUBSCRIPTION, runs('1.0.0'));
    await apply(beacon('north', NAMESPACE, { colour: 'red' }));
    await apply(beacon('far', 'harbour', { colour: 'white' }));
    await isLit('v1', NAMESPACE, 'north', '1.0.0');
    expect((await get('v1', 'harbour', 'far')).status).toBeUndefined();
  });

  test('lights those of all namespaces when nobody limits it', async () => {
    await subscribe({});
    await isLit('v1', 'harbour', 'far', '1.0.0');
  });

  test('goes on with those Beacons in the next release', async () => {
    await offer(...RELEASES.slice(0, 2));
    await waitFor(cluster(), SUBSCRIPTION, runs('1.1.0'));
    await isLit('v1', NAMESPACE, 'north', '1.1.0');
    await isLit('v1', 'harbour', 'far', '1.1.0');
  });

  test('is kept from harm by a release that brings webhooks and answers none of them', async () => {
    await publishImages(cluster(), [DEAF_AT_FIRST]);
    const serving = await servingDuring(
      cluster(),
      { namespace: NAMESPACE, deployment: PACKAGE, probes: PROBES_V1 },
      async () => {
        await offer(...RELEASES.slice(0, 2), DEAF_AT_FIRST);
        const reason = /^(WebhookSilent|ProgressDeadlineExceeded)$/;
        const says = [/Pod beacon-operator-\w+-\w+, which is ready, does not answer/];
        await expectGivenUp(cluster(), SUBSCRIPTION, { version: DEAF_AT_FIRST.version, reason, says });
        await waitFor(cluster(), SUBSCRIPTION, runs('1.1.0'));
      },
    );
    expect(serving.failures).toEqual([]);
    expect(serving.fewestAvailable).toBeGreaterThan(0);
    const stored = ['get', 'crd', 'beacons.example.slipway.dev', '-o', 'jsonpath={.status.storedVersions}'];
    expect(await kubectl(stored)).toBe('["v1"]');
  });

  test('is never out of reach on the way to a release with a second version and webhooks', async () => {
    const serving = await servingDuring(
      cluster(),
      { namespace: NAMESPACE, deployment: PACKAGE, probes: PROBES_V1 },
      async () => {
        await offer(...RELEASES.slice(0, 2), DEAF_AT_FIRST, FIRST_WITH_WEBHOOKS);
        await waitFor(cluster(), SUBSCRIPTION, runs('2.0.0'));
        await isLit('v1', NAMESPACE, 'north', '2.0.0');
      },
    );
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

  test('fills in what is left out, in either version', async () => {
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

  test('puts the light out before a Beacon goes', async () => {
    await kubectl(['-n', NAMESPACE, 'get', 'configmap', 'beacon-west']);
    await kubectl(['-n', NAMESPACE, 'delete', 'beacon', 'west', '--timeout=60s']);
    await expect(kubectl(['-n', NAMESPACE, 'get', 'configmap', 'beacon-west'])).rejects.toThrow(/not found/i);
  });

  test('has one of two replicas lead, and the other answers too', async () => {
    await subscribe({ config: { replicas: 2 } });
    const two = ['wait', '--for=jsonpath={.status.availableReplicas}=2', '--timeout=60s', `deployment/${PACKAGE}`];
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
      '--timeout=60s',
      `deployment/${PACKAGE}`,
    ]);
    await waitFor(cluster(), SUBSCRIPTION, runs('2.0.0'));
  });

  describe('that fails in its next release', () => {
    test.each(BROKEN)('$because: says so, and 2.0.0 works on', async ({ release, reason, says }) => {
      await publishImages(cluster(), [release]);
      const serving = await servingDuring(
        cluster(),
        { namespace: NAMESPACE, deployment: PACKAGE, probes: PROBES_V2 },
        async () => {
          await offer(
            ...OFFERED,
            ...BROKEN.slice(0, BROKEN.findIndex((one) => one.release === release) + 1).map((one) => one.release),
          );
          await expectGivenUp(cluster(), SUBSCRIPTION, { version: release.version, reason, says });
          await waitFor(cluster(), SUBSCRIPTION, runs('2.0.0'));
        },
      );
      expect(serving.failures).toEqual([]);
      expect(serving.fewestAvailable).toBeGreaterThan(0);
    });

    test('is repaired by the release after it, which is tried though others failed', async () => {
      await publishImages(cluster(), [FIXED]);
      const serving = await servingDuring(
        cluster(),
        { namespace: NAMESPACE, deployment: PACKAGE, probes: PROBES_V2 },
        async () => {
          await offer(...OFFERED, ...BROKEN.map(({ release }) => release), FIXED);
          await waitFor(cluster(), SUBSCRIPTION, runs('2.9.0'));
          await isLit('v2', NAMESPACE, 'north', '2.9.0');
        },
      );
      expect(serving.failures).toEqual([]);
    });
  });

  test('is upgraded without harm by a manager that is killed in the middle of the rehearsal', async () => {
    const next: Release = { ...successor('2.10.0'), replaces: '2.9.0' };
    await publishImages(cluster(), [next]);
    const serving = await servingDuring(
      cluster(),
      { namespace: NAMESPACE, deployment: PACKAGE, probes: PROBES_V2 },
      async () => {
        await offer(...OFFERED, ...BROKEN.map(({ release }) => release), FIXED, next);
        const held = 'jsonpath={.metadata.annotations.slipway\\.dev/rehearsal}';
        await until('the upgrade is rehearsed', async () =>
          /\w/.test(await kubectl(['-n', NAMESPACE, 'get', 'deployment', PACKAGE, '-o', held])),
        );
        await manager.kill('SIGKILL');
        manager = await startManager(cluster(), ALONE);
        await waitFor(cluster(), SUBSCRIPTION, runs('2.10.0'));
      },
    );
    expect(serving.failures).toEqual([]);
    const traces = await kubectl(['get', 'mutatingwebhookconfigurations,services', '-A', '-o', 'name']);
    expect(traces).not.toMatch(/slipway-probe|-rehearsal-/);
  });

  test('is removed with its Beacons, each put out first, and nothing is left', async () => {
    await kubectl(['-n', NAMESPACE, 'delete', 'subscription', 'beacon', '--timeout=90s']);
    await kubectl(['delete', 'catalog', 'examples']);
    await expectUnchanged(cluster(), before);
  });

  /** Publishes a catalog with these releases and has it looked at. */
  async function offer(...releases: readonly Release[]): Promise<void> {
    await publishReleases(cluster(), releases);
    if ((await kubectl(['get', 'catalogs', '-o', 'name'])) === '') return;
    await kubectl([
      'annotate',
      'catalog',
      'examples',
      '--overwrite',
      `slipway.dev/reconcile-requested-at=${Date.now()}`,
    ]);
  }

  async function subscribe(spec: object): Promise<void> {
    const onFailure = { bakeTime: '1s', progressDeadline: '20s' };
    const uninstall = { customResources: 'Delete' };
    await apply(subscriptionTo('beacon', NAMESPACE, { package: PACKAGE, onFailure, uninstall, ...spec }));
  }

  async function isLit(version: string, namespace: string, name: string, release: string): Promise<void> {
    let last: Lit | undefined;
    await until(
      `Beacon ${name} is lit by ${release}`,
      async () => {
        last = await get(version, namespace, name);
        return last.status?.lit === true && last.status.release === release;
      },
      { explain: () => JSON.stringify(last) },
    );
  }

  async function get(version: string, namespace: string, name: string): Promise<Lit> {
    const kind = `beacons.${version}.example.slipway.dev`;
    return JSON.parse(await kubectl(['-n', namespace, 'get', kind, name, '-o', 'json'])) as Lit;
  }

  function apply(manifest: string): Promise<string> {
    return kubectl(['apply', '-f', '-'], manifest);
  }

  function kubectl(args: readonly string[], input?: string): Promise<string> {
    return cluster().kubectl(args, input);
  }
});

interface Lit {
  readonly metadata: { readonly annotations?: Readonly<Record<string, string>> };
  readonly spec: Readonly<Record<string, unknown>>;
  readonly status?: { readonly lit?: boolean; readonly release?: string };
}

function beacon(name: string, namespace: string, spec: object, version = 'v1', annotations = {}): string {
  return JSON.stringify({
    apiVersion: `example.slipway.dev/${version}`,
    kind: 'Beacon',
    metadata: { name, namespace, annotations },
    spec,
  });
}
