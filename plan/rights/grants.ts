/** Finds the rules that the bindings among some objects grant, and to which holder. Pure. */
import { fieldsOf, listOf, textOf } from '../../api/untyped.ts';
import { groupKind, type KubeObject } from '../../api/object.ts';
import { matchesSelector, type LabelSelector } from '../../resolver/selector.ts';
import { operatorAccounts } from './accounts.ts';
import { EVERYWHERE, WHERE_HELD } from './atom.ts';
import type { Danger, OperatorRight } from './right.ts';
import { rulesOf, textsOf, type RightsRule } from './rule.ts';

/** Rules that a holder has in a scope, or a right in words if the rules are not known. */
export interface Grant {
  readonly holder: string;
  /** A namespace, EVERYWHERE or WHERE_HELD. */
  readonly scope: string;
  readonly rules: readonly RightsRule[];
  readonly stated?: Omit<OperatorRight, 'holder'>;
}

/** Rules by name of ClusterRoles that the objects do not contain. */
export type KnownClusterRoles = ReadonlyMap<string, readonly RightsRule[]>;

export const OPERATOR = 'the operator';

const RBAC = 'rbac.authorization.k8s.io';

/** Every grant of the objects: by bindings, and by aggregation to ClusterRoles of users. */
export function grantsOf(objects: readonly KubeObject[], known: KnownClusterRoles): readonly Grant[] {
  const roles = rolesOf(objects, known);
  const accounts = operatorAccounts(objects);
  return [
    ...objects.filter(isBinding).flatMap((binding) => grantsOfBinding(binding, roles, accounts)),
    ...roles.own.flatMap(grantsByAggregation),
  ];
}

interface Roles {
  /** ClusterRoles of the bundle. */
  readonly own: readonly KubeObject[];
  /** By kind, namespace and name. */
  readonly byKey: ReadonlyMap<string, KubeObject>;
  readonly known: KnownClusterRoles;
}

function rolesOf(objects: readonly KubeObject[], known: KnownClusterRoles): Roles {
  const roles = objects.filter((object) => [`ClusterRole.${RBAC}`, `Role.${RBAC}`].includes(groupKind(object)));
  return {
    own: roles.filter(({ kind }) => kind === 'ClusterRole'),
    byKey: new Map(roles.map((role) => [keyOf(role.kind, role.metadata.namespace, role.metadata.name), role])),
    known,
  };
}

function keyOf(kind: string, namespace: string | undefined, name: string): string {
  return kind === 'ClusterRole' ? `${kind} ${name}` : `${kind} ${namespace ?? ''}/${name}`;
}

function isBinding(object: KubeObject): boolean {
  return [`ClusterRoleBinding.${RBAC}`, `RoleBinding.${RBAC}`].includes(groupKind(object));
}

