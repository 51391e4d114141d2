/** A cluster whose Deployments get their Pods at once, until a test holds the Pods back. */
import type { KubeObject } from '../../../api/object.ts';
import { settle, type FakeOptions } from '../../../kube/testing/fake-cluster.ts';

export interface SlowPods {
  readonly react: NonNullable<FakeOptions['react']>;
  /** From now on no Pod of a Deployment that is written becomes ready. */
  holdBack(): void;
}

export function slowPods(): SlowPods {
  let isSlow = false;
  return {
    react: (object) => (isSlow && object.kind === 'Deployment' ? withoutPods(object) : settle(object)),
    holdBack: () => void (isSlow = true),
  };
}

function withoutPods(object: KubeObject): KubeObject {
  const { generation } = object.metadata;
  return { ...object, status: { observedGeneration: generation, replicas: 1, updatedReplicas: 1 } };
}
