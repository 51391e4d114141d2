/**
 * Assesses whether an object works, from its status alone, as kstatus does. Pure; phases wait for it, and the
 * Revision's conditions report it. Explaining why a workload is unhealthy is the work of explain-pods.ts.
 * @see https://github.com/kubernetes-sigs/cli-utils/blob/master/pkg/kstatus/README.md
 */
import { isInjected } from '../api/names.ts';
import type { Reason } from '../api/reasons.ts';
import { groupKind, type Kind, type KubeObject } from '../api/object.ts';
import { hasNewPod, heldFor } from './held-back.ts';
import { fieldsOf, listOf, numberOf, textOf, type Fields } from '../api/untyped.ts';

export interface Health {
  /**
   * `Ready`: it works. `Progressing`: not yet, with no sign of a permanent failure. `Failed`: its controller has given
   * up. `Unknown`: its status cannot be read.
   */
  readonly state: 'Ready' | 'Progressing' | 'Failed' | 'Unknown';
  /** One sentence; stable as long as the status does not change. Empty when Ready. */
  readonly message: string;
  /** For a Failed object whose cause has a reason of its own: waiting would not help. */
  readonly reason?: Extract<Reason, 'InvalidCABundle'>;
}

/** One of `status.conditions`. */
interface ReadCondition {
  readonly type: string;
  readonly status: string;
  readonly reason: string;
  readonly message: string;
  readonly observedGeneration: number | undefined;
}

type Judge = (object: KubeObject, status: Fields) => Health;

const READY: Health = { state: 'Ready', message: '' };
const progressing = (message: string): Health => ({ state: 'Progressing', message });
const failed = (message: string): Health => ({ state: 'Failed', message });
const unknown = (message: string): Health => ({ state: 'Unknown', message });

const JUDGES: ReadonlyMap<string, Judge> = new Map([
  ['Deployment.apps', judgeDeployment],
  ['StatefulSet.apps', judgeStatefulSet],
  ['DaemonSet.apps', judgeDaemonSet],
  ['ReplicaSet.apps', judgeReplicaSet],
  ['Job.batch', judgeJob],
  ['Pod', judgePod],
  ['Namespace', judgeNamespace],
  ['PersistentVolumeClaim', judgeClaim],
  ['CustomResourceDefinition.apiextensions.k8s.io', judgeCrd],
  ['APIService.apiregistration.k8s.io', judgeApiService],
  ['Certificate.cert-manager.io', judgeReadyCondition],
  ['Issuer.cert-manager.io', judgeReadyCondition],
  ['ClusterIssuer.cert-manager.io', judgeReadyCondition],
]);

/** Whether an object of the kind can exist without working yet; any other object works as soon as it exists. */
export function hasHealth(object: Kind): boolean {
  return JUDGES.has(groupKind(object));
}

/** The health of any object: one that is being deleted is Progressing, one without a status Ready. */
export function assessHealth(object: KubeObject): Health {
  if (object.metadata.deletionTimestamp !== undefined) return progressing('it is being deleted');
  const status = fieldsOf(object['status']);
  const stale = judgeObserved(object, status);
  if (stale !== undefined) return stale;
  return (JUDGES.get(groupKind(object)) ?? judgeConditions)(object, status);
}

/** A status that describes an older spec says nothing about the current one. */
function judgeObserved({ metadata }: KubeObject, status: Fields): Health | undefined {
  const observed = numberOf(status['observedGeneration']);
  return observed !== undefined && metadata.generation !== undefined && observed < metadata.generation
    ? progressing('its controller has not seen the new spec yet')
    : undefined;
}

function judgeDeployment(object: KubeObject, status: Fields): Health {
  const stuck = conditionOf(status, 'Progressing');
  if (stuck?.status === 'False' && stuck.reason === 'ProgressDeadlineExceeded') {
    return failed(`its rollout made no progress within ${deadlineOf(object)} s: ${stuck.message}`);
  }
  if (numberOf(status['observedGeneration']) === undefined) return progressing('its controller has not seen it yet');
  if (heldFor(object) !== undefined) return hasNewPod(status) ? READY : progressing('no new Pod of it is ready yet');
  return (
    judgePaused(object, status) ?? judgeReplicas(desiredReplicas(object), status) ?? judgeAvailable(status) ?? READY
  );
}

