/**
 * Leaves out the fields that a controller of the cluster fills: Slipway and that controller would overwrite each other for ever, and
 * an operator would be without its rights or its authority meanwhile. Pure; prepare.ts calls it for each object.
 */
import { isRecord } from '../api/untyped.ts';
import { CA_INJECTION } from '../api/names.ts';
import { groupKind, type KubeObject } from '../api/object.ts';

/** The object without the fields that its own content delegates. */
export function withoutDelegated(object: KubeObject): KubeObject {
  switch (groupKind(object)) {
    case 'ClusterRole.rbac.authorization.k8s.io':
      return isAggregated(object) ? { ...without(object, ['rules']), ...identityIn(object) } : object;
    case 'CustomResourceDefinition.apiextensions.k8s.io':
      return isInjected(object) ? { ...without(object, AUTHORITY), ...identityIn(object) } : object;
    default:
      return object;
  }
}

/** @see https://kubernetes.io/docs/reference/access-authn-authz/rbac/#aggregated-clusterroles */
function isAggregated({ aggregationRule }: KubeObject): boolean {
  return isRecord(aggregationRule);
}

/** Whether another program writes the authority of the conversion webhook: cert-manager, or OpenShift. */
function isInjected({ metadata: { annotations = {} } }: KubeObject): boolean {
  return Object.keys(annotations).some((key) => CA_INJECTION.has(key));
}

const AUTHORITY = ['spec', 'conversion', 'webhook', 'clientConfig', 'caBundle'];

function identityIn({ apiVersion, kind, metadata }: KubeObject): Pick<KubeObject, 'apiVersion' | 'kind' | 'metadata'> {
  return { apiVersion, kind, metadata };
}

/** The value without the field at the path; the value itself if it has none there. */
function without(value: Readonly<Record<string, unknown>>, [field = '', ...rest]: readonly string[]): object {
  const { [field]: inner, ...others } = value;
  if (rest.length === 0) return others;
  return isRecord(inner) ? { ...others, [field]: without(inner, rest) } : value;
}
