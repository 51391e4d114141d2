/** Builds the CustomResourceDefinition of a kind, which scripts/generate.ts writes to deploy/crds. */
import type { CustomKind, PrinterColumn } from '../kind.ts';
import { GROUP } from '../names.ts';
import type { KubeObject } from '../object.ts';
import { toStructuralSchema, type StructuralSchema } from './schema.ts';

/** Listed together by `kubectl get slipway`. */
const CATEGORY = 'slipway';

const VERSION = 'v1alpha1';

/** Fields of every object that the API server defines itself. */
const COMMON: Readonly<Record<string, StructuralSchema>> = {
  apiVersion: { type: 'string', description: 'Group and version of the kind.' },
  kind: { type: 'string', description: 'The kind.' },
  metadata: { type: 'object' },
};

/** Keeps Argo CD and Flux from deleting the CRD, which would delete every Subscription, and with it every operator. */
const KEPT: Readonly<Record<string, string>> = {
  'argocd.argoproj.io/sync-options': 'Prune=false,Delete=false',
  'kustomize.toolkit.fluxcd.io/prune': 'disabled',
};

/**
 * The CustomResourceDefinition of `kind`, with the status subresource and printer columns.
 * @see https://kubernetes.io/docs/reference/kubernetes-api/extend-resources/custom-resource-definition-v1/
 */
export function buildCrd({ kind, plural, singular, scope, schema, columns }: CustomKind): KubeObject {
  return {
    apiVersion: 'apiextensions.k8s.io/v1',
    kind: 'CustomResourceDefinition',
    metadata: { name: `${plural}.${GROUP}`, annotations: KEPT },
    spec: {
      group: GROUP,
      names: { kind, listKind: `${kind}List`, plural, singular, categories: [CATEGORY] },
      scope,
      versions: [
        {
          name: VERSION,
          served: true,
          storage: true,
          schema: { openAPIV3Schema: withCommonFields(toStructuralSchema(schema)) },
          subresources: { status: {} },
          additionalPrinterColumns: columns.map(toColumn),
        },
      ],
    },
  };
}

function withCommonFields(schema: StructuralSchema): StructuralSchema {
  return { ...schema, properties: { ...COMMON, ...schema.properties } };
}

function toColumn({ wide, ...column }: PrinterColumn): Readonly<Record<string, unknown>> {
  return { ...column, ...(wide === true && { priority: 1 }) };
}
