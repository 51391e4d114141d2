/** Adds to "a Deployment is not available" why, down to the Pod and container. Reads Pods only while something is wrong. */
import type { ApplyResult, Unready } from '../../apply/apply.ts';
import type { Cluster } from '../../apply/cluster.ts';
import { explainPods } from '../../apply/explain-pods.ts';
import { describeRef, groupKind, type KubeObject } from '../../api/object.ts';
import type { RollOut } from './roll-out.ts';
import type { Judgement } from './summarize.ts';

/** How long a Deployment may take before its Pods are looked into: they need a moment to start. */
export function patienceOf(deadlineSeconds: number): number {
  return Math.min(3, deadlineSeconds / 2);
}

export interface ExplainOptions {
  readonly outcome: RollOut;
  /** For how long the Revision has been worked on. */
  readonly workedSeconds: number;
  /** How long it may take in all. */
  readonly deadlineSeconds: number;
  readonly signal: AbortSignal;
}

/** The judgement with the most telling problem of the first Deployment that is not available for longer than usual. */
export async function explainUnready(
  cluster: Cluster,
  judgement: Judgement,
  { outcome, workedSeconds, deadlineSeconds, signal }: ExplainOptions,
): Promise<Judgement> {
  if (judgement.state !== 'Working' || workedSeconds < patienceOf(deadlineSeconds)) return judgement;
  const unready = outcome.kind === 'intact' ? outcome.unready : unreadyOf(outcome.result);
  const deployment = unready.find(({ ref }) => groupKind(ref) === 'Deployment.apps');
  if (deployment === undefined) return judgement;
  const live = await cluster.get(deployment.ref, signal);
  const problem = live === undefined ? undefined : await firstProblem(cluster, live, signal);
  if (problem === undefined) return judgement;
  return { ...judgement, message: `${describeRef(deployment.ref)}: ${problem}` };
}

function unreadyOf(result: ApplyResult): readonly Unready[] {
  return result.phases.flatMap((phase) => phase.unready);
}

async function firstProblem(
  cluster: Cluster,
  deployment: KubeObject,
  signal: AbortSignal,
): Promise<string | undefined> {
  const { namespace = '' } = deployment.metadata;
  const selector = (deployment['spec'] as { readonly selector?: { readonly matchLabels?: Record<string, string> } })
    .selector;
  const labelSelector = Object.entries(selector?.matchLabels ?? {})
    .map(([key, value]) => `${key}=${value}`)
    .join(',');
  const [replicaSets, pods] = await Promise.all([
    cluster.list({ apiVersion: 'apps/v1', kind: 'ReplicaSet' }, { namespace, labelSelector }, signal),
    cluster.list({ apiVersion: 'v1', kind: 'Pod' }, { namespace, labelSelector }, signal),
  ]);
  return explainPods(deployment, { replicaSets, pods }).find(({ kind }) => kind !== 'Starting')?.message;
}
