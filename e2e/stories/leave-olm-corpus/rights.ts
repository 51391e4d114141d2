/** Calls that ask whether the ServiceAccounts of an operator still have the rights that OLM has granted to them. */
import { fieldsOf, itemsOf, listOf, textOf, type Fields } from '../../../api/untyped.ts';
import type { Probe, Probed, Scene } from './probe.ts';

/** The account of an operator lacks a right that it had. */
export class NotAllowed extends Error {}

const RBAC = 'rbac.authorization.k8s.io/v1';

/** One of each rule that OLM has granted to the accounts of the operator, and that on its OperatorCondition. */
export async function rightsOf({ client, cluster }: Scene, operator: Probed): Promise<readonly Probe[]> {
  const { name: owner, namespace, bindings } = operator;
  const { labelSelector, isOwn } = bindings;
  const probes = new Map<string, Probe>();
  for (const kind of ['RoleBinding', 'ClusterRoleBinding']) {
    for (const binding of await client.list({ apiVersion: RBAC, kind }, { labelSelector })) {
      const account = listOf(binding['subjects']).find((one) => one['namespace'] === namespace);
      if (!isOwn(binding) || account === undefined) continue;
      const user = `system:serviceaccount:${namespace}:${textOf(account['name'])}`;
      const role = fieldsOf(binding['roleRef']);
      const live = await client.get({
        apiVersion: RBAC,
        kind: textOf(role['kind']),
        name: textOf(role['name']),
        ...(role['kind'] === 'Role' && { namespace: binding.metadata.namespace ?? '' }),
      });
      for (const rule of listOf(live?.['rules'])) {
        const attributes = attributesOf(rule, binding.metadata.namespace);
        const name = `${owner}: ${user} ${JSON.stringify(attributes)}`;
        probes.set(name, { operator: owner, sort: 'right', name, ask: () => askRight(cluster, user, attributes) });
      }
    }
  }
  return [...probes.values()];
}

function attributesOf(rule: Fields, namespace: string | undefined): object {
  const first = (key: string): string => textOf(itemsOf(rule[key])[0]);
  if (itemsOf(rule['nonResourceURLs']).length > 0)
    return { nonResourceAttributes: { path: first('nonResourceURLs').replace('*', 'x'), verb: first('verbs') } };
  const [resource = '', subresource] = first('resources').split('/');
  const name = first('resourceNames');
  return {
    resourceAttributes: {
      group: first('apiGroups'),
      resource,
      verb: first('verbs'),
      ...(subresource !== undefined && { subresource }),
      ...(name !== '' && { name }),
      ...(namespace !== undefined && { namespace }),
    },
  };
}

async function askRight(cluster: Scene['cluster'], user: string, attributes: object): Promise<void> {
  const review = await cluster.request('POST', '/apis/authorization.k8s.io/v1/subjectaccessreviews', {
    apiVersion: 'authorization.k8s.io/v1',
    kind: 'SubjectAccessReview',
    spec: { user, ...attributes },
  });
  if (fieldsOf(review['status'])['allowed'] !== true) throw new NotAllowed('the right is gone');
}
