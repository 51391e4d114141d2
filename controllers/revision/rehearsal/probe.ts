/**
 * Checks whether the webhooks of a stage answer: writes the objects of the check, calls, and deletes the objects again.
 * If the manager is killed in between, the objects are in the inventory: the step `stage` notes them before.
 */
import { isRefusal } from '../../../apply/api-failure.ts';
import type { Cluster } from '../../../api/cluster.ts';
import { intendedEntries, refOfEntry } from '../../../apply/inventory.ts';
import { prepareObjects } from '../../../apply/prepare.ts';
import { pruneObjects } from '../../../apply/prune.ts';
import { refOf, type KubeObject, type ObjectRef } from '../../../api/object.ts';
import type { Revision } from '../../../api/revision.ts';
import { prepareFor } from '../../prepare-for.ts';
import type { ManagedObjects } from '../managed-objects.ts';
import { ask, type Unanswered } from './ask.ts';
import { keyOfService } from './called-webhooks.ts';
import { hashOf, newestHash, readyPods } from './pods.ts';
import { probeConfiguration, rehearsalName, rehearsalService, type ProbeQuestion } from './probe-objects.ts';
import { serviceBehind, type Stage } from './decide-stage.ts';

export interface ProbeDeps {
  /** As the manager: the objects of the check are its own. */
  readonly cluster: Cluster;
  readonly managed: Pick<ManagedObjects, 'get'>;
  /** How long one call waits; the status reports a check that takes longer. */
  readonly patienceMs: number;
}

/** A webhook that did not answer. */
export interface Silence extends Unanswered {
  /** The Pod that should answer; undefined if none is ready. */
  readonly pod: KubeObject | undefined;
}

/** A hash that no Pod has. */
const HASH_OF_NO_POD = 'none';

/** The first webhook that does not answer; undefined if all do, or if the cluster rejects the objects of the check. */
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

/** All objects that a check in this stage may leave in the cluster. */
export function tracesOf({ metadata: { uid = '' } }: Revision, { trials, wanted }: Stage): readonly KubeObject[] {
  const kept = new Set([...trials.keys()].map(serviceBehind));
  const services = wanted.filter((object) => kept.has(keyOfService(object)));
  return [probeConfiguration(uid, []), ...services.map((service) => rehearsalService(service, ''))];
}

/**
 * Deletes those objects, and returns those that are gone. The others are in the inventory, and are pruned with the
 * leftovers.
 */
export async function removeTraces(
  { cluster }: ProbeDeps,
  revision: Revision,
  { stage, signal }: { readonly stage: Stage; readonly signal: AbortSignal },
): Promise<readonly ObjectRef[]> {
  const entries = intendedEntries(tracesOf(revision, stage));
  const { remaining } = await pruneObjects(cluster, entries, { owner: prepareFor(revision).owner, signal });
  return entries.filter((entry) => !remaining.includes(entry)).map(refOfEntry);
}

interface ProbePlan {
  readonly questions: readonly ProbeQuestion[];
  /** The Services of the rehearsal. */
  readonly services: readonly KubeObject[];
}

async function plan(deps: ProbeDeps, stage: Stage, signal: AbortSignal): Promise<ProbePlan> {
  const { name, webhooks, trials } = stage;
  if (name !== 'rehearsal') {
    return { questions: webhooks.map((webhook) => ({ webhook, service: webhook.service.name })), services: [] };
  }
  const planned: ProbePlan[] = [];
  for (const deployment of trials.keys()) planned.push(await planRehearsal(deps, stage, { deployment, signal }));
  return {
    questions: planned.flatMap(({ questions }) => questions),
    services: planned.flatMap(({ services }) => services),
  };
}

/** Calls only the new Pods; none if the template is the same. */
async function planRehearsal(
  deps: ProbeDeps,
  stage: Stage,
  { deployment, signal }: { readonly deployment: KubeObject; readonly signal: AbortSignal },
): Promise<ProbePlan> {
  const service = stage.wanted.find((object) => keyOfService(object) === serviceBehind(deployment));
  const live = deps.managed.get(refOf(deployment));
  const hash = live && (await newestHash(deps.cluster, live, signal));
  if (service === undefined || hash === stage.trials.get(deployment)?.old) return { questions: [], services: [] };
  const { name } = service.metadata;
  const called = stage.webhooks.filter((webhook) => webhook.service.name === name);
  return {
    questions: called.map((webhook) => ({ webhook, service: rehearsalName(name) })),
    services: [rehearsalService(service, hash ?? HASH_OF_NO_POD)],
  };
}

/** The Pod that should answer: one of the newest template. */
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
