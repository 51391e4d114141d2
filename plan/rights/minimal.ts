/**
 * The rights that an account needs to install the objects of a bundle: to read and write each of them, and to hold every
 * right that their roles and bindings give away, as the API server lets no account give away more. No rule of the result
 * is covered by the others. Rights to describe a fault, to prune and to uninstall are not among them. Pure.
 */
import { canonicalJson } from '../../api/json.ts';
import { groupKind, groupOf, type KubeObject } from '../../api/object.ts';
import { fieldsOf, textOf } from '../../api/untyped.ts';
import { isCrdEntry } from '../../apply/custom-resources.ts';
import { issuedCertificates } from '../additions.ts';
import { EVERYWHERE, AtomSet } from './atom.ts';
import { atomsOf, type PermittedRule } from './atoms-of.ts';
import { rulesOf, type RightsRule } from './rule.ts';

/** A rule, and the namespace in which it is needed; EVERYWHERE for the whole cluster. */
export interface ScopedRule {
  readonly scope: string;
  readonly rule: RightsRule;
}

const RBAC = 'rbac.authorization.k8s.io';

/** The rules, the cluster first, then by namespace. @param objects As prepareObjects returns them. */
export function minimalRights(objects: readonly KubeObject[]): readonly ScopedRule[] {
  return joinRules([...rightsToWrite(objects), ...rightsGivenAway(objects)]);
}

/** The rules to read and write the objects, and the certificates that the manager issues for them. */
export function rightsToWrite(objects: readonly KubeObject[]): readonly ScopedRule[] {
  return rulesToWrite([...objects, ...certificateSecrets(objects)], pluralsIn(objects));
}

/** The rules to delete objects. */
export function rightsToDelete(objects: readonly KubeObject[]): readonly ScopedRule[] {
  return byResource(objects, pluralsIn(objects)).map(({ scope, about, names }) => ({
    scope,
    rule: { verbs: ['delete'], ...about, resourceNames: names },
  }));
}

/** The rules, each once, without those that the others cover. */
export function joinRules(rules: readonly ScopedRule[]): readonly ScopedRule[] {
  return withoutCovered(distinct(rules)).toSorted(compareScoped);
}

function compareScoped(a: ScopedRule, b: ScopedRule): number {
  if (a.scope !== b.scope) return a.scope < b.scope ? -1 : 1;
  const [x, y] = [canonicalJson(a.rule), canonicalJson(b.rule)];
  return x < y ? -1 : Number(x > y);
}

/** The Secrets of the certificates that the manager issues, as the account. */
function certificateSecrets(objects: readonly KubeObject[]): readonly KubeObject[] {
  return issuedCertificates(objects).map(({ required, deployment: { namespace = '' } }) => ({
    apiVersion: 'v1',
    kind: 'Secret',
    metadata: { name: required.secretName, namespace },
  }));
}

/** Plurals by group-kind of the kinds that the CRDs among the objects define. */
function pluralsIn(objects: readonly KubeObject[]): ReadonlyMap<string, string> {
  return new Map(
    objects.filter(isCrdEntry).map(({ spec }) => {
      const { group, names } = fieldsOf(spec);
      const { kind, plural } = fieldsOf(names);
      return [`${textOf(kind)}.${textOf(group)}`, textOf(plural)] as const;
    }),
  );
}

/** A right to create cannot be limited to a name, other rights can. */
function rulesToWrite(objects: readonly KubeObject[], plurals: ReadonlyMap<string, string>): readonly ScopedRule[] {
  return byResource(objects, plurals).flatMap(({ scope, about, names }) => [
    { scope, rule: { verbs: ['create'], ...about, resourceNames: [] } },
    { scope, rule: { verbs: ['get', 'patch'], ...about, resourceNames: names } },
  ]);
}

interface NamedResource {
  readonly scope: string;
  readonly about: Pick<RightsRule, 'apiGroups' | 'resources' | 'nonResourceURLs'>;
  readonly names: readonly string[];
}

