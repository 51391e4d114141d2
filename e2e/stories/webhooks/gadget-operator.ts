/** An operator in versions that a story asks for, with all three sorts of webhooks or with none. */
import { parseBundle } from '../../../bundles/parse.ts';

export interface GadgetVersion {
  readonly version: string;
  /** Fields of the spec of a Gadget, besides `size`. */
  readonly fields?: readonly string[];
  /** Name of the Deployment that serves the webhooks. */
  readonly deployment?: string;
  /** All three sorts of them, unless said. */
  readonly webhooks?: boolean;
}

export const CRD = 'gadgets.webhooks.example.com';
export const GROUP = 'webhooks.example.com';

/** The files of a bundle. */
export function gadgetBundle(version: GadgetVersion): ReadonlyMap<string, Uint8Array> {
  const texts = {
    'manifests/csv.json': JSON.stringify(csv(version)),
    'manifests/crd.json': JSON.stringify(crd(version)),
    'metadata/annotations.yaml': 'annotations: {operators.operatorframework.io.bundle.package.v1: gadget-operator}\n',
  };
  const files = new Map(Object.entries(texts).map(([path, text]) => [path, new TextEncoder().encode(text)]));
  parseBundle(files);
  return files;
}

function csv({ version, deployment = 'gadget-manager', webhooks = true }: GadgetVersion): object {
  const webhook = (type: string, fields: object): object => ({
    type,
    generateName: `${type.toLowerCase()}.webhooks.example.com`,
    deploymentName: deployment,
    containerPort: 443,
    targetPort: 9443,
    sideEffects: 'None',
    admissionReviewVersions: ['v1'],
    webhookPath: `/${type.toLowerCase()}`,
    ...fields,
  });
  const rules = [{ apiGroups: [GROUP], apiVersions: ['v1'], operations: ['CREATE'], resources: ['gadgets'] }];
  const modes = ['OwnNamespace', 'SingleNamespace', 'MultiNamespace', 'AllNamespaces'];
  return {
    apiVersion: 'operators.coreos.com/v1alpha1',
    kind: 'ClusterServiceVersion',
    metadata: { name: `gadget-operator.v${version}` },
    spec: {
      displayName: 'Gadgets',
      version,
      installModes: modes.map((type) => ({ type, supported: type === 'AllNamespaces' })),
      install: {
        strategy: 'deployment',
        spec: {
          permissions: [
            { serviceAccountName: 'gadget', rules: [{ apiGroups: [''], resources: ['configmaps'], verbs: ['get'] }] },
          ],
          deployments: [{ name: deployment, spec: deploymentSpec(version) }],
        },
      },
      customresourcedefinitions: { owned: [{ name: CRD, version: 'v1', kind: 'Gadget' }] },
      webhookdefinitions: webhooks
        ? [
            webhook('ValidatingAdmissionWebhook', { rules, failurePolicy: 'Ignore' }),
            webhook('MutatingAdmissionWebhook', { rules, failurePolicy: 'Ignore' }),
            webhook('ConversionWebhook', { conversionCRDs: [CRD] }),
          ]
        : [],
    },
  };
}

function deploymentSpec(version: string): object {
  return {
    replicas: 1,
    selector: { matchLabels: { app: 'gadget' } },
    template: {
      metadata: { labels: { app: 'gadget' } },
      spec: {
        serviceAccountName: 'gadget',
        containers: [{ name: 'manager', image: `registry.example/gadget:v${version}` }],
      },
    },
  };
}

function crd({ fields = [] }: GadgetVersion): object {
  const properties = Object.fromEntries(['size', ...fields].map((name) => [name, { type: 'integer' }]));
  const schema = { type: 'object', properties: { spec: { type: 'object', properties } } };
  return {
    apiVersion: 'apiextensions.k8s.io/v1',
    kind: 'CustomResourceDefinition',
    metadata: { name: CRD },
    spec: {
      group: GROUP,
      scope: 'Namespaced',
      names: { kind: 'Gadget', listKind: 'GadgetList', plural: 'gadgets', singular: 'gadget' },
      versions: ['v1alpha1', 'v1'].map((name) => ({
        name,
        served: true,
        storage: name === 'v1',
        schema: { openAPIV3Schema: schema },
      })),
    },
  };
}
