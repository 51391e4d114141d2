/**
 * The rights that an account must hold since a bundle gives them away: by its roles, and by its bindings. The API server
 * lets no account give away more than it has. Pure.
 */
import { isAggregated } from '../../api/aggregated-role.ts';
import { groupKind, type KubeObject } from '../../api/object.ts';
import { fieldsOf, textOf } from '../../api/untyped.ts';
import { AtomSet, EVERYWHERE } from './atom.ts';
import { costOfRule, type RightsBudget } from './budget.ts';
import { dropSpare } from './enabling.ts';
import { distinct } from './join-rules.ts';
import { rulesOf, type RightsRule } from './rule.ts';
import { atomsOfScoped, type ScopedRule } from './scoped-rule.ts';

const RBAC = 'rbac.authorization.k8s.io';

/**
 * The rules of the roles and of the roles that bindings name; a role that the bundle lacks must be bound by its name. A
 * bundle that gives away `escalate` or `bind` needs an account that has them, and with them the account need not hold
 * the other rules. Undefined if the rules are too many to compare.
 */
export function givenAwayWithin(
  objects: readonly KubeObject[],
  budget: RightsBudget,
): readonly ScopedRule[] | undefined {
  const gifts = giftsOf(objects);
  const given = once(gifts);
  if (!given.every(({ rules, scope }) => rules.every((rule) => budget.spend(costOfRule(rule, scope.length)))))
    return undefined;
  const candidates = distinct(given.flatMap(scopedRules).filter(isAboutRoles));
  const insteads = gifts.map(({ instead }) => instead);
  const enabling = dropSpare(candidates, insteads, budget);
  if (enabling === undefined) return undefined;
  const held = new AtomSet(enabling.flatMap(atomsOfScoped));
  const bound = gifts.filter(({ instead }) => !atomsOfScoped(instead).every((atom) => held.covers(atom)));
  return [...enabling, ...once(bound).flatMap(scopedRules)];
}

/** Rules that many bindings may give away in the same place. */
interface GivenRules {
  readonly scope: string;
  /** The same list for all gifts of a role. */
  readonly rules: readonly RightsRule[];
}

/** The write of a role or a binding, and the rules that its writer must hold. */
interface Gift extends GivenRules {
  /** The right that takes their place. */
  readonly instead: ScopedRule;
}

/** The lists of rules in each place, each once. */
function once(gifts: readonly Gift[]): readonly GivenRules[] {
  const byList = Map.groupBy(gifts, ({ rules }) => rules);
  return [...byList].flatMap(([rules, members]) =>
    [...new Set(members.map(({ scope }) => scope))].map((scope) => ({ scope, rules })),
  );
}

function scopedRules({ scope, rules }: GivenRules): readonly ScopedRule[] {
  return rules.map((rule) => ({ scope, rule }));
}

function giftsOf(objects: readonly KubeObject[]): readonly Gift[] {
  const roles = objects
    .filter((object) => [`ClusterRole.${RBAC}`, `Role.${RBAC}`].includes(groupKind(object)))
    .map((role) => ({ role, rules: rulesOf(role) }));
  const byKey = new Map(roles.map((one) => [keyOf(one.role.kind, one.role.metadata.namespace, one.role.metadata.name), one])); // prettier-ignore
  const bindings = objects.filter((object) => /^(?:Cluster)?RoleBinding\.rbac\.authorization\.k8s\.io$/.test(groupKind(object))); // prettier-ignore
  return [
    ...roles.map((one) => giftOf(one, one.role.metadata.namespace, mayEscalate(one.role))),
    ...bindings.map(({ roleRef, metadata: { namespace } }) => {
      const [kind, name] = [textOf(fieldsOf(roleRef)['kind']), textOf(fieldsOf(roleRef)['name'])];
      return giftOf(byKey.get(keyOf(kind, namespace, name)), namespace, mayBind(kind, name, namespace ?? EVERYWHERE));
    }),
  ];
}

interface ReadRole {
  readonly role: KubeObject;
  readonly rules: readonly RightsRule[];
}

/** @param read Undefined if the bundle lacks the role, so that its rules are not known. */
function giftOf(read: ReadRole | undefined, namespace: string | undefined, instead: ScopedRule): Gift {
  return read === undefined || isAggregated(read.role)
    ? { instead, scope: instead.scope, rules: [instead.rule] }
    : { instead, scope: namespace ?? EVERYWHERE, rules: read.rules };
}

/** Whether a rule has `escalate` or `bind` on roles. */
function isAboutRoles({ rule: { verbs, apiGroups, resources } }: ScopedRule): boolean {
  const has = (list: readonly string[], ...values: readonly string[]): boolean =>
    ['*', ...values].some((value) => list.includes(value));
  return has(verbs, 'escalate', 'bind') && has(apiGroups, RBAC) && has(resources, 'roles', 'clusterroles');
}

function keyOf(kind: string, namespace: string | undefined, name: string): string {
  return kind === 'ClusterRole' ? name : `${namespace ?? ''}/${name}`;
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
