/** A Subscription with its Revisions, objects and Pods as a tree, each with its health. Pure. */
import { findCondition } from '../api/conditions.ts';
import { describeRef, groupKind, type KubeObject, type ObjectRef } from '../api/object.ts';
import type { Revision } from '../api/revision.ts';
import type { Subscription } from '../api/subscription.ts';
import { explainPods, newestReplicaSet } from '../apply/explain-pods.ts';
import { assessHealth } from '../apply/health.ts';
import { PHASE_NAMES, phaseOf } from '../apply/phases.ts';
import { judge } from './situation.ts';

export interface TreeNode {
  /** `Deployment.apps lights/beacon` */
  readonly name: string;
  /** `Ready`, `Progressing`, `Failed`, `Missing`, …: one word. */
  readonly state: string;
  /** Why it is not ready; absent if there is nothing to say. */
  readonly message?: string;
  readonly children: readonly TreeNode[];
}

/** An object of the inventory as it was read. */
export interface Found {
  readonly ref: ObjectRef;
  /** Undefined if it does not exist. */
  readonly object?: KubeObject | undefined;
  /** Why it could not be read. */
  readonly failure?: string;
  /** The ReplicaSets and Pods in the namespace of a Deployment. */
  readonly replicaSets?: readonly KubeObject[];
  readonly pods?: readonly KubeObject[];
}

export interface TreeFacts {
  readonly subscription: Subscription;
  readonly revisions: readonly Revision[];
  /** By the name of the Revision whose inventory names them. */
  readonly objects: ReadonlyMap<string, readonly Found[]>;
}

/** The tree; Revisions from the newest to the oldest, objects in the order of the phases. */
export function treeOf({ subscription, revisions, objects }: TreeFacts): TreeNode {
  const ready = findCondition(subscription.status?.conditions, 'Ready');
  return {
    name: `Subscription ${subscription.metadata.namespace}/${subscription.metadata.name}`,
    state: judge(subscription),
    ...(ready !== undefined && ready.status !== 'True' && { message: ready.message }),
    children: revisions
      .toReversed()
      .map((revision) => revisionNode(revision, objects.get(revision.metadata.name) ?? [])),
  };
}

function revisionNode(revision: Revision, found: readonly Found[]): TreeNode {
  const { metadata, spec, status } = revision;
  const ready = findCondition(status?.conditions, 'Ready');
  const isActive = spec.state === 'Active';
  return {
    name: `Revision ${metadata.name} (${spec.version})`,
    state: isActive ? `Active${ready?.status === 'True' ? '' : ', not ready'}` : describeArchived(revision),
    ...(isActive && ready !== undefined && ready.status !== 'True' && { message: ready.message }),
    children: inPhases(found).map(objectNode),
  };
}

function describeArchived({ spec, status }: Revision): string {
  if (spec.approved) return 'Archived';
  const { reason = 'ApprovalRequired' } = findCondition(status?.conditions, 'Ready') ?? {};
  return reason === 'ApprovalRequired' ? 'Not approved' : `Waits (${reason})`;
}

function inPhases(found: readonly Found[]): readonly Found[] {
  const rank = ({ ref }: Found): number => PHASE_NAMES.indexOf(phaseOf(ref));
  return found.toSorted((one, other) => rank(one) - rank(other));
}

/** One object with its health, and a Deployment with its Pods. */
export function objectNode({ ref, object, failure, replicaSets = [], pods = [] }: Found): TreeNode {
  const name = describeRef(ref);
  if (failure !== undefined) return { name, state: 'Unreadable', message: failure, children: [] };
  if (object === undefined) return { name, state: 'Missing', message: 'the object does not exist', children: [] };
  const { state, message } = assessHealth(object);
  const children = groupKind(ref) === 'Deployment.apps' ? podNodes(object, replicaSets, pods) : [];
  return { name, state, ...(message !== '' && { message }), children };
}

/** The Pods of the newest rollout, each with its most specific problem. */
function podNodes(
  deployment: KubeObject,
  replicaSets: readonly KubeObject[],
  pods: readonly KubeObject[],
): readonly TreeNode[] {
  const newest = newestReplicaSet(deployment, replicaSets);
  const problems = explainPods(deployment, { replicaSets, pods });
  const own = pods.filter(({ metadata }) => metadata.ownerReferences?.some(({ uid }) => uid === newest?.metadata.uid));
  return own.map((pod) => {
    const health = assessHealth(pod);
    const problem = problems.find((one) => one.pod === pod.metadata.name);
    const message = problem?.message ?? health.message;
    return {
      name: `Pod ${pod.metadata.name}`,
      state: problem?.kind ?? health.state,
      ...(message !== '' && { message }),
      children: [],
    };
  });
}
