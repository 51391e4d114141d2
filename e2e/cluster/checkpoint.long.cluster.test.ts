import { expect, test } from 'vitest';
import { useCluster } from '../lib/cluster.ts';
import { until } from '../lib/until.ts';

const cluster = useCluster({ only: ['kube-apiserver', 'kube-controller-manager'], registry: false });
const ROOT_CA = '/api/v1/namespaces/kube-system/configmaps/kube-root-ca.crt';

const exists = (path: string): Promise<boolean> =>
  cluster()
    .read(path)
    .then(
      () => true,
      () => false,
    );

test('an object that a component had not made yet belongs to the state, and one of a test does not', async () => {
  await until('the authority is published', () => exists(ROOT_CA));
  await cluster().pause('kube-controller-manager');
  await cluster().request('DELETE', ROOT_CA);
  const checkpoint = await cluster().checkpoint();
  await cluster().resume('kube-controller-manager');
  await until('the component has made it', () => exists(ROOT_CA));
  for (let round = 0; round < 2; round += 1) {
    await cluster().kubectl(['create', 'configmap', 'left', '-n', 'kube-system']);
    await checkpoint.restore();
    expect(await exists('/api/v1/namespaces/kube-system/configmaps/left')).toBe(false);
    expect(await exists(ROOT_CA)).toBe(true);
  }
});
