import { describe } from 'vitest';
import { createFakeCluster } from '../kube/testing/fake-cluster.ts';
import { describeWrites } from './testing/write-cases.ts';

describe('writes to the fake API server', () => {
  const cluster = createFakeCluster();
  describeWrites(() => cluster, 'default');
});
