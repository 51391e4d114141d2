/**
 * The rights that an account needs to install the objects of a bundle: to read and write each of them, and to hold every
 * right that their roles and bindings give away, as the API server lets no account give away more. No rule of the result
 * is covered by the others. Rights to describe a fault, to prune and to uninstall are not among them. Pure.
 */
import { isCrd } from '../../api/crd-kind.ts';
import { ReasonedError } from '../../api/errors.ts';
import { groupKind, groupOf, type KubeObject } from '../../api/object.ts';
import { fieldsOf, textOf } from '../../api/untyped.ts';
import { issuedCertificates } from '../additions.ts';
import { EVERYWHERE } from './atom.ts';
import { RightsBudget } from './budget.ts';
import { givenAwayWithin } from './given-away.ts';
import { joinWithin } from './join-rules.ts';
import type { RightsRule } from './rule.ts';
import type { ScopedRule } from './scoped-rule.ts';

/**
 * The rules, the cluster first, then by namespace. Throws BundleUnsupported (never retried) if they are too many to
 * compare.
 *
 * @param objects As prepareObjects returns them.
 */
export function minimalRights(objects: readonly KubeObject[]): readonly ScopedRule[] {
  const givenAway = givenAwayWithin(objects, new RightsBudget());
  if (givenAway === undefined) throw tooMany();
  return joinRules([...rightsToWrite(objects), ...givenAway]);
}

/** The rules, each once, without those that the others cover. Throws as {@link minimalRights} does. */
export function joinRules(rules: readonly ScopedRule[]): readonly ScopedRule[] {
  const joined = joinWithin(rules, new RightsBudget());
  if (joined === undefined) throw tooMany();
  return joined;
}

function tooMany(): ReasonedError {
  return new ReasonedError({
    reason: 'BundleUnsupported',
    retry: 'never',
    message: 'the bundle gives away more rights than can be compared, so the smallest set of them is not known',
    hint: 'An account with the verbs escalate and bind on all roles and clusterroles can give them away',
  });
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
    objects.filter(isCrd).map(({ spec }) => {
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
