/**
 * Releases of the example operator that fail, on a machine that can have no real node: kwok has their Pods fail in the
 * requested way. Each is reported by its own condition and event, and the release that works is never taken down. The
 * behaviour of its program, and its last log lines, need a real node.
 */
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { realNodeObstacle } from '../../cluster/cluster.ts';
import {
  PACKAGE,
  publishReleases,
  RELEASES,
  successor,
  withBrokenSchema,
  type Release,
} from '../../lib/beacon-operator.ts';
import { useCluster } from '../../lib/cluster.ts';
import { installSlipway, startManager, type RunningManager } from '../../lib/manager.ts';
import { catalogOf, isReady, runs, subscriptionTo, waitFor } from '../../lib/objects.ts';
import { servingDuring } from '../../lib/serving.ts';
import { requestReconcile } from '../../lib/writes.ts';
import { expectGivenUp, type Failure } from './told.ts';

const NAMESPACE = 'lights';
const SUBSCRIPTION = { kind: 'subscription', name: 'beacon', namespace: NAMESPACE };

const POD = String.raw`container manager of Pod beacon-operator-\w+-\w+`;

const BROKEN: readonly (Omit<Failure, 'version'> & { readonly because: string; readonly release: Release })[] = [
  {
    because: 'ends as soon as it starts',
    release: successor('2.1.0', withPods('crash')),
    reason: /^ProgressDeadlineExceeded$/,
    says: [new RegExp(`${POD} crashes: exit code 1`)],
  },
  {
    because: 'is never ready',
    release: successor('2.2.0', { ...withPods('never-ready'), skips: ['2.1.0'] }),
    reason: /^ProgressDeadlineExceeded$/,
    says: [new RegExp(`${POD} runs and is not ready`)],
  },
  {
    because: 'has an image that is in no registry',
    release: successor('2.3.0', { ...withPods('image-missing'), skips: ['2.1.0', '2.2.0'] }),
    reason: /^ProgressDeadlineExceeded$/,
    says: [new RegExp(`${POD} cannot pull registry\\.example/beacon-operator:v2\\.3\\.0`)],
  },
  {
    because: 'has a CRD that the API server refuses',
    release: successor('2.4.0', { ...withBrokenSchema(), skips: ['2.1.0', '2.2.0', '2.3.0'] }),
    reason: /^ObjectInvalid$/,
    says: [/CustomResourceDefinition.* beacons\.example\.slipway\.dev/, /x-kubernetes-validations/],
  },
];

describe.runIf(realNodeObstacle() !== undefined)('the example operator that fails in its next release', () => {
  const cluster = useCluster();
  let manager: RunningManager;

  beforeAll(async () => {
    await installSlipway(cluster());
    manager = await startManager(cluster());
    await publishReleases(cluster(), RELEASES);
    await cluster().kubectl(['create', 'namespace', NAMESPACE]);
    await apply(catalogOf('examples', `${cluster().registry}/catalog:latest`));
    await waitFor(cluster(), { kind: 'catalog', name: 'examples' }, isReady);
    const onFailure = { bakeTime: '0s', progressDeadline: '30s' };
    await apply(subscriptionTo('beacon', NAMESPACE, { package: PACKAGE, onFailure }));
    await waitFor(cluster(), SUBSCRIPTION, runs('2.0.0'));
  });
  afterAll(async () => {
    await manager?.stop();
  });

  test.each(BROKEN)(
    '$because: the Subscription reports it, and 2.0.0 keeps working',
    async ({ release, reason, says }) => {
      const others = BROKEN.slice(
        0,
        BROKEN.findIndex((one) => one.release === release),
      ).map((one) => one.release);
      const serving = await servingDuring(
        cluster(),
        { namespace: NAMESPACE, deployment: PACKAGE, probes: {} },
        async () => {
          await offer(...others, release);
          await expectGivenUp(cluster(), SUBSCRIPTION, { version: release.version, reason, says });
          await waitFor(cluster(), SUBSCRIPTION, runs('2.0.0'));
        },
      );
      expect(serving.fewestAvailable).toBeGreaterThan(0);
    },
  );

  test('is repaired by the release after it, which is tried though others failed', async () => {
    const broken = BROKEN.map(({ release }) => release);
    await offer(...broken, successor('2.9.0', { skips: broken.map(({ version }) => version) }));
    await waitFor(cluster(), SUBSCRIPTION, runs('2.9.0'));
  });

  async function offer(...releases: readonly Release[]): Promise<void> {
    await publishReleases(cluster(), [...RELEASES, ...releases]);
    await requestReconcile(cluster(), { kind: 'catalog', name: 'examples' });
  }

  function apply(manifest: string): Promise<string> {
    return cluster().kubectl(['apply', '-f', '-'], manifest);
  }
});

/** Has kwok treat the Pods in the way that its stages know by that name. */
function withPods(fate: string): Pick<Release, 'change'> {
  const path = 'manifests/beacon-operator.clusterserviceversion.yaml';
  const template = /(template:\s+metadata:\s+labels: \{)/;
  return {
    change(files) {
      const text = Buffer.from(files.get(path) ?? []).toString();
      if (!template.test(text)) throw new Error(`there is no Pod template with labels in ${path}`);
      files.set(path, Buffer.from(text.replace(template, `$1slipway.dev/test-pod: ${fate}, `)));
    },
  };
}
