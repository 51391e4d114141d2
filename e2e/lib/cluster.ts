/** Gives the tests of one file a cluster of their own. */
import { afterAll, beforeAll } from 'vitest';
import { startCluster, type ClusterOptions, type TestCluster } from '../cluster/cluster.ts';

export { REGISTRY_USER } from '../cluster/cluster.ts';

/** Long enough to build the programs first, if that has never been done. */
const UP_WITHIN_MS = 30 * 60_000;

/**
 * Starts a cluster before the tests of the surrounding `describe` or file and stops it after them. The handle is
 * there from the first test on:
 *
 *     const cluster = useCluster({ only: ['kube-apiserver'] });
 *     test('…', async () => { await cluster().kubectl(['get', 'namespaces']); });
 */
export function useCluster(options: ClusterOptions = {}): () => TestCluster {
  let cluster: TestCluster | undefined;
  beforeAll(async () => {
    cluster = await startCluster(options);
  }, UP_WITHIN_MS);
  afterAll(async () => {
    await cluster?.stop();
  });
  return () => {
    if (cluster === undefined) throw new Error('The cluster is there once the tests run, not while they are collected');
    return cluster;
  };
}