/** No bundle pauses a rollout, and no apply resumes one that a person has paused: an upgrade would wait for its deadline. */
function judgePaused(object: KubeObject, status: Fields): Health | undefined {
  const { namespace = '', name } = object.metadata;
  const isBehind = (numberOf(status['updatedReplicas']) ?? 0) < desiredReplicas(object);
  if (fieldsOf(object['spec'])['paused'] !== true || !isBehind) return undefined;
  return progressing(`its rollout is paused. Resume it: kubectl -n ${namespace} rollout resume deployment/${name}`);
}

/** @see https://kubernetes.io/docs/concepts/workloads/controllers/deployment/#deployment-status */
function judgeReplicas(wanted: number, status: Fields): Health | undefined {
  const [updated, total, available] = ['updatedReplicas', 'replicas', 'availableReplicas'].map(
    (field) => numberOf(status[field]) ?? 0,
  ) as [number, number, number];
  if (updated < wanted) return progressing(`${updated} of ${wanted} replicas are of the new revision`);
  if (total > updated) return progressing(`${total - updated} replicas of the old revision are still there`);
  if (available < wanted) return progressing(`${available} of ${wanted} replicas are available`);
  return undefined;
}

function judgeAvailable(status: Fields): Health | undefined {
  const available = conditionOf(status, 'Available');
  return available?.status === 'False' ? progressing(available.message || 'it is not available') : undefined;
}

function judgeStatefulSet(object: KubeObject, status: Fields): Health {
  const spec = fieldsOf(object['spec']);
  const wanted = desiredReplicas(object);
  if (numberOf(status['observedGeneration']) === undefined) return progressing('its controller has not seen it yet');
  const ready = numberOf(status['readyReplicas']) ?? 0;
  if (ready < wanted) return progressing(`${ready} of ${wanted} replicas are ready`);
  const strategy = fieldsOf(spec['updateStrategy']);
  if (strategy['type'] === 'OnDelete') return READY;
  const partition = numberOf(fieldsOf(strategy['rollingUpdate'])['partition']) ?? 0;
  const updated = numberOf(status['updatedReplicas']) ?? 0;
  const due = Math.max(0, wanted - partition);
  return updated < due ? progressing(`${updated} of ${due} replicas are of the new revision`) : READY;
}

function judgeDaemonSet(_object: KubeObject, status: Fields): Health {
  const wanted = numberOf(status['desiredNumberScheduled']);
  if (wanted === undefined || numberOf(status['observedGeneration']) === undefined) {
    return progressing('its controller has not seen it yet');
  }
  const updated = numberOf(status['updatedNumberScheduled']) ?? 0;
  if (updated < wanted) return progressing(`${updated} of ${wanted} nodes run the new revision`);
  const available = numberOf(status['numberAvailable']) ?? 0;
  return available < wanted ? progressing(`${available} of ${wanted} nodes have it available`) : READY;
}

function judgeReplicaSet(object: KubeObject, status: Fields): Health {
  const failure = conditionOf(status, 'ReplicaFailure');
  if (failure?.status === 'True') return progressing(failure.message || 'its Pods cannot be created');
  const wanted = desiredReplicas(object);
  const available = numberOf(status['availableReplicas']) ?? 0;
  return available < wanted ? progressing(`${available} of ${wanted} replicas are available`) : READY;
}

function judgeJob(_object: KubeObject, status: Fields): Health {
  const failure = conditionOf(status, 'Failed');
  if (failure?.status === 'True') return failed(`it failed: ${failure.message}`);
  const suspended = conditionOf(status, 'Suspended')?.status === 'True';
  if (suspended || conditionOf(status, 'Complete')?.status === 'True') return READY;
  return progressing('it has not completed');
}

