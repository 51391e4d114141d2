/** Gives the tests of one file a cluster that is theirs as long as they run. */
import { afterAll, afterEach, beforeAll } from 'vitest';
import { startCluster, type ClusterOptions, type TestCluster } from '../cluster/cluster.ts';
import { ClusterKeeper } from './cluster-keeper.ts';
import { byExtent } from './sample.ts';

export { REGISTRY_USER } from '../cluster/cluster.ts';

/**
 * For a file that makes a thousand kinds if it takes every case, each of which controllers would watch; its sample is served by
 * the cluster of the other files.
 */
export const FOR_MANY_KINDS = byExtent<ClusterOptions | undefined>({
  all: { only: ['kube-apiserver'] },
  sample: undefined,
});

/** Long enough to build the programs first, if that has never been done. */
const UP_WITHIN_MS = 30 * 60_000;

/** Each process of tests has a cluster, and there are more of them than processors. */
const AMONG_OTHERS = { oneProcessor: true } as const;

/** One for all files that a process runs. */
const keeper = new ClusterKeeper(() => startCluster(AMONG_OTHERS));

/**
 * A cluster for the tests of the surrounding `describe` or file, with nothing in it before the first. One without options
 * may have served another file before; one with options is started, and stopped after the tests. The handle is there from the
 * first test on:
 *
 *     const cluster = useCluster({ only: ['kube-apiserver'] });
 *     test('…', async () => { await cluster().kubectl(['get', 'namespaces']); });
 */
export function useCluster(options?: ClusterOptions): () => TestCluster {
  let cluster: TestCluster | undefined;
  let tested = false; // a hook that throws keeps the tests from running
  let failed = false;
  beforeAll(async () => {
    cluster = await (options === undefined ? keeper.borrow() : startCluster({ ...AMONG_OTHERS, ...options }));
  }, UP_WITHIN_MS);
  afterEach(({ task }) => {
    tested = true;
    failed ||= task.result?.state === 'fail';
  });
  afterAll(async () => {
    if (cluster === undefined) return;
    await (options === undefined ? keeper.giveBack(cluster, { failed: failed || !tested }) : cluster.stop());
  });
  return () => {
    if (cluster === undefined) throw new Error('The cluster is there once the tests run, not while they are collected');
    return cluster;
  };
}