function byResource(objects: readonly KubeObject[], plurals: ReadonlyMap<string, string>): readonly NamedResource[] {
  const groups = Map.groupBy(objects, (object) => {
    const resource = plurals.get(groupKind(object)) ?? pluralOf(object.kind);
    return JSON.stringify([object.metadata.namespace ?? EVERYWHERE, groupOf(object.apiVersion), resource]);
  });
  return [...groups].map(([key, members]) => {
    const [scope, group, resource] = JSON.parse(key) as [string, string, string];
    const names = [...new Set(members.map(({ metadata }) => metadata.name))].sort();
    return { scope, about: { apiGroups: [group], resources: [resource], nonResourceURLs: [] }, names };
  });
}

/** `networkpolicies`, `ingresses`: the plural that the kinds of Kubernetes and of the known projects have. */
function pluralOf(kind: string): string {
  const name = kind.toLowerCase();
  if (/(s|x|z|ch|sh)$/.test(name)) return `${name}es`;
  return /[^aeiou]y$/.test(name) ? `${name.slice(0, -1)}ies` : `${name}s`;
}

/**
 * The rules of the roles and of the roles that bindings name; a role that the bundle lacks must be bound by its name. A
 * bundle that gives away `escalate` or `bind` needs an account that has them, and with them the account need not hold
 * the other rules.
 */
export function rightsGivenAway(objects: readonly KubeObject[]): readonly ScopedRule[] {
  const gifts = giftsOf(objects);
  const enabling = neededToEnable(distinct(gifts.flatMap(({ rules }) => rules.filter(isAboutRoles))), gifts);
  const isFree = freeBy(enabling);
  return [...enabling, ...gifts.flatMap((gift) => (isFree(gift) ? [] : gift.rules))];
}

/** The write of a role or a binding. */
interface Gift {
  /** The rules that its writer must hold. */
  readonly rules: readonly ScopedRule[];
  /** The right that takes their place. */
  readonly instead: ScopedRule;
}

function giftsOf(objects: readonly KubeObject[]): readonly Gift[] {
  const roles = objects.filter((object) => [`ClusterRole.${RBAC}`, `Role.${RBAC}`].includes(groupKind(object)));
  const byKey = new Map(roles.map((role) => [keyOf(role.kind, role.metadata.namespace, role.metadata.name), role]));
  const bindings = objects.filter((object) => /^(?:Cluster)?RoleBinding\.rbac\.authorization\.k8s\.io$/.test(groupKind(object))); // prettier-ignore
  return [
    ...roles.map((role) => giftOf(role, role.metadata.namespace, mayEscalate(role))),
    ...bindings.map(({ roleRef, metadata: { namespace } }) => {
      const [kind, name] = [textOf(fieldsOf(roleRef)['kind']), textOf(fieldsOf(roleRef)['name'])];
      return giftOf(byKey.get(keyOf(kind, namespace, name)), namespace, mayBind(kind, name, namespace ?? EVERYWHERE));
    }),
  ];
}

/** @param role Undefined if the bundle lacks it, so that its rules are not known. */
function giftOf(role: KubeObject | undefined, namespace: string | undefined, instead: ScopedRule): Gift {
  return { instead, rules: role === undefined || isFilled(role) ? [instead] : scopedRules(role, namespace) };
}

/** Whether a rule has `escalate` or `bind` on roles. */
function isAboutRoles({ rule: { verbs, apiGroups, resources } }: ScopedRule): boolean {
  const has = (list: readonly string[], ...values: readonly string[]): boolean =>
    ['*', ...values].some((value) => list.includes(value));
  return has(verbs, 'escalate', 'bind') && has(apiGroups, RBAC) && has(resources, 'roles', 'clusterroles');
}

