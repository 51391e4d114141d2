/** A real manager's decision and the answer from catalogs alone name the same causes in the same words. */
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { useCluster } from '../../../e2e/lib/cluster.ts';
import { installSlipway, ROOT, startManager, type RunningManager } from '../../../e2e/lib/manager.ts';
import { catalogOf, isReady, runs, subscriptionTo, waitFor } from '../../../e2e/lib/objects.ts';
import { packageDocuments, publishBundle, publishCatalog } from '../../../e2e/lib/publish.ts';
import { createCredentialPlugin } from '../../../kube/testing/credential-plugin.ts';
import { clusterEntry, kubeconfigText } from '../../../kube/testing/kubeconfig-text.ts';
import { useWorkplace } from '../testing/slipway.ts';
import type { WhyAnswer } from '../../../report/why-answer.ts';

const cluster = useCluster();
const workplace = useWorkplace();
const VERSIONS = ['1.0.0', '1.1.0', '2.0.0'];
let manager: RunningManager;

beforeAll(async () => {
  const { registry, kubectl } = cluster();
  const published = VERSIONS.map(async (version, index) => ({
    version,
    image: await publishBundle(
      join(ROOT, 'bundles/examples/beacon-operator', version),
      `${registry}/beacon-operator:v${version}`,
    ),
    ...(index > 0 && { replaces: VERSIONS[index - 1] as string }),
  }));
  await publishCatalog(packageDocuments('beacon-operator', await Promise.all(published)), `${registry}/catalog:latest`);
  await installSlipway(cluster());
  manager = await startManager(cluster());
  await kubectl(['create', 'namespace', 'lights']);
  await kubectl(['apply', '-f', '-'], catalogOf('examples', `${registry}/catalog:latest`));
  await waitFor(cluster(), { kind: 'catalog', name: 'examples' }, isReady);
  await kubectl(
    ['apply', '-f', '-'],
    subscriptionTo('beacon', 'lights', { package: 'beacon-operator', version: '~1.0', onFailure: { bakeTime: '1s' } }),
  );
  await waitFor(cluster(), { kind: 'subscription', name: 'beacon', namespace: 'lights' }, runs('1.0.0'));
});
afterAll(async () => {
  await manager?.stop();
});

test('a kubeconfig with a credential plugin reaches the API server', async () => {
  const { folder, server, ca, token } = cluster();
  const path = join(workplace().folder, 'plugin.kubeconfig');
  const plugin = createCredentialPlugin(join(folder, 'tmp', 'plugin'));
  plugin.give({ token: await token('slipway-system', 'slipway-manager') });
  workplace().write(
    new Map([['plugin.kubeconfig', kubeconfigText({ exec: plugin.exec }, clusterEntry({ server, ca }))]]),
  );
  const answer = await workplace().json<WhyAnswer>(
    'why',
    'beacon-operator',
    '--namespace',
    'lights',
    '--kubeconfig',
    path,
  );
  expect(answer).toMatchObject({ chosen: true, installed: { version: '1.0.0' } });
  expect(plugin.runs()).toBe(1);
  plugin.give({ token: 'wrong' });
  const refused = await workplace().run('why', 'beacon-operator', '--namespace', 'lights', '--kubeconfig', path);
  expect(refused).toMatchObject({ code: 1, stderr: expect.stringContaining('slipway: Forbidden: ') });
});

describe('a Subscription that a manager reconciles', () => {
  const inCluster = (...args: readonly string[]): Promise<WhyAnswer> =>
    workplace().json<WhyAnswer>(...args, '--namespace', 'lights', '--kubeconfig', cluster().kubeconfig);
  const inCatalog = (...args: readonly string[]): Promise<WhyAnswer> =>
    workplace().json<WhyAnswer>(...args, '--catalog', `${cluster().registry}/catalog:latest`, '--version', '~1.0', '--installed', '1.0.0'); // prettier-ignore

  test('prints the chosen version', async () => {
    expect(await inCluster('why', 'beacon-operator')).toMatchObject({
      chosen: true,
      reason: 'UpToDate',
      installed: { version: '1.0.0' },
      available: { version: '1.0.0' },
    });
  });

  test.each(['1.1.0', '2.0.0'])('prints why %s is not chosen, as the catalog itself does', async (version) => {
    const subject = `beacon-operator@${version}`;
    const [told, asked] = [await inCluster('why-not', subject), await inCatalog('why-not', subject)];
    expect(told).toMatchObject({ chosen: false, standing: 'Refused' });
    const reasonOf = ({ refused }: WhyAnswer): object | undefined => {
      const found = refused.find((one) => one.version === version);
      return found && { reason: found.reason, message: found.message };
    };
    expect(reasonOf(told)).toEqual(reasonOf(asked));
    expect(reasonOf(told)).toMatchObject({ reason: 'VersionNotFound' });
    expect(asked.changes).toEqual([`Set version to ${version}`]);
  });
});
