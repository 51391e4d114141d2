/**
 * The rights of an operator on its own OperatorCondition. The collector deletes the OperatorCondition with the
 * ClusterServiceVersion, and OLM's Role and RoleBinding with it; these stand in until OLM has made both again. Pure.
 */
import { ANNOTATION } from '../../api/names.ts';
import type { KubeObject } from '../../api/object.ts';
import { fieldsOf, itemsOf, textOf } from '../../api/untyped.ts';
import type { Backup } from './backup.ts';

const RBAC = 'rbac.authorization.k8s.io/v1';

/** The Role and the RoleBinding; none for an operator without an OperatorCondition. */
export function conditionRights({ operator, operatorCondition, adoptedBy }: Backup): readonly KubeObject[] {
  if (operatorCondition === undefined) return [];
  const { namespace, csv } = operator;
  const accounts = itemsOf(fieldsOf(operatorCondition['spec'])['serviceAccounts']).map(textOf);
  const metadata = {
    name: `${csv}-handed-over`,
    namespace,
    annotations: { [ANNOTATION.adoptBy]: `${namespace}/${adoptedBy}` },
  };
  return [
    {
      apiVersion: RBAC,
      kind: 'Role',
      metadata,
      rules: [
        {
          apiGroups: ['operators.coreos.com'],
          resources: ['operatorconditions'],
          resourceNames: [csv],
          verbs: ['get', 'update', 'patch'],
        },
      ],
    },
    {
      apiVersion: RBAC,
      kind: 'RoleBinding',
      metadata,
      roleRef: { apiGroup: 'rbac.authorization.k8s.io', kind: 'Role', name: metadata.name },
      subjects: accounts.map((name) => ({ kind: 'ServiceAccount', name, namespace })),
    },
  ];
}
