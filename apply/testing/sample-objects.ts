/** Small objects for tests: an operator of the sort that bundles bring, in the namespace `ops`. */
import type { KubeObject } from '../../api/object.ts';
import { prepareObjects, type Owner } from '../prepare.ts';

export const OWNER: Owner = { namespace: 'ops', name: 'widgets', uid: 'subscription-uid' };

/** An object of any kind; `fields` are its other top-level fields, and may replace metadata. */
export function sample(
  apiVersion: string,
  kind: string,
  name: string,
  fields: Readonly<Record<string, unknown>> & { readonly namespace?: string } = {},
): KubeObject {
  const { namespace, ...rest } = fields;
  return { apiVersion, kind, metadata: { name, ...(namespace !== undefined && { namespace }) }, ...rest };
}

/** A CRD `<plural>.<group>` with one version v1 that takes any spec. */
export function sampleCrd(kind: string, { group = 'example.com', field = 'size' } = {}): KubeObject {
  const plural = `${kind.toLowerCase()}s`;
  const spec = { type: 'object', properties: { [field]: { type: 'integer' } } };
  return sample('apiextensions.k8s.io/v1', 'CustomResourceDefinition', `${plural}.${group}`, {
    spec: {
      group,
      scope: 'Namespaced',
      names: { kind, listKind: `${kind}List`, plural, singular: kind.toLowerCase() },
      versions: [
        {
          name: 'v1',
          served: true,
          storage: true,
          schema: { openAPIV3Schema: { type: 'object', properties: { spec } } },
        },
      ],
    },
  });
}

/** A Deployment of one replica. */
export function sampleDeployment(name: string, { image = 'registry.example/operator:1', app = name } = {}): KubeObject {
  return sample('apps/v1', 'Deployment', name, {
    namespace: 'ops',
    spec: {
      replicas: 1,
      selector: { matchLabels: { app } },
      template: { metadata: { labels: { app } }, spec: { containers: [{ name: 'manager', image }] } },
    },
  });
}

/** The objects of an operator: ten objects in eight phases, as a renderer returns them. */
export function sampleOperator({
  prefix = 'widget',
  image = 'registry.example/operator:1',
  kind = 'Widget',
} = {}): KubeObject[] {
  const rbac = 'rbac.authorization.k8s.io/v1';
  const rules = [{ apiGroups: ['example.com'], resources: ['*'], verbs: ['get', 'list', 'watch'] }];
  const subjects = [{ kind: 'ServiceAccount', name: `${prefix}-manager`, namespace: 'ops' }];
  const roleRef = (of: string): object => ({
    apiGroup: 'rbac.authorization.k8s.io',
    kind: of,
    name: `${prefix}-manager`,
  });
  return [
    sampleDeployment(`${prefix}-manager`, { image }),
    sample('v1', 'Service', `${prefix}-metrics`, {
      namespace: 'ops',
      spec: { selector: { app: `${prefix}-manager` }, ports: [{ name: 'metrics', port: 8080 }] },
    }),
    sampleCrd(kind),
    sample('v1', 'ServiceAccount', `${prefix}-manager`, { namespace: 'ops' }),
    sample('v1', 'ConfigMap', `${prefix}-config`, { namespace: 'ops', data: { level: 'info', format: 'json' } }),
    sample(rbac, 'ClusterRole', `${prefix}-manager`, { rules }),
    sample(rbac, 'ClusterRoleBinding', `${prefix}-manager`, { roleRef: roleRef('ClusterRole'), subjects }),
    sample(rbac, 'Role', `${prefix}-manager`, { namespace: 'ops', rules }),
    sample(rbac, 'RoleBinding', `${prefix}-manager`, { namespace: 'ops', roleRef: roleRef('Role'), subjects }),
    sample('admissionregistration.k8s.io/v1', 'ValidatingWebhookConfiguration', `${prefix}-validate`, { webhooks: [] }),
  ];
}

/** The objects as applied for {@link OWNER}. */
export function prepared(objects: readonly KubeObject[], { owner = OWNER, revision = 'widgets-1' } = {}): KubeObject[] {
  return prepareObjects(objects, { owner, package: 'widgets', revision, installNamespace: 'ops' });
}
