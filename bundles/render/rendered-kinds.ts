/** The kinds that every bundle may render to; one may bring objects of the kinds that its own CRDs define besides. Pure. */
import { groupKind, type Kind } from '../../api/object.ts';
import { OPERATOR_CONDITION } from '../../api/operator-condition.ts';
import { SUPPORTED_KINDS } from './kinds.ts';

/** The kinds that are rendered from the CSV, from the CRDs and for their needs, with the version that is written. */
const GENERATED: ReadonlyMap<string, string> = new Map(
  Object.entries({
    APIService: 'apiregistration.k8s.io/v1',
    Certificate: 'cert-manager.io/v1',
    CustomResourceDefinition: 'apiextensions.k8s.io/v1',
    Deployment: 'apps/v1',
    Issuer: 'cert-manager.io/v1',
    MutatingWebhookConfiguration: 'admissionregistration.k8s.io/v1',
    OperatorCondition: OPERATOR_CONDITION.apiVersion,
    ValidatingWebhookConfiguration: 'admissionregistration.k8s.io/v1',
  }),
);

/** Whether objects of a kind are rendered, by kind alone: so were the objects that a bundle brings taken at first. */
export function isRendered(kind: string): boolean {
  return GENERATED.has(kind) || SUPPORTED_KINDS.has(kind);
}

/** Every kind that is rendered, with the group that it has in Kubernetes. */
export const RENDERED_KINDS: readonly { readonly apiVersion: string; readonly kind: string }[] = [
  ...[...SUPPORTED_KINDS].map(([kind, { apiVersion }]) => ({ apiVersion, kind })),
  ...[...GENERATED].map(([kind, apiVersion]) => ({ apiVersion, kind })),
];

const BY_GROUP: ReadonlySet<string> = new Set(RENDERED_KINDS.map(groupKind));

/** Whether objects of a kind are rendered, by kind and group. */
export function isRenderedKind(kind: Kind): boolean {
  return BY_GROUP.has(groupKind(kind));
}
