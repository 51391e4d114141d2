/** Bundles of operators without any function: one Deployment, and one CRD if a kind is to be provided. */
import { parseReference } from '../../oci/reference.ts';
import { push } from './publish.ts';

export interface TinyOperator {
  readonly name: string;
  readonly version: string;
  /** Kind that it owns, of the group `tiny.example`. */
  readonly kind?: string;
  readonly minKubeVersion?: string;
  /** Of its container; if absent, one that no registry has. */
  readonly image?: string;
  /** Further manifests of the bundle. */
  readonly further?: readonly object[];
}

/** The files of the bundle, by path. */
export function tinyBundle(operator: TinyOperator): ReadonlyMap<string, Uint8Array> {
  const { name } = operator;
  const files: [string, string][] = [
    ['manifests/csv.json', JSON.stringify(describeCsv(operator))],
    ['metadata/annotations.yaml', JSON.stringify({ annotations: annotationsOf(name) })],
  ];
  if (operator.kind !== undefined) files.push(['manifests/crd.json', JSON.stringify(describeCrd(operator.kind))]);
  for (const [index, object] of (operator.further ?? []).entries())
    files.push([`manifests/further-${index}.json`, JSON.stringify(object)]);
  return new Map(files.map(([path, text]) => [path, Buffer.from(text)]));
}

/** Pushes the bundle to `<registry>/<name>:v<version>`; returns the reference by digest. */
export async function publishTiny(registry: string, operator: TinyOperator): Promise<string> {
  const reference = `${registry}/${operator.name}:v${operator.version}`;
  parseReference(reference);
  return push(reference, { files: tinyBundle(operator), labels: annotationsOf(operator.name) });
}

/** `gadgets.tiny.example` of the kind `Gadget`. */
export function crdNameOf(kind: string): string {
  return `${kind.toLowerCase()}s.tiny.example`;
}

function annotationsOf(name: string): Readonly<Record<string, string>> {
  const prefix = 'operators.operatorframework.io.bundle';
  return {
    [`${prefix}.mediatype.v1`]: 'registry+v1',
    [`${prefix}.manifests.v1`]: 'manifests/',
    [`${prefix}.metadata.v1`]: 'metadata/',
    [`${prefix}.package.v1`]: name,
    [`${prefix}.channels.v1`]: 'stable',
    [`${prefix}.channel.default.v1`]: 'stable',
  };
}

function describeCsv({ name, version, kind, minKubeVersion, image }: TinyOperator): object {
  const labels = { app: name };
  const container = { name: 'operator', image: image ?? `registry.example/${name}:v${version}` };
  const template = { metadata: { labels }, spec: { serviceAccountName: name, containers: [container] } };
  const deployment = { name, spec: { replicas: 1, selector: { matchLabels: labels }, template } };
  const rules = [{ apiGroups: [''], resources: ['configmaps'], verbs: ['get'] }];
  const owned = kind === undefined ? [] : [{ name: crdNameOf(kind), version: 'v1', kind }];
  return {
    apiVersion: 'operators.coreos.com/v1alpha1',
    kind: 'ClusterServiceVersion',
    metadata: { name: `${name}.v${version}` },
    spec: {
      version,
      ...(minKubeVersion !== undefined && { minKubeVersion }),
      installModes: ['OwnNamespace', 'SingleNamespace', 'MultiNamespace', 'AllNamespaces'].map((type) => ({
        type,
        supported: true,
      })),
      customresourcedefinitions: { owned },
      install: {
        strategy: 'deployment',
        spec: { deployments: [deployment], permissions: [{ serviceAccountName: name, rules }] },
      },
    },
  };
}

function describeCrd(kind: string): object {
  const plural = `${kind.toLowerCase()}s`;
  const schema = { openAPIV3Schema: { type: 'object', 'x-kubernetes-preserve-unknown-fields': true } };
  return {
    apiVersion: 'apiextensions.k8s.io/v1',
    kind: 'CustomResourceDefinition',
    metadata: { name: crdNameOf(kind) },
    spec: {
      group: 'tiny.example',
      names: { kind, listKind: `${kind}List`, plural, singular: kind.toLowerCase() },
      scope: 'Namespaced',
      versions: [{ name: 'v1', served: true, storage: true, schema }],
    },
  };
}
