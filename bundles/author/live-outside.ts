/**
 * Finds the objects outside of a namespace that belong to the operator in it: bindings of its ServiceAccounts, the roles
 * that they name, webhooks and APIServices that call its Services, and the CRDs of which it writes the status. Pure.
 */
import { isCrd } from '../../api/crd-kind.ts';
import { groupKind, type KubeObject } from '../../api/object.ts';
import { fieldsOf, listOf, textOf } from '../../api/untyped.ts';

const RBAC = 'rbac.authorization.k8s.io';

interface JudgedObject {
  readonly object: KubeObject;
  /** Why it is left out. */
  readonly because: string;
}

export class OutsideObjects {
  readonly #namespace: string;
  readonly #outside: readonly KubeObject[];
  readonly #bindings: readonly KubeObject[];
  readonly #roles: readonly KubeObject[];
  readonly #priorityClasses: ReadonlySet<string>;

  /** @param inside The objects of the namespace that are taken. */
  constructor(namespace: string, inside: readonly KubeObject[], outside: readonly KubeObject[]) {
    this.#namespace = namespace;
    this.#outside = outside;
    this.#bindings = [...inside, ...outside].filter(
      (object) => BINDINGS.has(groupKind(object)) && this.#isBound(object),
    );
    this.#roles = [...inside, ...outside].filter((object) => this.#isNamedRole(object));
    this.#priorityClasses = new Set(inside.map(priorityClassOf));
  }

  /** Objects that belong to the operator, and CRDs that its rights name and that may belong to another one. */
  split(isIncluded: (object: KubeObject) => boolean): {
    readonly taken: readonly KubeObject[];
    readonly left: readonly JudgedObject[];
  } {
    const crds = this.#outside.filter(isCrd);
    const own = crds.filter((crd) => isIncluded(crd) || this.#isOwn(crd));
    const groups = new Set(own.map(groupOfCrd));
    const taken = this.#outside.filter(
      (object) => isIncluded(object) || own.includes(object) || this.#belongs(object) || isRoleFor(groups, object),
    );
    const left = crds
      .filter((crd) => !own.includes(crd) && this.#rules().some((rule) => rule.apiGroups.includes(groupOfCrd(crd))))
      .map((object) => ({
        object,
        because: 'the operator has rights to its objects, and may not write their status; --include takes it',
      }));
    return { taken, left };
  }

  #belongs(object: KubeObject): boolean {
    switch (groupKind(object)) {
      case 'Namespace':
        return object.metadata.name === this.#namespace;
      case `ClusterRoleBinding.${RBAC}`:
      case `RoleBinding.${RBAC}`:
        return this.#bindings.includes(object);
      case `ClusterRole.${RBAC}`:
      case `Role.${RBAC}`:
        return this.#roles.includes(object);
      case 'ValidatingWebhookConfiguration.admissionregistration.k8s.io':
      case 'MutatingWebhookConfiguration.admissionregistration.k8s.io':
        return listOf(object['webhooks']).some(({ clientConfig }) => this.#isCalled(fieldsOf(clientConfig)['service']));
      case 'APIService.apiregistration.k8s.io':
        return this.#isCalled(fieldsOf(object['spec'])['service']);
      case 'PriorityClass.scheduling.k8s.io':
        return this.#priorityClasses.has(object.metadata.name);
      default:
        return false;
    }
  }

  #isCalled(service: unknown): boolean {
    return fieldsOf(service)['namespace'] === this.#namespace;
  }

  #isBound({ metadata, subjects }: KubeObject): boolean {
    return listOf(subjects).some(
      ({ kind, namespace }) => kind === 'ServiceAccount' && (namespace ?? metadata.namespace) === this.#namespace,
    );
  }

  /** Roles that a cluster has by itself are not among them. */
  #isNamedRole(object: KubeObject): boolean {
    if (!ROLES.has(groupKind(object)) || isBuiltIn(object)) return false;
    return this.#bindings.some(({ metadata, roleRef }) => {
      const { kind, name } = fieldsOf(roleRef);
      const isReachable = kind === 'ClusterRole' || metadata.namespace === object.metadata.namespace;
      return kind === object.kind && name === object.metadata.name && isReachable;
    });
  }

  /** The rules of the operator's ServiceAccounts. */
  #rules(): readonly LiveRule[] {
    return this.#roles.flatMap(rulesOf);
  }

  /** Whether the operator converts the objects of a CRD, or writes their status or finalizers. */
  #isOwn({ spec }: KubeObject): boolean {
    const { group, names, conversion } = fieldsOf(spec);
    if (this.#isCalled(fieldsOf(fieldsOf(fieldsOf(conversion)['webhook'])['clientConfig'])['service'])) return true;
    const plural = textOf(fieldsOf(names)['plural']);
    const marks = new Set([`${plural}/status`, `${plural}/finalizers`, '*/status', '*/finalizers', '*']);
    return this.#rules().some(
      ({ apiGroups, resources, verbs }) =>
        apiGroups.includes(textOf(group)) &&
        resources.some((one) => marks.has(one)) &&
        verbs.some((verb) => WRITES.has(verb)),
    );
  }
}

const BINDINGS = new Set([`ClusterRoleBinding.${RBAC}`, `RoleBinding.${RBAC}`]);
const ROLES = new Set([`ClusterRole.${RBAC}`, `Role.${RBAC}`]);
const WRITES = new Set(['update', 'patch', '*']);

function isBuiltIn({ metadata }: KubeObject): boolean {
  return metadata.labels?.['kubernetes.io/bootstrapping'] !== undefined;
}

function groupOfCrd({ spec }: KubeObject): string {
  return textOf(fieldsOf(spec)['group']);
}

/** Whether a ClusterRole is about objects of the operator's own kinds only: one for its users. */
function isRoleFor(groups: ReadonlySet<string>, object: KubeObject): boolean {
  if (groupKind(object) !== `ClusterRole.${RBAC}` || isBuiltIn(object)) return false;
  const rules = rulesOf(object);
  return (
    rules.length > 0 &&
    rules.every(({ apiGroups }) => apiGroups.length > 0 && apiGroups.every((group) => groups.has(group)))
  );
}

function priorityClassOf({ spec }: KubeObject): string {
  return textOf(fieldsOf(fieldsOf(fieldsOf(spec)['template'])['spec'])['priorityClassName']);
}

interface LiveRule {
  readonly verbs: readonly string[];
  readonly apiGroups: readonly string[];
  readonly resources: readonly string[];
}

function rulesOf(role: KubeObject): readonly LiveRule[] {
  return listOf(role['rules']).map((rule) => ({
    verbs: textsOf(rule['verbs']),
    apiGroups: textsOf(rule['apiGroups']),
    resources: textsOf(rule['resources']),
  }));
}

function textsOf(value: unknown): readonly string[] {
  return Array.isArray(value) ? value.map(textOf) : [];
}
