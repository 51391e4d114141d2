/** Controllers of a fake cluster that succeed at once. Pure. */
import { groupKind, type KubeObject } from '../../api/object.ts';

/** The object with the status of success: a CRD is Established, a Deployment available, a Namespace active. */
export function settle(object: KubeObject): KubeObject {
  switch (groupKind(object)) {
    case 'CustomResourceDefinition.apiextensions.k8s.io':
      return { ...object, status: { conditions: [{ type: 'Established', status: 'True' }] } };
    case 'Namespace':
      return { ...object, status: { phase: 'Active' } };
    case 'Deployment.apps': {
      const replicas = (object['spec'] as { replicas?: number } | undefined)?.replicas ?? 1;
      const counts = { replicas, updatedReplicas: replicas, availableReplicas: replicas };
      return { ...object, status: { observedGeneration: object.metadata.generation, ...counts } };
    }
    default:
      return object;
  }
}
