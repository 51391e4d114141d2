/** Finds the rules that the bindings among some objects grant, and to which holder. Pure. */
import { fieldsOf, listOf, textOf } from '../../api/untyped.ts';
import { groupKind, type KubeObject } from '../../api/object.ts';
import { operatorAccounts } from './accounts.ts';
import { EVERYWHERE, WHERE_HELD } from './atom.ts';
import type { RightsBudget } from './budget.ts';
import type { OperatorRight } from './right.ts';
import { Roles, type KnownClusterRoles } from './roles.ts';
import type { RightsRule } from './rule.ts';

/** Rules that a holder has in a scope, and rights in words as far as the rules are not known. */
export interface Grant {
  readonly holder: string;
  /** A namespace, EVERYWHERE or WHERE_HELD. */
  readonly scope: string;
  readonly rules: readonly RightsRule[];
  /** Their words continue with the scope. */
  readonly stated: readonly StatedRight[];
}

/** A right in words, without its holder. */
export type StatedRight = Omit<OperatorRight, 'holder'>;

export const OPERATOR = 'the operator';

const RBAC = 'rbac.authorization.k8s.io';

/**
 * Every grant of the objects: by bindings, and by aggregation to ClusterRoles of users. Their number grows with that of
 * the objects: the grants of one role share its rules.
 */
export function grantsOf(
  objects: readonly KubeObject[],
  known: KnownClusterRoles,
  budget: RightsBudget,
): readonly Grant[] {
  const roles = new Roles(objects, known, budget);
  const accounts = operatorAccounts(objects);
  return [
    ...objects.filter(isBinding).flatMap((binding) => grantsOfBinding(binding, roles, accounts)),
    ...roles.own.flatMap((role) => grantsByAggregation(role, roles)),
  ];
}

function isBinding(object: KubeObject): boolean {
  return [`ClusterRoleBinding.${RBAC}`, `RoleBinding.${RBAC}`].includes(groupKind(object));
}

function grantsOfBinding(binding: KubeObject, roles: Roles, accounts: ReadonlySet<string>): readonly Grant[] {
  const namespace = binding.metadata.namespace;
  const scope = binding.kind === 'RoleBinding' ? (namespace ?? '') : EVERYWHERE;
  const holders = listOf(binding['subjects']).map((subject) => holderOf(subject, namespace, accounts));
  const { kind, name } = fieldsOf(binding['roleRef']);
  const content = roles.contentOf({ kind: textOf(kind), name: textOf(name), scope });
  return [...new Set(holders)].map((holder) => ({ holder, scope, ...content }));
}

function holderOf(
  subject: Readonly<Record<string, unknown>>,
  namespace: string | undefined,
  accounts: ReadonlySet<string>,
): string {
  const name = textOf(subject['name']);
  if (subject['kind'] === 'Group') return `the group ${name}`;
  if (subject['kind'] !== 'ServiceAccount') return `the user ${name}`;
  const account = `${textOf(subject['namespace']) || (namespace ?? '')}/${name}`;
  return accounts.has(account) ? OPERATOR : `the ServiceAccount ${account}`;
}

/** ` in every namespace`, ` in the namespace ops`. */
export function describeScope(scope: string): string {
  if (scope === EVERYWHERE) return ' in every namespace';
  return scope === WHERE_HELD ? ' in the namespaces of that role' : ` in the namespace ${scope}`;
}

const AGGREGATE_TO = /^rbac\.authorization\.k8s\.io\/aggregate-to-(.+)$/;

/** A label adds the rules of a ClusterRole to one that users hold. */
function grantsByAggregation(role: KubeObject, roles: Roles): readonly Grant[] {
  return Object.entries(role.metadata.labels ?? {}).flatMap(([label, value]) => {
    const target = value === 'true' ? AGGREGATE_TO.exec(label)?.[1] : undefined;
    if (target === undefined) return [];
    const holder = `every holder of the ClusterRole ${target}`;
    return [{ holder, scope: WHERE_HELD, ...roles.contentOfOwn(role) }];
  });
}
