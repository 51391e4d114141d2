/** Commands in a cluster without Slipway, and in a namespace that does not exist: each is named as the cause. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { startFakeApi, type FakeApi } from '../../../kube/testing/fake-api.ts';
import { clusterEntry, kubeconfigText } from '../../../kube/testing/kubeconfig-text.ts';
import { useWorkplace } from '../testing/slipway.ts';
import { useFakeCluster } from './testing/fake-cluster.ts';

describe('in a cluster without Slipway', () => {
  const workplace = useWorkplace();
  let api: FakeApi;
  beforeAll(async () => {
    api = await startFakeApi();
    workplace().write(new Map([['kubeconfig', kubeconfigText({ token: 't' }, clusterEntry(api.config))]]));
  });
  afterAll(() => api.close());

  test.each([
    ['get'],
    ['get', 'registrypolicies'],
    ['get', 'all'],
    ['install', 'gadget'],
    ['why', 'gadget'],
    ['why-not', 'gadget@1.0.0'],
    ['status', 'gadget'],
    ['wait', 'gadget'],
    ['suspend', 'gadget'],
    ['upgrade', 'gadget'],
    ['uninstall', 'gadget', '--preview'],
    ['logs', 'gadget'],
    ['outdated'],
    ['list'],
  ])('%s %s reports that Slipway is not installed', async (...args) => {
    const cluster = ['--kubeconfig', 'kubeconfig', '--context', 'two'];
    const { code, stderr } = await workplace().run(...args.filter((word) => word !== undefined), ...cluster);
    expect({ code, stderr }).toEqual({
      code: 1,
      stderr: expect.stringMatching(/^slipway: InputInvalid: Slipway is not installed in this cluster: .*\n {2}Install/) as string, // prettier-ignore
    });
  });
});

describe('in a namespace that does not exist', () => {
  const cluster = useFakeCluster();

  test('install names the namespace', async () => {
    const { code, stderr } = await cluster().run('install', 'gadget', '-n', 'nowhere');
    expect({ code, stderr }).toEqual({
      code: 1,
      stderr:
        'slipway: InputInvalid: there is no namespace "nowhere"\n  Create it by `kubectl create namespace nowhere`, or name another one by --namespace\n',
    });
  });
});
