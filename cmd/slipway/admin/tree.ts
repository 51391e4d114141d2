/** `slipway tree`: a Subscription with everything that belongs to it, read from the cluster. */
import { isForbidden } from '../../../api/api-answers.ts';
import { ReasonedError } from '../../../api/errors.ts';
import { groupKind, type KubeObject, type ObjectRef } from '../../../api/object.ts';
import type { Revision } from '../../../api/revision.ts';
import { refOfEntry } from '../../../apply/inventory.ts';
import { createSlots, inSlots } from '../../../apply/slots.ts';
import type { Subscription } from '../../../api/subscription.ts';
import { fieldsOf } from '../../../api/untyped.ts';
import type { Client } from '../../../kube/client/client.ts';
import type { Environment } from '../environment.ts';
import { withCluster } from '../input/connection.ts';
import type { Outcome } from '../outcome.ts';
import { coalesced } from './coalesced.ts';
import type { ReadFlags } from './flags.ts';
import { followSubscription, type FollowedSubscription } from './followed.ts';
import { merged } from './merged.ts';
import { needSubscription, revisionsOf } from './objects.ts';
import { outcomeOf } from './print.ts';
import { Screen } from './screen.ts';
import { treeOf, type Found, type TreeNode } from '../../../report/tree-nodes.ts';
import { drawTree } from './draw-tree.ts';
import { follow } from './watch.ts';

export async function tree(environment: Environment, text: string, flags: ReadFlags): Promise<Outcome> {
  const { signal, columns } = environment;
  return withCluster(environment, flags, async (connection) => {
    const { client } = connection;
    const subscription = await needSubscription(connection, text, signal);
    if (flags.watch === true) return watch(environment, client, { subscription, output: flags.output });
    const root = await readTree(client, { subscription, revisions: await revisionsOf(client, subscription, signal) }, signal); // prettier-ignore
    return outcomeOf(root, drawTree(root, columns), flags.output);
  });
}

async function readTree(
  client: Client,
  { subscription, revisions }: { readonly subscription: Subscription; readonly revisions: readonly Revision[] },
  signal: AbortSignal,
): Promise<TreeNode> {
  const found = revisions.map(async (one) => [one.metadata.name, await objectsOf(client, one, signal)] as const);
  return treeOf({ subscription, revisions, objects: new Map(await Promise.all(found)) });
}

interface WatchedTree {
  readonly subscription: Subscription;
  readonly output: string;
}

/** Reads and prints the tree again after changes of the Subscription, its Revisions, or Pods, until the signal aborts. */
async function watch(
  environment: Environment,
  client: Client,
  { subscription, output }: WatchedTree,
): Promise<Outcome> {
  const { signal, columns } = environment;
  const screen = new Screen<TreeNode>(environment, output, (root) => drawTree(root, columns));
  let last: FollowedSubscription | undefined;
  const sources = [followSubscription(client, subscription, signal), podChanges(client, subscription, signal)];
  for await (const changes of coalesced(merged<FollowedSubscription | undefined>(sources))) {
    last = changes.findLast((one) => one !== undefined) ?? last;
    if (last === undefined) continue;
    const { subscription: now, revisions } = last;
    screen.show(now === undefined ? undefined : await readTree(client, { subscription: now, revisions }, signal));
  }
  return { data: {}, text: '' };
}

/** Yields after each change of the Pods beside the Subscription; ends at once if the user may not watch them. */
async function* podChanges(
  client: Client,
  { metadata: { namespace = '' } }: Subscription,
  signal: AbortSignal,
): AsyncGenerator<undefined> {
  try {
    for await (const _changes of follow(client, POD, { options: { namespace }, signal })) yield undefined;
  } catch (error) {
    if (!isForbidden(error)) throw error;
  }
}

/** Requests at a time: an API server serves a user so many at once, and a connection is opened for each. */
const PARALLEL = 8;

/** The objects of an inventory; one that cannot be read has its failure, and the others are shown nevertheless. */
function objectsOf(client: Client, { status }: Revision, signal: AbortSignal): Promise<readonly Found[]> {
  const slots = createSlots(PARALLEL);
  return inSlots({ slots, signal }, status?.inventory ?? [], (entry) => read(client, refOfEntry(entry), signal));
}

async function read(client: Client, ref: ObjectRef, signal: AbortSignal): Promise<Found> {
  try {
    const object = await client.get(ref, signal);
    const isDeployment = object !== undefined && groupKind(ref) === 'Deployment.apps';
    return { ref, object, ...(isDeployment && (await podsOf(client, object, signal))) };
  } catch (error) {
    if (!(error instanceof ReasonedError)) throw error;
    return { ref, failure: error.message };
  }
}

const REPLICA_SET = { apiVersion: 'apps/v1', kind: 'ReplicaSet', served: { plural: 'replicasets', namespaced: true } };
const POD = { apiVersion: 'v1', kind: 'Pod', served: { plural: 'pods', namespaced: true } };

/** The ReplicaSets and Pods that the selector of a Deployment matches. */
export async function podsOf(
  client: Client,
  deployment: KubeObject,
  signal: AbortSignal,
): Promise<Required<Pick<Found, 'replicaSets' | 'pods'>>> {
  const labels = fieldsOf(fieldsOf(fieldsOf(deployment['spec'])['selector'])['matchLabels']);
  const labelSelector = Object.entries(labels).map(([key, value]) => `${key}=${String(value)}`).join(','); // prettier-ignore
  const options = { namespace: deployment.metadata.namespace ?? '', labelSelector };
  const [replicaSets, pods] = await Promise.all([
    client.list(REPLICA_SET, options, signal),
    client.list(POD, options, signal),
  ]);
  return { replicaSets, pods };
}