/** Whether a gift needs no rules of its own, by these rules. */
function freeBy(enabling: readonly ScopedRule[]): (gift: Gift) => boolean {
  const held = new AtomSet(enabling.flatMap(atomsOfScoped));
  return ({ instead }) => atomsOfScoped(instead).every((atom) => held.covers(atom));
}

/** Without the rules that make no gift free which is not free by the others. */
function neededToEnable(rules: readonly ScopedRule[], gifts: readonly Gift[]): readonly ScopedRule[] {
  const countFree = (some: readonly ScopedRule[]): number => gifts.filter(freeBy(some)).length;
  return rules.reduce<readonly ScopedRule[]>((kept, rule) => {
    const others = kept.filter((one) => one !== rule);
    return countFree(others) === countFree(kept) ? others : kept;
  }, rules);
}

function keyOf(kind: string, namespace: string | undefined, name: string): string {
  return kind === 'ClusterRole' ? name : `${namespace ?? ''}/${name}`;
}

/** The API server fills the rules of such a role from other roles: who writes it needs every right, or `escalate`. */
function isFilled(role: KubeObject): boolean {
  return role['aggregationRule'] !== undefined;
}

function scopedRules(role: KubeObject, namespace: string | undefined): readonly ScopedRule[] {
  return rulesOf(role).map((rule) => ({ scope: namespace ?? EVERYWHERE, rule }));
}

function mayEscalate({ kind, metadata: { name, namespace = EVERYWHERE } }: KubeObject): ScopedRule {
  const about = { apiGroups: [RBAC], resources: [`${kind.toLowerCase()}s`], nonResourceURLs: [] };
  return { scope: namespace, rule: { verbs: ['escalate'], ...about, resourceNames: [name] } };
}

function mayBind(kind: string, name: string, scope: string): ScopedRule {
  const resources = [kind === 'ClusterRole' ? 'clusterroles' : 'roles'];
  return {
    scope,
    rule: { verbs: ['bind'], apiGroups: [RBAC], resources, resourceNames: [name], nonResourceURLs: [] },
  };
}

/** Each rule once; paths of the API server count for the whole cluster only. */
function distinct(rules: readonly ScopedRule[]): readonly ScopedRule[] {
  const plain = rules.flatMap(({ scope, rule }): readonly ScopedRule[] => {
    if (rule.nonResourceURLs.length === 0) return [{ scope, rule }];
    const rest = { ...rule, nonResourceURLs: [] };
    const urls = { ...rule, apiGroups: [], resources: [], resourceNames: [] };
    return [
      ...(scope === EVERYWHERE ? [{ scope, rule: urls }] : []),
      ...(rule.resources.length > 0 ? [{ scope, rule: rest }] : []),
    ];
  });
  return [...new Map(plain.map((one) => [canonicalJson({ ...one }), one])).values()];
}

/** Without the rules that the others cover; the narrowest are dropped first, so that the wider ones stay. */
function withoutCovered(rules: readonly ScopedRule[]): readonly ScopedRule[] {
  const kept = new Set(rules);
  const atoms = new Map(rules.map((one) => [one, atomsOfScoped(one)] as const));
  const narrowFirst = rules.toSorted((a, b) => (atoms.get(a)?.length ?? 0) - (atoms.get(b)?.length ?? 0));
  for (const rule of narrowFirst) {
    const others = new AtomSet([...kept].filter((one) => one !== rule).flatMap((one) => atoms.get(one) ?? []));
    if ((atoms.get(rule) ?? []).every((atom) => others.covers(atom))) kept.delete(rule);
  }
  return rules.filter((rule) => kept.has(rule));
}

/** The parts of one rule, held by the operator: the holder has no say in a comparison of rules. */
export function atomsOfScoped({ scope, rule }: ScopedRule): ReturnType<typeof atomsOf> {
  const permitted: PermittedRule = scope === EVERYWHERE ? rule : { ...rule, namespaces: [scope] };
  return atomsOf([], new Map(), [permitted]);
}
