/**
 * Explains why a Deployment is not healthy, down to the Pod and container, as a person would find out with kubectl.
 * Pure; the Revision's condition shows the first sentence.
 */
import type { KubeObject } from '../api/object.ts';
import { fieldsOf, listOf, textOf, type Fields } from '../api/untyped.ts';

export interface PodProblem {
  readonly kind:
    | 'CrashLooping'
    | 'ImagePull'
    | 'BadConfiguration'
    | 'Failed'
    | 'NotReady'
    | 'Starting'
    | 'Unschedulable'
    | 'Quota'
    | 'Refused';
  readonly pod?: string;
  readonly container?: string;
  /** One sentence with the details. */
  readonly message: string;
}

export interface PodFacts {
  readonly replicaSets: readonly KubeObject[];
  readonly pods: readonly KubeObject[];
  /** From either events API; those about the Pods add the kubelet's last message. */
  readonly events?: readonly KubeObject[];
}

const SEVERITY: readonly PodProblem['kind'][] = [
  'CrashLooping',
  'ImagePull',
  'BadConfiguration',
  'Failed',
  'Quota',
  'Refused',
  'Unschedulable',
  'NotReady',
  'Starting',
];

/** The problems of a Deployment's newest Pods, the most specific first, each once; empty if there are none. */
export function explainPods(deployment: KubeObject, facts: PodFacts): PodProblem[] {
  const replicaSet = newestReplicaSet(deployment, facts.replicaSets);
  const refusal = replicaSet === undefined ? refusalOf(deployment) : (refusalOf(replicaSet) ?? refusalOf(deployment));
  const pods = replicaSet === undefined ? [] : facts.pods.filter((pod) => isOwnedBy(pod, replicaSet));
  const problems = pods.flatMap((pod) => problemsOfPod(pod, facts.events ?? []));
  return [...(refusal === undefined ? [] : [refusal]), ...problems].sort(bySeverity);
}

function bySeverity(a: PodProblem, b: PodProblem): number {
  return SEVERITY.indexOf(a.kind) - SEVERITY.indexOf(b.kind) || (a.pod ?? '').localeCompare(b.pod ?? '', 'en');
}

/** By which the Deployment's controller numbers its ReplicaSets. */
export const REVISION = 'deployment.kubernetes.io/revision';

/** The ReplicaSet of the current rollout; Pods of older ones are not explained. */
export function newestReplicaSet(deployment: KubeObject, replicaSets: readonly KubeObject[]): KubeObject | undefined {
  return replicaSets
    .filter((replicaSet) => isOwnedBy(replicaSet, deployment))
    .toSorted((a, b) => revisionOf(b) - revisionOf(a))[0];
}

function revisionOf({ metadata }: KubeObject): number {
  return Number(metadata.annotations?.[REVISION] ?? 0);
}

function isOwnedBy({ metadata }: KubeObject, owner: KubeObject): boolean {
  return metadata.ownerReferences?.some(({ uid }) => uid === owner.metadata.uid) ?? false;
}

/** Pods whose creation was rejected: by a quota, an admission policy, a missing ServiceAccount. */
function refusalOf(object: KubeObject): PodProblem | undefined {
  const failure = listOf(fieldsOf(object['status'])['conditions']).find(
    ({ type, status }) => type === 'ReplicaFailure' && status === 'True',
  );
  if (failure === undefined) return undefined;
  const message = textOf(failure['message']) || 'Pods cannot be created';
  if (/exceeded quota/.test(message)) return { kind: 'Quota', message: `no Pod may be created: ${message}` };
  return { kind: 'Refused', message: `no Pod can be created: ${message}` };
}

function problemsOfPod(pod: KubeObject, events: readonly KubeObject[]): PodProblem[] {
  const status = fieldsOf(pod['status']);
  if (pod.metadata.deletionTimestamp !== undefined || status['phase'] === 'Succeeded') return [];
  const unscheduled = conditionOf(status, 'PodScheduled');
  if (unscheduled?.['status'] === 'False') return [unschedulable(pod, unscheduled)];
  if (conditionOf(status, 'Ready')?.['status'] === 'True') return [];
  if (status['phase'] === 'Failed') return [failedPod(pod, status)];
  const containers = [...listOf(status['initContainerStatuses']), ...listOf(status['containerStatuses'])];
  const problems = containers.flatMap((container) => problemOfContainer(pod, container, events) ?? []);
  return problems.length > 0 ? problems : [starting(pod, events)];
}

function unschedulable(pod: KubeObject, condition: Fields): PodProblem {
  const why = textOf(condition['message']) || 'no node takes it';
  return {
    kind: 'Unschedulable',
    pod: pod.metadata.name,
    message: `Pod ${pod.metadata.name} cannot be scheduled: ${why}`,
  };
}

function failedPod(pod: KubeObject, status: Fields): PodProblem {
  const reason = textOf(status['reason']);
  const why = [reason, textOf(status['message'])].filter((text) => text !== '').join(': ') || 'it ended';
  return {
    kind: 'Failed',
    pod: pod.metadata.name,
    message: `Pod ${pod.metadata.name} failed: ${why}`,
  };
}

