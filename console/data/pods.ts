/** The Pods of an operator, each with its problem and the last lines of its log. Pure. */
import { groupKind, type KubeObject, type ObjectRef } from '../../api/object.ts';
import { activeOf, type Revision } from '../../api/revision.ts';
import { fieldsOf, listOf, numberOf, textOf } from '../../api/untyped.ts';
import { explainPods, newestReplicaSet, type PodProblem } from '../../apply/explain-pods.ts';
import { assessHealth } from '../../apply/health.ts';
import { refOfEntry } from '../../apply/inventory.ts';
import type { Answer, ReadLog, ReadObject } from './ask.ts';
import { healthBadge } from './badges.ts';
import { quote } from './kubectl.ts';
import type { LogTail, Notice, PodRow } from './models.ts';
import { indentedLine, line, nameOf } from './text.ts';

/** Bounds of a page: Pods, containers of one, lines of each. */
export const POD_LIMITS = { pods: 20, containers: 10, lines: 20, line: 1000 } as const;

/** A container whose last lines explain a Pod. */
export interface TroubledContainer {
  readonly namespace: string;
  readonly pod: string;
  readonly container: string;
  /** The run that ended, if the container is started again and again. */
  readonly run: 'current' | 'previous';
}

/** The Deployments in the inventory of the active Revision. */
export function deploymentsOf(revisions: readonly Revision[]): readonly ObjectRef[] {
  const active = activeOf(revisions);
  return (active?.status?.inventory ?? []).map(refOfEntry).filter((ref) => groupKind(ref) === 'Deployment.apps');
}

/** The containers of the Pods of the newest roll-out that have a problem which a log may explain. */
export function podsInTrouble(
  deployment: KubeObject,
  facts: { readonly replicaSets: readonly KubeObject[]; readonly pods: readonly KubeObject[] },
): readonly TroubledContainer[] {
  const troubled = new Set(explainPods(deployment, facts).flatMap(({ pod }) => pod ?? []));
  return facts.pods
    .filter(({ metadata }) => troubled.has(metadata.name))
    .slice(0, POD_LIMITS.pods)
    .flatMap(containersOf);
}

/** Those that are not ready; all of them if that is not known. */
function containersOf({ metadata, spec, status }: KubeObject): readonly TroubledContainer[] {
  const statuses = new Map(
    listOf(fieldsOf(status)['containerStatuses']).map((one) => [textOf(one['name']), one] as const),
  );
  const all = listOf(fieldsOf(spec)['containers']).map(({ name }) => textOf(name));
  const unready = all.filter((name) => statuses.get(name)?.['ready'] !== true);
  return (unready.length > 0 ? unready : all).slice(0, POD_LIMITS.containers).map((container) => {
    const own = statuses.get(container);
    const isRunning = fieldsOf(own?.['state'])['running'] !== undefined;
    const hasEnded = (numberOf(own?.['restartCount']) ?? 0) > 0;
    const run = hasEnded && !isRunning ? 'previous' : 'current';
    return { namespace: metadata.namespace ?? '', pod: metadata.name, container, run };
  });
}

/** The rows of all Deployments: Pods in trouble, or else all of the newest roll-outs. */
export function podRows(answers: readonly Answer<ReadObject>[]): readonly PodRow[] {
  const all = answers.flatMap((one) => ('value' in one ? rowsOf(one.value) : []));
  const troubled = all.filter(({ state }) => state.tone !== 'good');
  return (troubled.length > 0 ? troubled : all).slice(0, POD_LIMITS.pods);
}

/** Why Pods are not shown. */
export function podNotices(answers: readonly Answer<ReadObject>[]): readonly Notice[] {
  const failures = answers.flatMap((one) =>
    'failure' in one ? [one.failure.message] : one.value.podsFailure === undefined ? [] : [one.value.podsFailure],
  );
  return [...new Set(failures)].slice(0, 3).map((text) => ({ tone: 'unknown', text: line(`Pods cannot be read: ${text}`) })); // prettier-ignore
}

function rowsOf({ object, replicaSets = [], pods = [], logs = [] }: ReadObject): readonly PodRow[] {
  if (object === undefined) return [];
  const newest = newestReplicaSet(object, replicaSets);
  const problems = explainPods(object, { replicaSets, pods });
  return pods
    .filter(({ metadata }) => metadata.ownerReferences?.some(({ uid }) => uid === newest?.metadata.uid))
    .map((pod) => rowOf(pod, problems, logs));
}

function rowOf(pod: KubeObject, problems: readonly PodProblem[], logs: readonly ReadLog[]): PodRow {
  const { namespace = '', name } = pod.metadata;
  const health = assessHealth(pod);
  const problem = problems.find((one) => one.pod === name);
  const message = line(problem?.message ?? health.message);
  return {
    namespace: nameOf(namespace),
    name: nameOf(name),
    state: healthBadge(problem?.kind ?? health.state),
    ...(message !== '' && { message }),
    logs: logs.filter((one) => one.pod === name).slice(0, POD_LIMITS.containers).map(tailOf), // prettier-ignore
    command: `kubectl -n ${quote(namespace)} logs ${quote(name)} --all-containers`,
  };
}

function tailOf({ container, run, text, failure }: ReadLog): LogTail {
  const lines = (text ?? '').slice(-MOST_LOG).split('\n').filter((one) => one.trim() !== ''); // prettier-ignore
  return {
    container: nameOf(container),
    run,
    lines: lines.slice(-POD_LIMITS.lines).map((one) => indentedLine(one, POD_LIMITS.line)),
    ...(failure !== undefined && { failure: line(failure) }),
  };
}

const MOST_LOG = 256 * 1024;
