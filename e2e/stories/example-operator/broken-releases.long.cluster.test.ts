/**
 * Releases of the example operator that fail, on a real node: each says how it fails, and none takes down the one that
 * works. Its users read and write without a pause in every version that there is, and not one of their calls may fail.
 */
import { beforeAll, describe, expect, test } from 'vitest';
import { heldFor } from '../../../apply/held-back.ts';
import { realNodeObstacle } from '../../cluster/cluster.ts';
import { PACKAGE, publishImages, RELEASES } from '../../lib/beacon-operator.ts';
import { get, runs, waitFor } from '../../lib/objects.ts';
import { until } from '../../lib/until.ts';
import { BROKEN, DEAF_AT_FIRST, FIXED, NEXT, OFFERED } from './broken.ts';
import { beacon, NAMESPACE, SUBSCRIPTION, useLights } from './lights.ts';
import { expectGivenUp } from './told.ts';

const obstacle = realNodeObstacle();
const ALL_BROKEN = BROKEN.map(({ release }) => release);

describe.skipIf(obstacle !== undefined)(obstacle ?? 'the example operator', () => {
  const lights = useLights(RELEASES);
  const { cluster, kubectl, offer } = lights;

  beforeAll(async () => {
    await publishImages(cluster(), [DEAF_AT_FIRST, ...ALL_BROKEN, FIXED, NEXT]);
    await offer(...RELEASES.slice(0, 2));
    await lights.subscribe({});
    await waitFor(cluster(), SUBSCRIPTION, runs('1.1.0'));
    await lights.apply(beacon('north', NAMESPACE, { colour: 'red' }));
    await lights.isLit('v1', NAMESPACE, 'north', '1.1.0');
  });

  test('is kept from harm by a release that brings webhooks and answers none of them', async () => {
    const serving = await lights.inUse(['v1'], async () => {
      await offer(...RELEASES.slice(0, 2), DEAF_AT_FIRST);
      const reason = /^(WebhookSilent|ProgressDeadlineExceeded)$/;
      const says = [/Pod beacon-operator-\w+-\w+, which is ready, does not answer/];
      await expectGivenUp(cluster(), SUBSCRIPTION, { version: DEAF_AT_FIRST.version, reason, says });
      await waitFor(cluster(), SUBSCRIPTION, runs('1.1.0'));
    });
    expect(serving.failures).toEqual([]);
    expect(serving.fewestAvailable).toBeGreaterThan(0);
    const stored = ['get', 'crd', 'beacons.example.slipway.dev', '-o', 'jsonpath={.status.storedVersions}'];
    expect(await kubectl(stored)).toBe('["v1"]');
  });

  test('is upgraded to the release that answers', async () => {
    const serving = await lights.inUse(['v1'], async () => {
      await offer(...OFFERED);
      await waitFor(cluster(), SUBSCRIPTION, runs('2.0.0'));
    });
    expect(serving.failures).toEqual([]);
  });

  test.each(BROKEN)(
    '$because: the Subscription reports it, and 2.0.0 keeps working',
    async ({ release, reason, says }) => {
      const serving = await lights.inUse(['v1', 'v2'], async () => {
        await offer(...OFFERED, ...ALL_BROKEN.slice(0, ALL_BROKEN.indexOf(release) + 1));
        await expectGivenUp(cluster(), SUBSCRIPTION, { version: release.version, reason, says });
        await waitFor(cluster(), SUBSCRIPTION, runs('2.0.0'));
      });
      expect(serving.failures).toEqual([]);
      expect(serving.fewestAvailable).toBeGreaterThan(0);
    },
  );

  test('is repaired by the release after it, which is tried though others failed', async () => {
    const serving = await lights.inUse(['v1', 'v2'], async () => {
      await offer(...OFFERED, ...ALL_BROKEN, FIXED);
      await waitFor(cluster(), SUBSCRIPTION, runs('2.9.0'));
      await lights.isLit('v2', NAMESPACE, 'north', '2.9.0');
    });
    expect(serving.failures).toEqual([]);
  });

  test('is upgraded without harm by a manager that is killed in the middle of the rehearsal', async () => {
    const serving = await lights.inUse(['v1', 'v2'], async () => {
      await offer(...OFFERED, ...ALL_BROKEN, FIXED, NEXT);
      await until('the upgrade is rehearsed', async () =>
        heldFor(await get(cluster(), 'deployment', PACKAGE, NAMESPACE)),
      );
      await lights.restartManager();
      await waitFor(cluster(), SUBSCRIPTION, runs('2.10.0'));
    });
    expect(serving.failures).toEqual([]);
    const traces = await kubectl(['get', 'mutatingwebhookconfigurations,services', '-A', '-o', 'name']);
    expect(traces).not.toMatch(/slipway-probe|-rehearsal-/);
  });
});
