/** The rights without which the manager cannot work at all; deploy/rbac grants them and all others. */
import { GROUP } from '../../../../api/names.ts';
import type { Access, Client } from '../../../../kube/client/client.ts';
import { createSlots, inSlots } from '../../../../apply/slots.ts';
import { MANAGER } from '../../../../report/manager.ts';

/** The rights that are asked about, for a manager in a namespace. */
export function neededRights(namespace: string): readonly Access[] {
  const ours = (verb: string, resource: string): Access => ({ verb, group: GROUP, resource });
  return [
    ...['catalogs', 'subscriptions', 'revisions'].flatMap((resource) => [
      ours('list', resource),
      ours('watch', resource),
    ]),
    ...['catalogs/status', 'subscriptions/status', 'revisions/status'].map((resource) => ours('patch', resource)),
    ours('create', 'revisions'),
    { verb: 'create', group: 'events.k8s.io', resource: 'events' },
    { verb: 'update', group: 'coordination.k8s.io', resource: 'leases', namespace, name: MANAGER },
    { verb: 'create', group: '', resource: 'secrets' },
    { verb: 'patch', group: 'apps', resource: 'deployments' },
    { verb: 'patch', group: 'apiextensions.k8s.io', resource: 'customresourcedefinitions' },
    { verb: 'escalate', group: 'rbac.authorization.k8s.io', resource: 'clusterroles' },
    { verb: 'impersonate', group: '', resource: 'serviceaccounts' },
  ];
}

/** The rights that the manager's ServiceAccount lacks; undefined if the user may not act as it. */
export async function missingRights(
  client: Client,
  namespace: string,
  signal: AbortSignal,
): Promise<readonly string[] | undefined> {
  const manager = client.as({ user: `system:serviceaccount:${namespace}:${MANAGER}` });
  const slots = createSlots(PARALLEL);
  const answers = await inSlots({ slots, signal }, neededRights(namespace), async (access) => ({
    access,
    allowed: await manager.allows(access, signal),
  }));
  if (answers.some(({ allowed }) => allowed === undefined)) return undefined;
  return answers.filter(({ allowed }) => allowed === false).map(({ access }) => describeAccess(access));
}

/** Requests at a time. */
const PARALLEL = 8;

/** `patch deployments.apps` */
function describeAccess({ verb, group, resource, namespace, name }: Access): string {
  const [plural = '', part] = resource.split('/');
  const kind = `${plural}${group === '' ? '' : `.${group}`}${part === undefined ? '' : `/${part}`}`;
  return `${verb} ${kind}${name === undefined ? '' : ` ${namespace}/${name}`}`;
}
