/**
 * The rights of the manager on the kinds that a bundle defines and brings objects of: a ClusterRole and its binding,
 * which are objects of the Revision. So they are applied after the CRDs belong to the Revision, are in its inventory,
 * and are removed with it. Only for a Subscription that acts as the manager: an account holds its rights itself. Pure.
 */
import { prepareObjects, type Owner } from '../../../apply/prepare.ts';
import { identityOf } from '../../../apply/identity.ts';
import { ANNOTATION } from '../../../api/names.ts';
import { refOf, type KubeObject, type ObjectRef } from '../../../api/object.ts';
import type { Revision } from '../../../api/revision.ts';
import type { Account } from '../../service-account.ts';
import { accessName, accessRules } from '../../../plan/own-kinds.ts';
import { ownerOf, prepareFor } from '../../prepare-for.ts';

const RBAC = 'rbac.authorization.k8s.io';

/** The objects with the rights that the manager needs for them; unchanged if it needs none. */
export function withAccess(
  revision: Revision,
  objects: readonly KubeObject[],
  manager: Account,
): readonly KubeObject[] {
  const rules = accessRules(objects);
  if (rules.length === 0) return objects;
  const name = accessName(ownerOf(revision));
  const metadata = { name, annotations: { [ANNOTATION.access]: 'custom-resources' } };
  const role = { apiVersion: `${RBAC}/v1`, kind: 'ClusterRole', metadata, rules };
  const roleRef = { apiGroup: RBAC, kind: 'ClusterRole', name };
  const subjects = [{ kind: 'ServiceAccount', ...manager }];
  const binding = { apiVersion: `${RBAC}/v1`, kind: 'ClusterRoleBinding', metadata, roleRef, subjects };
  const access = prepareObjects([role, binding], prepareFor(revision));
  const taken = new Set(access.map((object) => identityOf(refOf(object))));
  return [...objects.filter((object) => !taken.has(identityOf(refOf(object)))), ...access];
}

/** Whether the object is a right that the manager gave itself for the owner: the manager also removes it. */
export function isAccess({ apiVersion, kind, name }: ObjectRef, owner: Owner): boolean {
  return apiVersion.startsWith(`${RBAC}/`) && kind.startsWith('ClusterRole') && name === accessName(owner);
}
