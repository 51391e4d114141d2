/** Kinds of other projects whose names are those of Slipway's kinds, with only the fields that kubectl reads. */
import type { KubeObject } from '../../../api/object.ts';

interface Names {
  readonly group: string;
  readonly kind: string;
  readonly shortNames?: readonly string[];
  readonly categories?: readonly string[];
  readonly scope?: 'Cluster' | 'Namespaced';
}

const OTHERS: readonly Names[] = [
  { group: 'operators.coreos.com', kind: 'Subscription', shortNames: ['sub', 'subs'], categories: ['olm'] },
  { group: 'messaging.knative.dev', kind: 'Subscription', shortNames: ['sub'], categories: ['all', 'knative'] },
  { group: 'apps.open-cluster-management.io', kind: 'Subscription', shortNames: ['appsub'] },
  { group: 'serving.knative.dev', kind: 'Revision', shortNames: ['rev'], categories: ['all', 'knative', 'serving'] },
  { group: 'a.example.com', kind: 'Catalog', shortNames: ['cat'], scope: 'Cluster' },
];

const ANYTHING = { type: 'object', 'x-kubernetes-preserve-unknown-fields': true };

/** The CustomResourceDefinitions of the other projects. */
export const OTHER_CRDS: readonly KubeObject[] = OTHERS.map(
  ({ group, kind, scope = 'Namespaced', shortNames = [], categories = [] }) => {
    const singular = kind.toLowerCase();
    const plural = `${singular}s`;
    return {
      apiVersion: 'apiextensions.k8s.io/v1',
      kind: 'CustomResourceDefinition',
      metadata: { name: `${plural}.${group}` },
      spec: {
        group,
        scope,
        names: { kind, singular, plural, listKind: `${kind}List`, shortNames, categories },
        versions: [{ name: 'v1', served: true, storage: true, schema: { openAPIV3Schema: ANYTHING } }],
      },
    };
  },
);

/** Objects of the other projects that are called like the given one. */
export function namesakesOf({ kind, metadata: { name, namespace } }: KubeObject): readonly KubeObject[] {
  return OTHERS.filter((other) => other.kind === kind).map(({ group }) => ({
    apiVersion: `${group}/v1`,
    kind,
    metadata: { name, ...(namespace !== undefined && { namespace }) },
  }));
}
