/** Makes roles and bindings of scoped rules, for one ServiceAccount. Pure. */
import type { KubeObject } from '../../api/object.ts';
import { EVERYWHERE } from './atom.ts';
import type { ScopedRule } from './scoped-rule.ts';
import type { RightsRule } from './rule.ts';

/** The ServiceAccount that gets the rights. */
export interface RightsHolder {
  readonly namespace: string;
  readonly name: string;
}

const GROUP = 'rbac.authorization.k8s.io';
const API_VERSION = `${GROUP}/v1`;

/** One ClusterRole for the whole cluster and one Role for each namespace, each with its binding. */
export function rolesFor(rules: readonly ScopedRule[], holder: RightsHolder, name: string): readonly KubeObject[] {
  return [...Map.groupBy(rules, ({ scope }) => scope)].flatMap(([scope, members]) => {
    const prefix = scope === EVERYWHERE ? 'Cluster' : '';
    // A name of the whole cluster must not be that of another namespace.
    const own = scope === EVERYWHERE ? `${holder.namespace}-${name}` : name;
    const metadata = scope === EVERYWHERE ? { name: own } : { name: own, namespace: scope };
    const subjects = [{ kind: 'ServiceAccount', name: holder.name, namespace: holder.namespace }];
    const roleRef = { apiGroup: GROUP, kind: `${prefix}Role`, name: own };
    return [
      { apiVersion: API_VERSION, kind: `${prefix}Role`, metadata, rules: members.map(({ rule }) => manifestOf(rule)) },
      { apiVersion: API_VERSION, kind: `${prefix}RoleBinding`, metadata, roleRef, subjects },
    ];
  });
}

/** Without empty lists. */
function manifestOf({ verbs, ...lists }: RightsRule): Readonly<Record<string, readonly string[]>> {
  const set = Object.entries(lists).filter(([, list]) => list.length > 0) as readonly [string, readonly string[]][];
  return { ...Object.fromEntries(set), verbs };
}
