/** The kinds, labels and annotations of OLM v0. Pure. @see https://olm.operatorframework.io/docs/concepts/crds/ */
import type { Kind, ObjectRef } from '../../api/object.ts';

export const OLM = {
  subscription: { apiVersion: 'operators.coreos.com/v1alpha1', kind: 'Subscription' },
  csv: { apiVersion: 'operators.coreos.com/v1alpha1', kind: 'ClusterServiceVersion' },
  installPlan: { apiVersion: 'operators.coreos.com/v1alpha1', kind: 'InstallPlan' },
  catalogSource: { apiVersion: 'operators.coreos.com/v1alpha1', kind: 'CatalogSource' },
  operatorGroup: { apiVersion: 'operators.coreos.com/v1', kind: 'OperatorGroup' },
  operatorCondition: { apiVersion: 'operators.coreos.com/v2', kind: 'OperatorCondition' },
  operator: { apiVersion: 'operators.coreos.com/v1', kind: 'Operator' },
} as const satisfies Readonly<Record<string, Kind>>;

export const OLM_LABEL = {
  managed: 'olm.managed',
  owner: 'olm.owner',
  ownerKind: 'olm.owner.kind',
  ownerNamespace: 'olm.owner.namespace',
  copiedFrom: 'olm.copiedFrom',
} as const;

/** The annotations by which OLM acts for a ClusterServiceVersion: without them its deletion touches no other object. */
export const TARGET_ANNOTATIONS = ['olm.targetNamespaces', 'olm.operatorNamespace', 'olm.operatorGroup'] as const;

/** The finalizer of OLM: while it is there, OLM deletes cluster-scoped objects of the operator. */
export const CSV_CLEANUP = 'operators.coreos.com/csv-cleanup';

/** The finalizer that holds a deleted ClusterServiceVersion until its objects are handed over. */
export const HOLD = 'slipway.dev/adoption';

/** Begins the annotation of a CRD that names the ClusterServiceVersions it came with. */
export const INSTALLED_ALONGSIDE = 'operatorframework.io/installed-alongside-';

/** The label that OLM puts on the objects of a package: `operators.coreos.com/<package>.<namespace>`. */
export function componentLabel(packageName: string, namespace: string): string {
  const name = `${packageName}.${namespace}`.slice(0, 63).replace(/[-_.]+$/, '');
  return `operators.coreos.com/${name}`;
}

/** One operator that OLM v0 installed, by its names. */
export interface OlmOperator {
  readonly namespace: string;
  /** Name of the Subscription of OLM. */
  readonly subscription: string;
  readonly package: string;
  /** Name of the installed ClusterServiceVersion. */
  readonly csv: string;
}

/** The reference to an object of OLM in a namespace. */
export function olmRef(kind: Kind, namespace: string, name: string): ObjectRef {
  return { ...kind, namespace, name };
}
