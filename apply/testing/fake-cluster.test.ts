import { describe } from 'vitest';
import { describeContract } from './contract.ts';
import { createFakeCluster } from './fake-cluster.ts';

describe('the in-memory cluster behaves as apply/ assumes', () => {
  const cluster = createFakeCluster();
  describeContract(() => cluster, 'default');
});
