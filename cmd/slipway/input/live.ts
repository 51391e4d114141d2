/** Reads the objects of an operator that runs in a cluster: those of its namespace, and those outside that may belong to it. */
import { isForbidden } from '../../../api/api-answers.ts';
import { ReasonedError } from '../../../api/errors.ts';
import { groupKind, groupOf, type Kind, type KubeObject } from '../../../api/object.ts';
import { createSlots, inSlots } from '../../../apply/slots.ts';
import { takeLive, type LiveSource } from '../../../bundles/author/compose.ts';
import type { Client } from '../../../kube/client/client.ts';
import type { Environment } from '../environment.ts';
import { cleanLine } from '../../../report/clean.ts';
import { withCluster, type KubeFlags } from './connection.ts';
import { invalidInput } from '../../../api/invalid-input.ts';

export interface LiveFlags extends Pick<KubeFlags, 'kubeconfig' | 'context'> {
  /** Objects that are taken in any case: `Secret/token`. */
  readonly include?: readonly string[];
}

/** Requests at a time. */
const PARALLEL = 8;
const RBAC = 'rbac.authorization.k8s.io/v1';

/** Kinds of which objects outside of the namespace may belong to the operator. */
const OUTSIDE: readonly Kind[] = [
  ...['ClusterRole', 'ClusterRoleBinding', 'Role', 'RoleBinding'].map((kind) => ({ apiVersion: RBAC, kind })),
  { apiVersion: 'apiextensions.k8s.io/v1', kind: 'CustomResourceDefinition' },
  { apiVersion: 'admissionregistration.k8s.io/v1', kind: 'ValidatingWebhookConfiguration' },
  { apiVersion: 'admissionregistration.k8s.io/v1', kind: 'MutatingWebhookConfiguration' },
  { apiVersion: 'apiregistration.k8s.io/v1', kind: 'APIService' },
  { apiVersion: 'scheduling.k8s.io/v1', kind: 'PriorityClass' },
];

/** @throws ReasonedError InputInvalid if there is no such namespace, Forbidden, and other errors of the API server */
export function readLive(environment: Environment, namespace: string, flags: LiveFlags): Promise<LiveSource> {
  const { signal } = environment;
  return withCluster(environment, flags, async ({ client }) => {
    const found = await client.get({ apiVersion: 'v1', kind: 'Namespace', name: namespace }, signal);
    if (found === undefined)
      throw invalidInput(
        `the cluster has no namespace ${JSON.stringify(namespace)}`,
        'Name the namespace in which the operator runs, and the cluster by --context',
      );
    const inside = await readInside(environment, client, namespace);
    const all = await inParallel(OUTSIDE, signal, (kind) => client.list(kind, {}, signal));
    const outside = all.flat().filter(({ metadata }) => metadata.namespace !== namespace);
    return takeLive({ inside, outside: [found, ...outside] }, { namespace, include: flags.include ?? [] });
  });
}

/** Every object of the namespace; a kind that the user may not list, or whose API does not answer, is named on stderr. */
async function readInside(
  { signal, complain }: Environment,
  client: Client,
  namespace: string,
): Promise<readonly KubeObject[]> {
  const kinds = await listableKinds(client, signal);
  const lists = await inParallel(kinds, signal, async (kind) => {
    try {
      return await client.list(kind, { namespace }, signal);
    } catch (error) {
      if (!(error instanceof ReasonedError) || signal.aborted) throw error;
      if (NEEDED.has(groupKind(kind)) && isForbidden(error)) throw error;
      complain(
        `slipway: objects of the kind ${kind.kind} (${kind.apiVersion}) are left out: ${cleanLine(error.message)}\n`,
      );
      return [];
    }
  });
  return lists.flat();
}

/** Kinds without which a bundle would be another operator. */
const NEEDED: ReadonlySet<string> = new Set([
  'Deployment.apps',
  'ServiceAccount',
  'Role.rbac.authorization.k8s.io',
  'RoleBinding.rbac.authorization.k8s.io',
  'Service',
  'ConfigMap',
]);

/** Each kind of namespaces once, in the version that the API server prefers; events are records, and are not read. */
async function listableKinds(client: Client, signal: AbortSignal): Promise<readonly Required<Kind>[]> {
  const all = (await client.discovery.list(signal)).filter(
    ({ namespaced, verbs, kind }) =>
      namespaced && verbs.includes('list') && verbs.includes('create') && kind !== 'Event',
  );
  const preferred = new Map<string, Required<Kind>>();
  for (const { apiVersion, kind, plural, namespaced } of all) {
    const key = `${plural}.${groupOf(apiVersion)}`;
    if (!preferred.has(key)) preferred.set(key, { apiVersion, kind, served: { plural, namespaced } });
  }
  return [...preferred.values()];
}

function inParallel<Item, Result>(
  items: readonly Item[],
  signal: AbortSignal,
  task: (item: Item) => Promise<Result>,
): Promise<readonly Result[]> {
  return inSlots({ slots: createSlots(PARALLEL), signal }, items, task);
}
