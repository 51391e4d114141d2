/**
 * Asks the webhooks of a stage whether they answer: writes what it takes to ask, asks, and takes it away again. What a
 * manager that is killed in between leaves is in the inventory, where roll-out.ts notes it before.
 */
import { isRefusal } from '../../../apply/api-failure.ts';
import type { Cluster } from '../../../apply/cluster.ts';
import { intendedEntries, refOfEntry } from '../../../apply/inventory.ts';
import { prepareObjects } from '../../../apply/prepare.ts';
import { pruneObjects } from '../../../apply/prune.ts';
import { refOf, type KubeObject, type ObjectRef } from '../../../api/object.ts';
import type { Revision } from '../../../api/revision.ts';
import { prepareFor } from '../desired-objects.ts';
import type { ManagedObjects } from '../managed-objects.ts';
import { ask, type Unanswered } from './ask.ts';
import { keyOfService } from './called-webhooks.ts';
import { hashOf, newestHash, readyPods } from './pods.ts';
import { probeConfiguration, rehearsalName, rehearsalService, type Question } from './probe-objects.ts';
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
    if (!isRefusal(error)) throw error;
    return undefined;
  }
  const { patienceMs } = deps;
  const unanswered = await ask(deps.cluster, { uid, questions, patienceMs, signal });
  return unanswered && { ...unanswered, pod: await podOf(deps, stage, { unanswered, signal }) };
}

/** All that asking in this stage may leave in the cluster. */
export function tracesOf({ metadata: { uid = '' } }: Revision, { trials, wanted }: Stage): readonly KubeObject[] {
  const kept = new Set([...trials.keys()].map(serviceBehind));
  const services = wanted.filter((object) => kept.has(keyOfService(object)));
  return [probeConfiguration(uid, []), ...services.map((service) => rehearsalService(service, ''))];
}

/** Takes it away, and returns what is gone. What is not is in the inventory, and is pruned with what else is left over. */
export async function removeTraces(
  { cluster }: ProbeDeps,
  revision: Revision,
  { stage, signal }: { readonly stage: Stage; readonly signal: AbortSignal },
): Promise<readonly ObjectRef[]> {
  const entries = intendedEntries(tracesOf(revision, stage));
  const { remaining } = await pruneObjects(cluster, entries, { owner: prepareFor(revision).owner, signal });
  return entries.filter((entry) => !remaining.includes(entry)).map(refOfEntry);
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

/** Only the new Pods are asked; nobody where the template is the same. */
async function planRehearsal(
  deps: ProbeDeps,
  stage: Stage,
  { deployment, signal }: { readonly deployment: KubeObject; readonly signal: AbortSignal },
): Promise<Plan> {
  const service = stage.wanted.find((object) => keyOfService(object) === serviceBehind(deployment));
  const live = deps.managed.get(refOf(deployment));
  const hash = live && (await newestHash(deps.cluster, live, signal));
  if (service === undefined || hash === stage.trials.get(deployment)?.old) return { questions: [], services: [] };
  const { name } = service.metadata;
  const called = stage.webhooks.filter((webhook) => webhook.service.name === name);
  return {
    questions: called.map((webhook) => ({ webhook, service: rehearsalName(name) })),
    services: [rehearsalService(service, hash ?? NOBODY)],
  };
}

/** Who is to answer: a Pod of the newest template. */
async function podOf(
  { cluster, managed }: ProbeDeps,
  { objects }: Stage,
  { unanswered, signal }: { readonly unanswered: Unanswered; readonly signal: AbortSignal },
): Promise<KubeObject | undefined> {
  const { namespace, name } = unanswered.question.webhook.service;
  const deployment = objects.find((object) => serviceBehind(object) === `${namespace}/${name}`);
  const live = deployment && managed.get(refOf(deployment));
  if (live === undefined) return undefined;
  const [hash, pods] = await Promise.all([newestHash(cluster, live, signal), readyPods(cluster, live, signal)]);
  return pods.find((pod) => hashOf(pod) === hash);
}
