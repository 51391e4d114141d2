import { describe } from 'vitest';
import { describeContract } from './contract.ts';
import { createFakeCluster } from './fake-cluster.ts';

describe('the cluster in memory does what apply relies on', () => {
  const cluster = createFakeCluster();
  describeContract(() => cluster, 'default');
});
