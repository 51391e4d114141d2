/** The plain YAML of an operator as its author has it, with all that a bundle is made from; tests change parts of it. */
import { formatJson } from '../../../api/json.ts';
import { readSource, type SourceObject } from '../source.ts';

type Fields = Readonly<Record<string, unknown>>;

export const NAMESPACE = 'gadget-system';
const RBAC = 'rbac.authorization.k8s.io';
const IN_NAMESPACE = { namespace: NAMESPACE };

/** The CRD `gadgets.example.com`, of which a webhook converts the versions. */
export const CRD: Fields = {
  apiVersion: 'apiextensions.k8s.io/v1',
  kind: 'CustomResourceDefinition',
  metadata: {
    name: 'gadgets.example.com',
    annotations: { 'cert-manager.io/inject-ca-from': `${NAMESPACE}/serving-cert` },
  },
  spec: {
    group: 'example.com',
    names: { kind: 'Gadget', plural: 'gadgets' },
    scope: 'Namespaced',
    versions: [
      {
        name: 'v1',
        served: true,
        storage: true,
        schema: { openAPIV3Schema: { type: 'object', description: 'A gadget of the workshop. It ticks.' } },
      },
      { name: 'v1beta1', served: true, storage: false, schema: { openAPIV3Schema: { type: 'object' } } },
    ],
    conversion: {
      strategy: 'Webhook',
      webhook: {
        clientConfig: { service: { name: 'webhook-service', namespace: NAMESPACE, path: '/convert' } },
        conversionReviewVersions: ['v1'],
      },
    },
  },
};

/** An object of RBAC. */
export function rbac(kind: string, name: string, fields: Fields, namespace?: string): Fields {
  return {
    apiVersion: `${RBAC}/v1`,
    kind,
    metadata: { name, ...(namespace !== undefined && { namespace }) },
    ...fields,
  };
}

/** A subject of a binding: a ServiceAccount. */
export function account(name: string, namespace: string = NAMESPACE): Fields {
  return { kind: 'ServiceAccount', name, namespace };
}

/** The `roleRef` of a binding. */
export function roleRef(kind: string, name: string): Fields {
  return { roleRef: { apiGroup: RBAC, kind, name } };
}

export const RULES = [
  { apiGroups: ['example.com'], resources: ['gadgets'], verbs: ['get', 'list', 'watch', 'update'] },
];
export const LEASES = [
  { apiGroups: ['coordination.k8s.io'], resources: ['leases'], verbs: ['get', 'create', 'update'] },
];

/** The Deployment `controller`, which runs as the ServiceAccount `manager`. */
export function deployment(name = 'controller', pod: Fields = {}): Fields {
  const labels = { app: name };
  return {
    apiVersion: 'apps/v1',
    kind: 'Deployment',
    metadata: { name, ...IN_NAMESPACE, labels },
    spec: {
      replicas: 1,
      selector: { matchLabels: labels },
      template: {
        metadata: { labels },
        spec: {
          serviceAccountName: 'manager',
          containers: [
            {
              name: 'manager',
              image: 'registry.example/gadget:v1.2.0',
              ports: [{ name: 'webhook', containerPort: 9443 }],
              volumeMounts: [{ name: 'cert', mountPath: '/tmp/k8s-webhook-server/serving-certs', readOnly: true }],
            },
          ],
          volumes: [{ name: 'cert', secret: { secretName: 'webhook-server-cert' } }],
          ...pod,
        },
      },
    },
  };
}

export const WEBHOOKS: Fields = {
  apiVersion: 'admissionregistration.k8s.io/v1',
  kind: 'ValidatingWebhookConfiguration',
  metadata: { name: 'validating', annotations: { 'cert-manager.io/inject-ca-from': `${NAMESPACE}/serving-cert` } },
  webhooks: [
    {
      name: 'vgadget.example.com',
      clientConfig: { service: { name: 'webhook-service', namespace: NAMESPACE, path: '/validate' } },
      rules: [{ apiGroups: ['example.com'], apiVersions: ['v1'], operations: ['CREATE'], resources: ['gadgets'] }],
      failurePolicy: 'Fail',
      sideEffects: 'None',
      admissionReviewVersions: ['v1'],
    },
  ],
};

const SERVICE: Fields = {
  apiVersion: 'v1',
  kind: 'Service',
  metadata: { name: 'webhook-service', ...IN_NAMESPACE },
  spec: { selector: { app: 'controller' }, ports: [{ port: 443, targetPort: 9443 }] },
};

const CERTIFICATES: readonly Fields[] = [
  {
    apiVersion: 'cert-manager.io/v1',
    kind: 'Issuer',
    metadata: { name: 'selfsigned', ...IN_NAMESPACE },
    spec: { selfSigned: {} },
  },
  {
    apiVersion: 'cert-manager.io/v1',
    kind: 'Certificate',
    metadata: { name: 'serving-cert', ...IN_NAMESPACE },
    spec: { dnsNames: [`webhook-service.${NAMESPACE}.svc`], secretName: 'webhook-server-cert' },
  },
];

export const SAMPLE: Fields = {
  apiVersion: 'example.com/v1',
  kind: 'Gadget',
  metadata: { name: 'first' },
  spec: { ticks: 3 },
};

/** All objects by a word for each, in the order in which the author lists them. */
export const GADGET: ReadonlyMap<string, Fields> = new Map<string, Fields>([
  ['namespace', { apiVersion: 'v1', kind: 'Namespace', metadata: { name: NAMESPACE } }],
  ['crd', CRD],
  ['account', { apiVersion: 'v1', kind: 'ServiceAccount', metadata: { name: 'manager', ...IN_NAMESPACE } }],
  ['role', rbac('ClusterRole', 'manager-role', { rules: RULES })],
  [
    'binding',
    rbac('ClusterRoleBinding', 'manager', {
      ...roleRef('ClusterRole', 'manager-role'),
      subjects: [account('manager')],
    }),
  ],
  ['leases', rbac('Role', 'leader-election', { rules: LEASES }, NAMESPACE)],
  [
    'leader',
    rbac('RoleBinding', 'leader', { ...roleRef('Role', 'leader-election'), subjects: [account('manager')] }, NAMESPACE),
  ],
  ['viewer', rbac('ClusterRole', 'gadget-viewer', { rules: [{ ...RULES[0], verbs: ['get'] }] })],
  [
    'settings',
    { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'settings', ...IN_NAMESPACE }, data: { level: 'info' } },
  ],
  ['service', SERVICE],
  ['deployment', deployment()],
  ['issuer', CERTIFICATES[0]!],
  ['certificate', CERTIFICATES[1]!],
  ['webhooks', WEBHOOKS],
  ['sample', SAMPLE],
]);

/** The objects with some replaced, added or, if undefined, taken away. */
export function gadgetWith(changes: Readonly<Record<string, Fields | undefined>> = {}): readonly SourceObject[] {
  const objects = new Map<string, Fields | undefined>([...GADGET, ...Object.entries(changes)]);
  return sourceOf([...objects.values()].filter((object) => object !== undefined));
}

/** Objects as if they were read from one file each. */
export function sourceOf(objects: readonly Fields[]): readonly SourceObject[] {
  return readSource(new Map(objects.map((object, index) => [`${index}.yaml`, Buffer.from(formatJson(object))])));
}

/** All objects as one text of YAML. */
export function gadgetYaml(changes: Readonly<Record<string, Fields | undefined>> = {}): string {
  return gadgetWith(changes)
    .map(({ object }) => `---\n${formatJson(object, 2)}\n`)
    .join('');
}