const IMAGE_REASONS: ReadonlySet<string> = new Set([
  'ErrImageNeverPull',
  'ErrImagePull',
  'ImageInspectError',
  'ImagePullBackOff',
  'InvalidImageName',
  'RegistryUnavailable',
  'SignatureValidationFailed',
]);

const CONFIGURATION_REASONS: ReadonlySet<string> = new Set([
  'CreateContainerConfigError',
  'CreateContainerError',
  'PreCreateHookError',
  'PostStartHookError',
  'RunContainerError',
]);

function problemOfContainer(pod: KubeObject, container: Fields, events: readonly KubeObject[]): PodProblem | undefined {
  const name = textOf(container['name']);
  const where = { pod: pod.metadata.name, container: name };
  const subject = `container ${name} of Pod ${pod.metadata.name}`;
  const state = fieldsOf(container['state']);
  const waiting = fieldsOf(state['waiting']);
  const reason = textOf(waiting['reason']);
  if (IMAGE_REASONS.has(reason)) {
    const message = `${subject} cannot pull ${textOf(container['image']) || 'its image'}: ${textOf(waiting['message']) || reason}`;
    return { kind: 'ImagePull', ...where, message };
  }
  if (CONFIGURATION_REASONS.has(reason)) {
    const message = `${subject} cannot be started: ${textOf(waiting['message']) || reason}`;
    return { kind: 'BadConfiguration', ...where, message };
  }
  const ended = lastEnd(container, state);
  if (
    reason === 'CrashLoopBackOff' ||
    (ended !== undefined && restartsOf(container) > 0 && container['ready'] !== true)
  ) {
    return {
      kind: 'CrashLooping',
      ...where,
      message: `${subject} crashes: ${describeEnd(ended, container)}`,
    };
  }
  const running = state['running'] !== undefined;
  if (!running || container['ready'] === true || fieldsOf(state)['terminated'] !== undefined) return undefined;
  const said = lastEvent(pod, events, ['Unhealthy']);
  const message = `${subject} runs and is not ready${said === undefined ? '' : `: ${said}`}`;
  return { kind: 'NotReady', ...where, message };
}

/** How the container ended last; undefined if it never ended or succeeded. */
function lastEnd(container: Fields, state: Fields): Fields | undefined {
  const ends = [state['terminated'], fieldsOf(container['lastState'])['terminated']];
  return ends.map(fieldsOf).find((end) => end['exitCode'] !== undefined && end['exitCode'] !== 0);
}

function describeEnd(ended: Fields | undefined, container: Fields): string {
  const restarts = restartsOf(container);
  const times = `restarted ${restarts} ${restarts === 1 ? 'time' : 'times'}`;
  if (ended === undefined) return `it ends as soon as it has started, ${times}`;
  const reason = textOf(ended['reason']);
  const exit = `exit code ${String(ended['exitCode'])}${reason === '' || reason === 'Error' ? '' : ` (${reason})`}`;
  const said = textOf(ended['message']).trim();
  return `${exit}, ${times}${said === '' ? '' : `: ${said.slice(-512)}`}`;
}

function restartsOf(container: Fields): number {
  const restarts = container['restartCount'];
  return typeof restarts === 'number' ? restarts : 0;
}

const START_FAILURES = ['FailedMount', 'FailedAttachVolume', 'FailedCreatePodSandBox', 'FailedMapVolume', 'Failed'];

function starting(pod: KubeObject, events: readonly KubeObject[]): PodProblem {
  const said = lastEvent(pod, events, START_FAILURES);
  const { name } = pod.metadata;
  if (said === undefined) return { kind: 'Starting', pod: name, message: `Pod ${name} has not started yet` };
  return { kind: 'BadConfiguration', pod: name, message: `Pod ${name} cannot start: ${said}` };
}

/** The message of the Pod's newest event with one of these reasons; understands both events APIs. */
function lastEvent(pod: KubeObject, events: readonly KubeObject[], reasons: readonly string[]): string | undefined {
  const about = events.filter((event) => {
    const target = fieldsOf(event['regarding'] ?? event['involvedObject']);
    return target['uid'] === pod.metadata.uid && reasons.includes(textOf(event['reason']));
  });
  const newest = about.toSorted((a, b) => timeOf(b).localeCompare(timeOf(a), 'en'))[0];
  return newest === undefined ? undefined : textOf(newest['note'] ?? newest['message']).trim() || undefined;
}

function timeOf(event: KubeObject): string {
  const series = fieldsOf(event['series'])['lastObservedTime'];
  return (
    textOf(series) ||
    textOf(event['lastTimestamp']) ||
    textOf(event['deprecatedLastTimestamp']) ||
    textOf(event['eventTime'])
  );
}

function conditionOf(status: Fields, type: string): Fields | undefined {
  return listOf(status['conditions']).find((condition) => condition['type'] === type);
}
