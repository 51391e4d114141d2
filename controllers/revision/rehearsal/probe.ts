/**
 * Asks the webhooks of a stage whether they answer: writes what it takes to ask, asks, and takes it away again. What a
 * manager that is killed in between leaves is in the inventory, where roll-out.ts notes it before.
 */
import { isAnswer } from '../../../apply/api-failure.ts';
import type { Cluster } from '../../../apply/cluster.ts';
import { isAllNew } from '../../../apply/held-back.ts';
import { intendedEntries } from '../../../apply/inventory.ts';
import { prepareObjects } from '../../../apply/prepare.ts';
import { pruneObjects } from '../../../apply/prune.ts';
import { fieldsOf } from '../../../apply/untyped.ts';
import { refOf, type KubeObject, type ObjectRef } from '../../../api/object.ts';
import type { Revision } from '../../../api/revision.ts';
import { prepareFor } from '../desired-objects.ts';
import type { ManagedObjects } from '../managed-objects.ts';
import { ask, type Unanswered } from './ask.ts';
import { keyOfService } from './called-webhooks.ts';
import { hashOf, readyPods } from './pods.ts';
import { probeConfiguration, probeName, rehearsalName, rehearsalService, type Question } from './probe-objects.ts';
import { serviceBehind, type Stage } from './stage.ts';

export interface ProbeDeps {
  /** As the manager: what is asked with is its own. */
  readonly cluster: Cluster;
  readonly managed: Pick<ManagedObjects, 'get'>;
  /** How long one call waits; what takes longer is told in the status meanwhile. */
  readonly patienceMs: number;
}

/** A webhook without an answer. */
export interface Silence extends Unanswered {
  /** Who is to answer; undefined where nobody is ready. */
  readonly pod: KubeObject | undefined;
}

/** The hash of no Pod. */
const NOBODY = 'none';

/** The first webhook that does not answer; undefined where all do, and where the cluster refuses the question. */
export async function probe(
  deps: ProbeDeps,
  revision: Revision,
  { stage, signal }: { readonly stage: Stage; readonly signal: AbortSignal },
): Promise<Silence | undefined> {
  const { questions, services } = await plan(deps, stage, signal);
  if (questions.length === 0) return undefined;
  const uid = revision.metadata.uid ?? '';
  const needed = prepareObjects([...services, probeConfiguration(uid, questions)], prepareFor(revision));
  try {
    for (const object of needed) await deps.cluster.apply(object, {}, signal);
  } catch (error) {
    signal.throwIfAborted();
    if (!isAnswer(error)) throw error;
    return undefined;
  }
  const { patienceMs } = deps;
  const unanswered = await ask(deps.cluster, { uid, questions, patienceMs, signal });
  return unanswered && { ...unanswered, pod: await podOf(deps, stage, { unanswered, signal }) };
}

/** All that asking in this stage may leave in the cluster. */
export function tracesOf({ metadata: { uid = '' } }: Revision, { trials, objects }: Stage): readonly KubeObject[] {
  const kept = new Set([...trials.keys()].map(serviceBehind));
  const services = objects.filter((object) => kept.has(keyOfService(object)));
  return [probeConfiguration(uid, []), ...services.map((service) => rehearsalService(service, ''))];
}

/** Whether an object is of that sort, of whatever stage. */
export function isTrace({ metadata: { uid = '' } }: Revision, { webhooks }: Stage, { name }: ObjectRef): boolean {
  return name === probeName(uid) || webhooks.some(({ service }) => name === rehearsalName(service.name));
}

/** Takes it away. Returns whether all is gone. */
export async function removeTraces(
  { cluster }: ProbeDeps,
  revision: Revision,
  { stage, signal }: { readonly stage: Stage; readonly signal: AbortSignal },
): Promise<boolean> {
  const entries = intendedEntries(tracesOf(revision, stage));
  const { remaining } = await pruneObjects(cluster, entries, { owner: prepareFor(revision).owner, signal });
  return remaining.length === 0;
}

interface Plan {
  readonly questions: readonly Question[];
  /** The Services of the rehearsal. */
  readonly services: readonly KubeObject[];
}

async function plan(deps: ProbeDeps, stage: Stage, signal: AbortSignal): Promise<Plan> {
  const { name, webhooks, trials } = stage;
  if (name !== 'rehearsal') {
    return { questions: webhooks.map((webhook) => ({ webhook, service: webhook.service.name })), services: [] };
  }
  const planned: Plan[] = [];
  for (const deployment of trials.keys()) planned.push(await planRehearsal(deps, stage, { deployment, signal }));
  return {
    questions: planned.flatMap(({ questions }) => questions),
    services: planned.flatMap(({ services }) => services),
  };
}

/** Only the new Pods are asked; nobody where all Pods are of the newest template already. */
async function planRehearsal(
  deps: ProbeDeps,
  stage: Stage,
  { deployment, signal }: { readonly deployment: KubeObject; readonly signal: AbortSignal },
): Promise<Plan> {
  const service = stage.objects.find((object) => keyOfService(object) === serviceBehind(deployment));
  const pod = await newPod(deps, stage, { deployment, signal });
  const status = fieldsOf(deps.managed.get(refOf(deployment))?.['status']);
  if (service === undefined || (pod === undefined && isAllNew(status))) return { questions: [], services: [] };
  const { name } = service.metadata;
  const called = stage.webhooks.filter((webhook) => webhook.service.name === name);
  return {
    questions: called.map((webhook) => ({ webhook, service: rehearsalName(name) })),
    services: [rehearsalService(service, (pod && hashOf(pod)) ?? NOBODY)],
  };
}

async function newPod(
  { cluster, managed }: ProbeDeps,
  { trials }: Stage,
  { deployment, signal }: { readonly deployment: KubeObject; readonly signal: AbortSignal },
): Promise<KubeObject | undefined> {
  const live = managed.get(refOf(deployment));
  const pods = live === undefined ? [] : await readyPods(cluster, live, signal);
  return pods.find((pod) => hashOf(pod) !== trials.get(deployment)?.old);
}

/** Who is to answer. */
function podOf(
  deps: ProbeDeps,
  stage: Stage,
  { unanswered, signal }: { readonly unanswered: Unanswered; readonly signal: AbortSignal },
): Promise<KubeObject | undefined> {
  const { namespace, name } = unanswered.question.webhook.service;
  const deployments = [...stage.trials.keys(), ...stage.objects];
  const deployment = deployments.find((object) => serviceBehind(object) === `${namespace}/${name}`);
  return deployment === undefined ? Promise.resolve(undefined) : newPod(deps, stage, { deployment, signal });
}
