/** The kinds that a fake API server serves: built-in ones, those that a test adds, and those of CRDs. */
import { isCrd } from '../../api/crd-kind.ts';
import { groupOf, type KubeObject } from '../../api/object.ts';
import type { Resource } from '../client/resource-path.ts';

type Kind = Pick<KubeObject, 'apiVersion' | 'kind'>;

/** A kind to serve. */
export function resource(apiVersion: string, kind: string, plural: string, namespaced = true): Resource {
  const verbs = ['create', 'delete', 'get', 'list', 'patch', 'update', 'watch'];
  return { apiVersion, kind, plural, namespaced, verbs, subresources: ['status'] };
}

const CRDS = resource('apiextensions.k8s.io/v1', 'CustomResourceDefinition', 'customresourcedefinitions', false);
export const NAMESPACES = resource('v1', 'Namespace', 'namespaces', false);

/** Kinds of each group version in namespaces and outside of them; the plurals follow from the names. */
const BUILT_IN: Readonly<Record<string, { readonly namespaced?: string; readonly cluster?: string }>> = {
  v1: {
    namespaced:
      'ConfigMap Secret Service ServiceAccount Pod PodTemplate PersistentVolumeClaim ResourceQuota LimitRange',
    cluster: 'Node PersistentVolume',
  },
  'apps/v1': { namespaced: 'Deployment StatefulSet DaemonSet ReplicaSet' },
  'batch/v1': { namespaced: 'Job CronJob' },
  'coordination.k8s.io/v1': { namespaced: 'Lease' },
  'events.k8s.io/v1': { namespaced: 'Event' },
  'networking.k8s.io/v1': { namespaced: 'Ingress NetworkPolicy', cluster: 'IngressClass' },
  'policy/v1': { namespaced: 'PodDisruptionBudget' },
  'rbac.authorization.k8s.io/v1': { namespaced: 'Role RoleBinding', cluster: 'ClusterRole ClusterRoleBinding' },
  'scheduling.k8s.io/v1': { cluster: 'PriorityClass' },
  'admissionregistration.k8s.io/v1': { cluster: 'ValidatingWebhookConfiguration MutatingWebhookConfiguration' },
  'apiregistration.k8s.io/v1': { cluster: 'APIService' },
};

/** Kinds by their paths and by their names. */
export class FakeKinds {
  readonly #served: Resource[] = [NAMESPACES, CRDS, ...builtIn()];
  readonly #crds: () => readonly KubeObject[];

  /** @param objects All objects; CRDs among them that are Established define further kinds. */
  constructor(objects: () => readonly KubeObject[]) {
    this.#crds = () => objects().filter((object) => isCrd(object) && isEstablished(object));
  }

  list(): readonly Resource[] {
    return [...this.#served, ...this.#crds().flatMap(kindsOf)];
  }

  add(kind: Resource): void {
    this.#served.push(kind);
  }

  atPath(apiVersion: string, plural: string): Resource | undefined {
    return this.#find((one) => one.apiVersion === apiVersion && one.plural === plural);
  }

  /** The kind of an object; a version that is not served is the kind in another version. */
  of(object: Kind): Resource | undefined {
    const isSame = (one: Resource): boolean =>
      one.kind === object.kind && groupOf(one.apiVersion) === groupOf(object.apiVersion);
    return this.#find((one) => isSame(one) && one.apiVersion === object.apiVersion) ?? this.#find(isSame);
  }

  named(kind: string): Resource | undefined {
    return this.#find((one) => one.kind === kind);
  }

  /** Searches CRDs last, since they lie among all objects. */
  #find(isWanted: (kind: Resource) => boolean): Resource | undefined {
    return this.#served.find(isWanted) ?? this.#crds().flatMap(kindsOf).find(isWanted);
  }
}

/** Whether an object is of the kind that a CRD defines. */
export function isInstanceOf(crd: KubeObject, object: Kind): boolean {
  const { group, names } = definitionOf(crd);
  return object.kind === names.kind && groupOf(object.apiVersion) === group;
}

function kindsOf(crd: KubeObject): readonly Resource[] {
  const { group, names, scope, versions } = definitionOf(crd);
  const served = versions.filter((version) => version.served);
  return served.map(({ name }) => resource(`${group}/${name}`, names.kind, names.plural, scope !== 'Cluster'));
}

interface Definition {
  readonly group: string;
  readonly scope?: string;
  readonly names: { readonly kind: string; readonly plural: string };
  readonly versions: readonly { readonly name: string; readonly served: boolean }[];
}

function definitionOf(crd: KubeObject): Definition {
  return crd['spec'] as Definition;
}

function isEstablished(crd: KubeObject): boolean {
  const status = crd['status'] as { conditions?: readonly { type: string; status: string }[] } | undefined;
  return status?.conditions?.some(({ type, status: value }) => type === 'Established' && value === 'True') ?? false;
}

function builtIn(): readonly Resource[] {
  return Object.entries(BUILT_IN).flatMap(([apiVersion, { namespaced = '', cluster = '' }]) => [
    ...namesOf(namespaced).map((kind) => resource(apiVersion, kind, pluralOf(kind), true)),
    ...namesOf(cluster).map((kind) => resource(apiVersion, kind, pluralOf(kind), false)),
  ]);
}

function namesOf(text: string): readonly string[] {
  return text === '' ? [] : text.split(' ');
}

/** `networkpolicies`, `ingresses`, `deployments`. */
export function pluralOf(kind: string): string {
  return kind.toLowerCase().replace(/(ss)$/, '$1e').replace(/y$/, 'ie').concat('s');
}
