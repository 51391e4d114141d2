/**
 * A naive authorizer, and the requests of an installation, written from the rules of RBAC and not from our own code: a
 * request is allowed if one rule of its scope allows it, and a role may be written or bound by a holder of all that it
 * grants. @see https://kubernetes.io/docs/reference/access-authn-authz/rbac/#privilege-escalation-prevention-and-bootstrapping
 */
import type { KubeObject } from '../../../api/object.ts';
import { groupKind, groupOf } from '../../../api/object.ts';

export interface Asked {
  readonly scope: string;
  readonly verb: string;
  readonly group?: string;
  readonly resource?: string;
  readonly name?: string;
  readonly url?: string;
  /** Another request that has to be allowed if this one is not. */
  readonly or?: Asked;
}

export interface GrantedRule {
  readonly scope: string;
  readonly rule: {
    readonly verbs: readonly string[];
    readonly apiGroups?: readonly string[];
    readonly resources?: readonly string[];
    readonly resourceNames?: readonly string[];
    readonly nonResourceURLs?: readonly string[];
  };
}

/** The rules of roles, each with the scope of its binding. */
export function grantedBy(roles: readonly KubeObject[]): readonly GrantedRule[] {
  return roles
    .filter(({ kind }) => kind === 'Role' || kind === 'ClusterRole')
    .flatMap(({ metadata, rules }) =>
      (rules as GrantedRule['rule'][]).map((rule) => ({ scope: metadata.namespace ?? '', rule })),
    );
}

export function allows(granted: GrantedRule, asked: Asked): boolean {
  return allowsAlone(granted, asked) || (asked.or !== undefined && allowsAlone(granted, asked.or));
}

function allowsAlone({ scope, rule }: GrantedRule, asked: Asked): boolean {
  if (scope !== '' && scope !== asked.scope) return false;
  const has = (list: readonly string[] | undefined, value: string): boolean =>
    list !== undefined && (list.includes(value) || list.includes('*'));
  if (!has(rule.verbs, asked.verb)) return false;
  if (asked.url !== undefined) return scope === '' && matchesUrl(rule.nonResourceURLs ?? [], asked.url);
  const { group = '', resource = '', name = '' } = asked;
  const subresource = resource.includes('/') ? `*${resource.slice(resource.indexOf('/'))}` : undefined;
  const names = rule.resourceNames ?? [];
  return (
    has(rule.apiGroups, group) &&
    (has(rule.resources, resource) || (subresource !== undefined && rule.resources?.includes(subresource) === true)) &&
    (names.length === 0 || (name !== '' && names.includes(name)))
  );
}

function matchesUrl(patterns: readonly string[], url: string): boolean {
  return patterns.some((pattern) =>
    pattern.endsWith('*') ? url.startsWith(pattern.replace(/\*+$/, '')) : pattern === url,
  );
}

const RBAC = 'rbac.authorization.k8s.io';

/** The requests that an installation of the objects makes as the account. @param pluralOf Resource of an object. */
export function requestsOf(objects: readonly KubeObject[], pluralOf: (object: KubeObject) => string): readonly Asked[] {
  const roles = new Map(
    objects
      .filter(({ kind }) => kind === 'Role' || kind === 'ClusterRole')
      .map((role) => [`${role.kind} ${role.metadata.namespace ?? ''}/${role.metadata.name}`, role]),
  );
  return objects.flatMap((object): readonly Asked[] => {
    const scope = object.metadata.namespace ?? '';
    const about = { scope, group: groupOf(object.apiVersion), resource: pluralOf(object) };
    const { name } = object.metadata;
    const writes = [
      { ...about, verb: 'create' },
      { ...about, verb: 'patch', name },
      { ...about, verb: 'get', name },
    ];
    if (groupKind(object).endsWith(`Role.${RBAC}`)) return [...writes, ...granted(object, scope, 'escalate')];
    if (!groupKind(object).endsWith(`RoleBinding.${RBAC}`)) return writes;
    const ref = object['roleRef'] as { readonly kind: string; readonly name: string };
    const bound = roles.get(`${ref.kind} ${ref.kind === 'Role' ? scope : ''}/${ref.name}`);
    const bind = { scope, group: RBAC, resource: `${ref.kind.toLowerCase()}s`, verb: 'bind', name: ref.name };
    return [...writes, ...(bound === undefined ? [bind] : granted(bound, scope, 'bind'))];
  });
}

/** Every single right that a role gives, or the right to give away rights that one does not have. */
function granted(role: KubeObject, scope: string, verb: 'escalate' | 'bind'): readonly Asked[] {
  const { name } = role.metadata;
  const or = { scope, group: RBAC, resource: `${role.kind.toLowerCase()}s`, verb, name };
  if (role.kind === 'ClusterRole' && role['aggregationRule'] !== undefined) return [or];
  const single = ((role['rules'] ?? []) as GrantedRule['rule'][]).flatMap((rule) => [
    ...rule.verbs.flatMap((one) =>
      (rule.apiGroups ?? []).flatMap((group) =>
        (rule.resources ?? []).flatMap((resource) =>
          (rule.resourceNames === undefined || rule.resourceNames.length === 0 ? [''] : rule.resourceNames).map(
            (named) => ({ scope, verb: one, group, resource, ...(named !== '' && { name: named }) }),
          ),
        ),
      ),
    ),
    ...(scope === ''
      ? rule.verbs.flatMap((one) => (rule.nonResourceURLs ?? []).map((url) => ({ scope, verb: one, url })))
      : []),
  ]);
  return single.map((asked) => ({ ...asked, or }));
}
