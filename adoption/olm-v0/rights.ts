/**
 * Which rights of OLM v0 are granted by Slipway too. OLM grants more than a bundle renders to: rights on the Secret of its
 * certificate, and on reviews of access. Those must not go. Pure.
 */
import { groupKind, type KubeObject } from '../../api/object.ts';
import { canonicalJson } from '../../api/json.ts';
import { fieldsOf, listOf, textOf } from '../../api/untyped.ts';

/** The roles and bindings of OLM that may go: Slipway grants each of their rights to the same accounts. */
export function replacedRights(ofOlm: readonly KubeObject[], ofSlipway: readonly KubeObject[]): readonly KubeObject[] {
  const granted = new Set(ofSlipway.filter(isBinding).flatMap((binding) => grantsOf(binding, ofSlipway) ?? []));
  const isCovered = (binding: KubeObject): boolean =>
    grantsOf(binding, ofOlm)?.every((one) => isIn(granted, one)) === true;
  const kept = ofOlm.filter((object) => isBinding(object) && !isCovered(object));
  const needed = new Set(kept.map((binding) => roleOf(binding)));
  return ofOlm.filter((object) => !kept.includes(object) && !needed.has(nameOf(object)));
}

export function isBinding({ kind }: Pick<KubeObject, 'kind'>): boolean {
  return kind === 'RoleBinding' || kind === 'ClusterRoleBinding';
}

/** Whether the object is a role or a binding. */
export function isRight({ kind }: Pick<KubeObject, 'kind'>): boolean {
  return /^(?:Cluster)?Role(?:Binding)?$/.test(kind);
}

/** A right of an account in a namespace; in all of them with `*`. */
interface Grant {
  readonly where: string;
  readonly right: string;
}

/** Each rule for each account; undefined if the role is none of these objects. */
function grantsOf(binding: KubeObject, roles: readonly KubeObject[]): readonly Grant[] | undefined {
  const role = roles.find((one) => nameOf(one) === roleOf(binding));
  if (role === undefined) return undefined;
  const where = binding.kind === 'ClusterRoleBinding' ? '*' : (binding.metadata.namespace ?? '');
  const accounts = listOf(binding['subjects']).map(({ kind, namespace, name }) =>
    [kind, namespace, name].map(textOf).join('/'),
  );
  return accounts.flatMap((account) =>
    listOf(role['rules']).map((rule) => ({ where, right: `${account} ${canonicalJson(rule)}` })),
  );
}

function isIn(granted: ReadonlySet<Grant>, { where, right }: Grant): boolean {
  return [...granted].some((one) => one.right === right && (one.where === '*' || one.where === where));
}

/** The identity of the role that a binding names. */
export function roleOf(binding: KubeObject): string {
  const { kind, name } = fieldsOf(binding['roleRef']);
  const namespace = kind === 'Role' ? (binding.metadata.namespace ?? '') : '';
  return `${textOf(kind)}.rbac.authorization.k8s.io|${namespace}|${textOf(name)}`;
}

function nameOf(object: KubeObject): string {
  return `${groupKind(object)}|${object.metadata.namespace ?? ''}|${object.metadata.name}`;
}
