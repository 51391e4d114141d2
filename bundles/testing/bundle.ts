/** Makes small bundles for tests: a working one, in which a test changes only its subject. */
import type { Fields } from '../../api/untyped.ts';
import { formatJson } from '../../api/json.ts';
import { parseBundle, type Bundle } from '../parse.ts';

export interface BundleParts {
  /** Merged over the fields of the CSV's spec. */
  readonly spec?: Fields;
  /** Merged over its metadata. */
  readonly metadata?: Fields;
  /** Supported install modes; AllNamespaces by default. */
  readonly modes?: readonly string[];
  readonly deployments?: readonly unknown[];
  readonly permissions?: readonly unknown[];
  readonly clusterPermissions?: readonly unknown[];
  /** Further objects, one file each. */
  readonly objects?: readonly unknown[];
  /** Files as text, by path; they replace those of the same path. */
  readonly files?: Readonly<Record<string, string>>;
}

/** A webhook of the Deployment `gadget-manager`, as the CSV defines it. */
export const WEBHOOK = {
  type: 'ValidatingAdmissionWebhook',
  generateName: 'vgadget.example.com-',
  deploymentName: 'gadget-manager',
  containerPort: 443,
  targetPort: 9443,
  webhookPath: '/validate',
  sideEffects: 'None',
  admissionReviewVersions: ['v1'],
  rules: [{ apiGroups: ['example.com'], apiVersions: ['v1'], operations: ['CREATE'], resources: ['gadgets'] }],
};

export function makeBundle(parts: BundleParts = {}): Bundle {
  return parseBundle(makeFiles(parts));
}

/** The files of the bundle `gadget-operator.v1.0.0`. */
export function makeFiles(parts: BundleParts = {}): ReadonlyMap<string, Uint8Array> {
  const { objects = [], files = {} } = parts;
  const texts = new Map([
    ['metadata/annotations.yaml', ANNOTATIONS],
    ['manifests/csv.yaml', formatJson(makeCsv(parts))],
    ...objects.map((object, index) => [`manifests/object-${index}.yaml`, formatJson(object)] as const),
    ...Object.entries(files),
  ]);
  return new Map([...texts].map(([path, text]) => [path, new TextEncoder().encode(text)]));
}

const ANNOTATIONS = `annotations:
  operators.operatorframework.io.bundle.mediatype.v1: registry+v1
  operators.operatorframework.io.bundle.manifests.v1: manifests/
  operators.operatorframework.io.bundle.metadata.v1: metadata/
  operators.operatorframework.io.bundle.package.v1: gadget-operator
  operators.operatorframework.io.bundle.channels.v1: stable
`;

const MODES = ['OwnNamespace', 'SingleNamespace', 'MultiNamespace', 'AllNamespaces'];

function makeCsv(parts: BundleParts): unknown {
  const { modes = ['AllNamespaces'], permissions = [], clusterPermissions = [] } = parts;
  const { deployments = [makeDeployment('gadget-manager')] } = parts;
  return {
    apiVersion: 'operators.coreos.com/v1alpha1',
    kind: 'ClusterServiceVersion',
    metadata: { name: 'gadget-operator.v1.0.0', ...parts.metadata },
    spec: {
      displayName: 'Gadgets',
      version: '1.0.0',
      install: { strategy: 'deployment', spec: { deployments, permissions, clusterPermissions } },
      installModes: MODES.map((type) => ({ type, supported: modes.includes(type) })),
      ...parts.spec,
    },
  };
}

/** A Deployment as a CSV lists it, with the container `manager`. */
export function makeDeployment(name: string, pod: Fields = {}): unknown {
  return {
    name,
    spec: {
      replicas: 1,
      selector: { matchLabels: { app: name } },
      template: {
        metadata: { labels: { app: name } },
        spec: {
          serviceAccountName: 'gadget',
          containers: [
            { name: 'manager', image: 'quay.io/example/gadget:v1', env: [{ name: 'LEVEL', value: 'info' }] },
          ],
          ...pod,
        },
      },
    },
  };
}

/** The CRD `gadgets.example.com` with the version v1. */
export function makeCrd(spec: Fields = {}): unknown {
  return {
    apiVersion: 'apiextensions.k8s.io/v1',
    kind: 'CustomResourceDefinition',
    metadata: { name: 'gadgets.example.com' },
    spec: {
      group: 'example.com',
      names: { kind: 'Gadget', plural: 'gadgets' },
      scope: 'Namespaced',
      versions: [{ name: 'v1', served: true, storage: true, schema: { openAPIV3Schema: { type: 'object' } } }],
      ...spec,
    },
  };
}