function judgePod(_object: KubeObject, status: Fields): Health {
  if (status['phase'] === 'Succeeded') return READY;
  if (status['phase'] === 'Failed') return failed(textOf(status['message']) || 'it failed');
  return conditionOf(status, 'Ready')?.status === 'True' ? READY : progressing('it is not ready');
}

function judgeNamespace(_object: KubeObject, status: Fields): Health {
  return status['phase'] === 'Active' ? READY : progressing('it is not active');
}

function judgeClaim(_object: KubeObject, status: Fields): Health {
  if (status['phase'] === 'Lost') return failed('its volume is lost');
  return status['phase'] === 'Bound' ? READY : progressing('it is not bound to a volume');
}

/** @see https://kubernetes.io/docs/tasks/extend-kubernetes/custom-resources/custom-resource-definitions/ */
function judgeCrd({ metadata }: KubeObject, status: Fields): Health {
  const names = conditionOf(status, 'NamesAccepted');
  if (names?.status === 'False' && names.reason !== 'Installing')
    return failed(`its names are taken: ${names.message}`);
  const structural = conditionOf(status, 'NonStructuralSchema');
  if (structural?.status === 'True') return failed(`its schema is not structural: ${structural.message}`);
  const established = conditionOf(status, 'Established');
  if (established?.status === 'False' && established.reason === 'InvalidCABundle') {
    const message = `spec.conversion.webhook.clientConfig.caBundle holds no certificate: ${established.message}`;
    if (isInjected(metadata.annotations))
      return progressing(`${message}; it waits for the program that its annotation names to write one`);
    return { ...failed(message), reason: 'InvalidCABundle' };
  }
  return established?.status === 'True' ? READY : progressing('it is not established yet');
}

function judgeApiService(_object: KubeObject, status: Fields): Health {
  const available = conditionOf(status, 'Available');
  if (available?.status === 'True') return READY;
  return progressing(available?.message || 'it is not available yet');
}

/** For kinds that are of no use before their Ready condition is True. */
function judgeReadyCondition(object: KubeObject, status: Fields): Health {
  const ready = conditionOf(status, 'Ready');
  if (ready === undefined) return progressing('it does not say yet whether it is ready');
  return judgeConditions(object, status);
}

/** The conditions that kstatus defines; an object that has none of them is Ready as soon as it exists. */
function judgeConditions({ metadata }: KubeObject, status: Fields): Health {
  const stalled = conditionOf(status, 'Stalled');
  if (stalled?.status === 'True') return failed(stalled.message || stalled.reason || 'it is stalled');
  const reconciling = conditionOf(status, 'Reconciling');
  if (reconciling?.status === 'True')
    return progressing(reconciling.message || reconciling.reason || 'it is being reconciled');
  const ready = conditionOf(status, 'Ready');
  if (ready === undefined) return READY;
  const stale = ready.observedGeneration !== undefined && ready.observedGeneration < (metadata.generation ?? 0);
  if (stale) return progressing('its controller has not seen the new spec yet');
  if (ready.status === 'True') return READY;
  const message = ready.message || ready.reason || 'it is not ready';
  return ready.status === 'False' ? progressing(message) : unknown(message);
}

function desiredReplicas(object: KubeObject): number {
  return numberOf(fieldsOf(object['spec'])['replicas']) ?? 1;
}

function deadlineOf(object: KubeObject): number {
  return numberOf(fieldsOf(object['spec'])['progressDeadlineSeconds']) ?? 600;
}

function conditionOf(status: Fields, type: string): ReadCondition | undefined {
  const found = listOf(status['conditions']).find((condition) => condition['type'] === type);
  if (found === undefined) return undefined;
  return {
    type,
    status: textOf(found['status']),
    reason: textOf(found['reason']),
    message: textOf(found['message']),
    observedGeneration: numberOf(found['observedGeneration']),
  };
}
