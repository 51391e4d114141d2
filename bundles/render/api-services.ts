/**
 * Renders the APIServices that the CSV owns, and the objects that their servers need to authenticate callers, as OLM v0
 * makes them.
 */
import type { KubeObject } from '../../api/object.ts';
import type { CsvApiService } from '../bundle.ts';
import { APISERVICE_API, caBundle, injection } from './certificates.ts';
import { serviceName } from './names.ts';
import type { RenderContext } from './options.ts';
import { RBAC, RBAC_GROUP } from './roles.ts';
import { calledPort } from './services.ts';

export function renderApiServices(context: RenderContext): readonly KubeObject[] {
  const owned = context.bundle.csv.spec.apiservicedefinitions.owned ?? [];
  if (context.options.certificates === 'none' || owned.length === 0) return [];
  const deployments = new Set(owned.map(({ deploymentName = '' }) => deploymentName));
  return [
    ...[...deployments].flatMap((deployment) => delegation(context, deployment)),
    ...owned.map((definition) => apiService(context, definition)),
  ];
}

/**
 * An API server behind the aggregation layer asks the main API server who calls, and with which client certificates.
 */
function delegation({ bundle, options }: RenderContext, deployment: string): readonly KubeObject[] {
  const published = bundle.csv.spec.install.spec?.deployments?.find(({ name }) => name === deployment);
  const account = published?.spec.template.spec['serviceAccountName'] ?? 'default';
  const subjects = [{ kind: 'ServiceAccount', name: account, namespace: options.namespace }];
  const service = serviceName(deployment);
  return [
    {
      apiVersion: RBAC,
      kind: 'ClusterRoleBinding',
      metadata: { name: `${service}-system:auth-delegator` },
      subjects,
      roleRef: { apiGroup: RBAC_GROUP, kind: 'ClusterRole', name: 'system:auth-delegator' },
    },
    {
      apiVersion: RBAC,
      kind: 'RoleBinding',
      metadata: { name: `${service}-auth-reader`, namespace: 'kube-system' },
      subjects,
      roleRef: { apiGroup: RBAC_GROUP, kind: 'Role', name: 'extension-apiserver-authentication-reader' },
    },
  ];
}

function apiService(context: RenderContext, definition: CsvApiService): KubeObject {
  const { group, version, deploymentName = '' } = definition;
  const annotations = injection(context, deploymentName);
  return {
    apiVersion: APISERVICE_API,
    kind: 'APIService',
    metadata: { name: `${version}.${group}`, ...(Object.keys(annotations).length > 0 && { annotations }) },
    spec: {
      group,
      version,
      groupPriorityMinimum: 2000,
      versionPriority: 15,
      service: {
        namespace: context.options.namespace,
        name: serviceName(deploymentName),
        port: calledPort(definition),
      },
      ...caBundle(context, deploymentName),
    },
  };
}