function grantsOfBinding(binding: KubeObject, roles: Roles, accounts: ReadonlySet<string>): readonly Grant[] {
  const namespace = binding.metadata.namespace;
  const scope = binding.kind === 'RoleBinding' ? (namespace ?? '') : EVERYWHERE;
  const holders = listOf(binding['subjects']).map((subject) => holderOf(subject, namespace, accounts));
  const granted = grantsOfRole(fieldsOf(binding['roleRef']), scope, roles);
  return [...new Set(holders)].flatMap((holder) => granted.map((grant) => ({ ...grant, holder })));
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

type Granted = Omit<Grant, 'holder'>;

function grantsOfRole(ref: Readonly<Record<string, unknown>>, scope: string, roles: Roles): readonly Granted[] {
  const [kind, name] = [textOf(ref['kind']), textOf(ref['name'])];
  const role = roles.byKey.get(keyOf(kind, scope, name));
  if (role !== undefined) return grantsOfOwnRole(role, scope, roles);
  const rules = kind === 'ClusterRole' ? (BUILT_IN.get(name) ?? roles.known.get(name)) : undefined;
  if (rules !== undefined) return [{ scope, rules }];
  return [{ scope, rules: [], stated: rightsOfRole(kind, name, scope) }];
}

/** The API server fills the rules of a role with an aggregationRule, from all ClusterRoles of the cluster. */
function grantsOfOwnRole(role: KubeObject, scope: string, { own }: Roles): readonly Granted[] {
  const { clusterRoleSelectors } = fieldsOf(role['aggregationRule']);
  if (clusterRoleSelectors === undefined) return [{ scope, rules: rulesOf(role) }];
  const selectors = listOf(clusterRoleSelectors);
  const matching = own.filter(({ metadata }) =>
    selectors.some((selector) => matchesSelector(readSelector(selector), metadata.labels)),
  );
  return [{ scope, rules: matching.flatMap(rulesOf) }, ...selectors.map((selector) => openGrant(selector, scope))];
}

function readSelector({ matchLabels, matchExpressions }: Readonly<Record<string, unknown>>): LabelSelector {
  const labels = Object.entries(fieldsOf(matchLabels)).map(([name, value]) => [name, String(value)] as const);
  return {
    matchLabels: Object.fromEntries(labels),
    matchExpressions: listOf(matchExpressions).map(({ key, operator, values }) => ({
      key: textOf(key),
      operator: textOf(operator),
      values: textsOf(values),
    })),
  };
}

function openGrant(selector: unknown, scope: string): Granted {
  const words = `has all rights of every ClusterRole with ${describeSelector(selector)}${describeScope(scope)}`;
  const because = 'so any ClusterRole that gets these labels adds to its rights';
  return { scope, rules: [], stated: { words, danger: 'high', because, isOpen: true } };
}

function describeSelector(selector: unknown): string {
  const { matchLabels, matchExpressions } = fieldsOf(selector);
  const labels = Object.entries(fieldsOf(matchLabels)).map(([name, value]) => `${name}=${String(value)}`);
  const expressions = listOf(matchExpressions).map(({ key, operator, values }) =>
    [key, operator, ...(Array.isArray(values) ? [values.join(' or ')] : [])].map(String).join(' '),
  );
  const all = [...labels, ...expressions].sort();
  return all.length === 0 ? 'any labels' : `the labels ${all.join(', ')}`;
}

const EVERYTHING: RightsRule = {
  verbs: ['*'],
  apiGroups: ['*'],
  resources: ['*'],
  resourceNames: [],
  nonResourceURLs: [],
};

/** ClusterRoles that every cluster has, with rules that no administrator changes. */
const BUILT_IN: KnownClusterRoles = new Map([
  ['cluster-admin', [EVERYTHING, { ...EVERYTHING, apiGroups: [], resources: [], nonResourceURLs: ['*'] }]],
]);

/** Well-known roles whose extent a reader knows by their names, with their danger. */
const WELL_KNOWN: ReadonlyMap<string, Danger> = new Map<string, Danger>([
  ['ClusterRole admin', 'high'],
  ['ClusterRole edit', 'high'],
  ['ClusterRole view', 'moderate'],
  ['ClusterRole system:auth-delegator', 'low'],
  ['Role extension-apiserver-authentication-reader', 'low'],
]);

function rightsOfRole(kind: string, name: string, scope: string): Omit<OperatorRight, 'holder'> {
  const danger = WELL_KNOWN.get(`${kind} ${name}`);
  const words = `has all rights of the ${kind} ${name}${describeScope(scope)}`;
  if (danger !== undefined) return { words, danger };
  return { words, danger: 'high', because: 'whose rules the bundle does not contain', isOpen: true };
}

/** ` in every namespace`, ` in the namespace ops`. */
export function describeScope(scope: string): string {
  if (scope === EVERYWHERE) return ' in every namespace';
  return scope === WHERE_HELD ? ' in the namespaces of that role' : ` in the namespace ${scope}`;
}

const AGGREGATE_TO = /^rbac\.authorization\.k8s\.io\/aggregate-to-(.+)$/;

/** A label adds the rules of a ClusterRole to one that users hold. */
function grantsByAggregation(role: KubeObject): readonly Grant[] {
  return Object.entries(role.metadata.labels ?? {}).flatMap(([label, value]) => {
    const target = value === 'true' ? AGGREGATE_TO.exec(label)?.[1] : undefined;
    if (target === undefined) return [];
    return [{ holder: `every holder of the ClusterRole ${target}`, scope: WHERE_HELD, rules: rulesOf(role) }];
  });
}
