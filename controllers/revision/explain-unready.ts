/**
 * Adds the cause to "a Deployment is not available": the failing container and Pod, the kubelet's message, and the last
 * lines of the log. Reads Pods only while something is wrong.
 */
import type { Unready } from '../../apply/apply.ts';
import type { Cluster } from '../../api/cluster.ts';
import { explainPods, type PodProblem } from '../../apply/explain-pods.ts';
import { podSelectorOf } from '../../apply/label-selector.ts';
import { listPodEvents, listRollOut } from '../../apply/list-pods.ts';
import { ReasonedError } from '../../api/errors.ts';
import { describeRef, groupKind, type KubeObject, type ObjectRef } from '../../api/object.ts';
import { readLastLines, withLastLines, type ReadText } from './last-lines.ts';
import type { Judgement } from './judgement.ts';

/** Most Deployments are available by then, also if many are installed at the same time. */
const START_SECONDS = 10;

/** How long a Deployment may take before its Pods are inspected: they need a moment to start. */
export function patienceOf(deadlineSeconds: number): number {
  return Math.min(START_SECONDS, deadlineSeconds / 2);
}

export interface ExplainOptions {
  /** The objects that do not work. */
  readonly unready: readonly Unready[];
  /** The state of an object in its watch, which saves the read. */
  readonly observed: (ref: ObjectRef) => KubeObject | undefined;
  /** Seconds since the roll-out of the Revision began. */
  readonly workedSeconds: number;
  /** The most seconds that it may take in all. */
  readonly deadlineSeconds: number;
  /** Reads the log of a container. */
  readonly read: ReadText;
  readonly signal: AbortSignal;
}

/** The judgement with the most helpful problem of the first Deployment that takes longer than usual. */
export async function explainUnready(
  cluster: Cluster,
  judgement: Judgement,
  options: ExplainOptions,
): Promise<Judgement> {
  const deployment = deploymentToExplain(judgement, options);
  if (deployment === undefined) return judgement;
  const problem = await problemOf(cluster, deployment, options);
  if (problem === undefined) return judgement;
  return { ...judgement, message: `${describeRef(deployment)}: ${problem}` };
}

/** The first Deployment that takes longer than usual; undefined if there is none, and nothing is read then. */
export function deploymentToExplain(
  { state }: Judgement,
  { unready, workedSeconds, deadlineSeconds }: Pick<ExplainOptions, 'unready' | 'workedSeconds' | 'deadlineSeconds'>,
): ObjectRef | undefined {
  if (state !== 'Working' || workedSeconds < patienceOf(deadlineSeconds)) return undefined;
  return unready.find(({ ref }) => groupKind(ref) === 'Deployment.apps')?.ref;
}

/**
 * Seconds for which a Deployment that is not available is left alone, because its rollout moved a moment ago; 0 if
 * there is none or its state is not known.
 */
export function secondsToStart(
  unready: readonly Unready[],
  {
    observed,
    deadlineSeconds,
    now,
  }: Pick<ExplainOptions, 'deadlineSeconds'> & {
    readonly observed: ExplainOptions['observed'];
    readonly now: Date;
  },
): number {
  const deployment = unready.find(({ ref }) => groupKind(ref) === 'Deployment.apps');
  const live = deployment === undefined ? undefined : observed(deployment.ref);
  const movedAt = live === undefined ? Number.NaN : lastMoveOf(live);
  const patience = patienceOf(deadlineSeconds);
  const left = patience - (now.getTime() - movedAt) / 1000;
  // More is left only if the clock of the API server is ahead.
  return left > 0 && left <= patience ? left : 0;
}

/** When the Deployment was made or its rollout last moved, in milliseconds since 1970. */
function lastMoveOf({ metadata, ...object }: KubeObject): number {
  const { conditions = [] } = (object['status'] ?? {}) as {
    readonly conditions?: readonly { readonly type?: string; readonly lastUpdateTime?: string }[];
  };
  const progress = conditions.find(({ type }) => type === 'Progressing')?.lastUpdateTime;
  const { creationTimestamp = '' } = metadata as { readonly creationTimestamp?: string };
  return Math.max(Date.parse(creationTimestamp), Date.parse(progress ?? creationTimestamp));
}

/** An account that may not read Pods gets no explanation; the judgement stays as it is. */
async function problemOf(cluster: Cluster, ref: ObjectRef, reading: UnreadyReading): Promise<string | undefined> {
  try {
    const live = reading.observed(ref) ?? (await cluster.get(ref, reading.signal));
    return live === undefined ? undefined : await firstProblem(cluster, live, reading);
  } catch (error) {
    if (error instanceof ReasonedError && error.reason === 'Forbidden') return undefined;
    throw error;
  }
}

type UnreadyReading = Pick<ExplainOptions, 'observed' | 'read' | 'signal'>;

async function firstProblem(
  cluster: Cluster,
  deployment: KubeObject,
  { read, signal }: UnreadyReading,
): Promise<string | undefined> {
  const { namespace = '' } = deployment.metadata;
  const facts = await listRollOut(cluster, deployment, { labelSelector: podSelectorOf(deployment), signal });
  const [first] = explainPods(deployment, facts);
  const events = first === undefined ? [] : await eventsAbout(cluster, first, { namespace, signal });
  const problem = explainPods(deployment, { ...facts, events }).find(({ kind }) => kind !== 'Starting');
  if (problem === undefined) return undefined;
  return withLastLines(problem.message, await readLastLines(read, problem, { namespace, signal }));
}

/** The kubelet's events, if the status of a Pod does not show the cause; none if they cannot be read. */
async function eventsAbout(
  cluster: Cluster,
  { kind, pod }: PodProblem,
  { namespace, signal }: { readonly namespace: string; readonly signal: AbortSignal },
): Promise<readonly KubeObject[]> {
  if (pod === undefined || (kind !== 'NotReady' && kind !== 'Starting')) return [];
  return listPodEvents(cluster, { namespace, pod }, signal).catch(() => []);
}
