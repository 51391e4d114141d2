/**
 * Decides the stage of the roll-out of a Revision with webhooks, and its objects in that stage. Pure.
 *
 *   rehearsal  new Pods run beside the working ones, and only the probe calls them; the storage version stays
 *   letIn      the new Pods are called in place of the old ones, which run until every node routes to the new ones
 *   handOver   the new Pods replace the old ones; the storage version stays until all objects are readable in every
 * version
 *   whole      everything as in the bundle: the storage version changes, and admission begins
 *
 * A rollback to a Revision that has worked has a stage of its own: `return`, until the Pods of the rehearsal are gone.
 * A Revision without anything to prove is `whole` from the beginning. The progress is read from the cluster, so that a
 * manager that restarts in the middle goes on, or rehearses once more.
 */
import { isCrd } from '../../../api/crd-kind.ts';
import { LABEL } from '../../../api/names.ts';
import { groupKind, refOf, type KubeObject, type ObjectRef } from '../../../api/object.ts';
import { assessHealth } from '../../../apply/health.ts';
import { canBeHeldBack, heldFor, holdBack } from '../../../apply/held-back.ts';
import { labelValue } from '../../../apply/prepare.ts';
import { fieldsOf, numberOf } from '../../../api/untyped.ts';
import { serviceName } from '../../../bundles/render/names.ts';
import { keyOfService, type CalledWebhook } from './called-webhooks.ts';
import { keepStorage } from './keep-storage.ts';
import { narrow, narrowedTo, type ChosenPods } from './narrow.ts';

export type StageName = 'rehearsal' | 'letIn' | 'handOver' | 'return' | 'whole';

/** The Pods of a Deployment that is held back, by the hashes of their templates. */
export interface Trial {
  readonly old: string;
  /** Hash of the new template; undefined if none of its Pods is ready. */
  readonly fresh: string | undefined;
  /** The ports by which the old Service reaches the old Pods; undefined if there was no Service. */
  readonly ports?: unknown;
}

type Trials = ReadonlyMap<KubeObject, Trial>;

export interface Stage {
  readonly name: StageName;
  /** All objects of the Revision, as they should be in this stage. */
  readonly objects: readonly KubeObject[];
  /** The same objects as in the bundle. */
  readonly wanted: readonly KubeObject[];
  /** For each Deployment that is held back, as in the bundle. */
  readonly trials: Trials;
  /** The webhooks that must answer, or the API server rejects requests. */
  readonly webhooks: readonly CalledWebhook[];
}

export interface StageFacts {
  /** Name of the Revision. */
  readonly revision: string;
  /** Whether it has been Ready before. */
  readonly hasWorked: boolean;
  /** As in the bundle. */
  readonly objects: readonly KubeObject[];
  readonly webhooks: readonly CalledWebhook[];
  readonly live: (ref: ObjectRef) => KubeObject | undefined;
  /** For the Deployments of `rehearsable` that have working Pods. */
  readonly trials: Trials;
  readonly proved: Proved;
}

/**
 * The proof so far: `pods`: the new Pods answer; `in`: all nodes route to them; `services`: they answer by their
 * Services; `all`: custom resources can be read too.
 */
export type Proved = 'nothing' | 'pods' | 'in' | 'services' | 'all';

export function decideStage(facts: StageFacts): Stage {
  const { hasWorked, objects, webhooks, trials } = facts;
  const chosen = hasWorked || trials.size === 0 ? undefined : chooseFor(facts);
  const stored = withStorage(facts, chosen !== 'rehearsal');
  const said = { wanted: objects, webhooks };
  if (chosen !== undefined) return { name: chosen, objects: withHeld(stored, trials, chosen), trials, ...said };
  const kept = keepNarrow(stored, facts);
  const isWhole = kept.every((object, index) => object === objects[index]);
  return { name: isWhole ? 'whole' : hasWorked ? 'return' : 'handOver', objects: kept, trials: NO_TRIALS, ...said };
}

/** Which Pods are called while there are old and new ones; undefined after that. */
function chooseFor({ proved, trials }: StageFacts): ChosenPods | undefined {
  if (proved === 'nothing') return 'rehearsal';
  if (proved !== 'pods') return undefined;
  return [...trials.values()].every(({ fresh }) => fresh !== undefined) ? 'letIn' : 'rehearsal';
}

/** The objects; CRDs keep their storage version until their conversion is proved. */
function withStorage({ hasWorked, objects, live, proved }: StageFacts, isLed: boolean): readonly KubeObject[] {
  const isProvable = objects.some((object) => serviceBehind(object) !== undefined);
  if (hasWorked || proved === 'all' || !isProvable) return objects;
  return objects.map((object) => (isCrd(object) ? keepStorage(object, live(refOf(object)), isLed) : object));
}

const NO_TRIALS: Trials = new Map();

/** Deployments behind webhooks that work now, for another Revision, and can keep running beside new Pods. */
export function rehearsable({
  revision,
  hasWorked,
  objects,
  webhooks,
  live,
}: Omit<StageFacts, 'trials' | 'proved'>): readonly KubeObject[] {
  if (hasWorked) return [];
  const called = new Set<string | undefined>(webhooks.map(({ service }) => `${service.namespace}/${service.name}`));
  return objects.filter((object) => {
    if (!called.has(serviceBehind(object)) || !canBeHeldBack(object)) return false;
    const running = live(refOf(object));
    return running !== undefined && (heldFor(running) !== undefined || isReplaced(running, revision));
  });
}

function isReplaced(running: KubeObject, revision: string): boolean {
  const available = numberOf(fieldsOf(running['status'])['availableReplicas']) ?? 0;
  return running.metadata.labels?.[LABEL.revision] !== labelValue(revision) && available > 0;
}

function withHeld(objects: readonly KubeObject[], trials: Trials, chosen: ChosenPods): readonly KubeObject[] {
  const byService = new Map([...trials].map(([deployment, trial]) => [serviceBehind(deployment), trial]));
  return objects.map((object) => {
    const held = trials.get(object);
    if (held !== undefined) return holdBack(object, held.old);
    const service = keyOfService(object);
    const trial = service === undefined ? undefined : byService.get(service);
    if (trial === undefined) return object;
    const { old, fresh = old, ports } = trial;
    return narrow(object, chosen === 'rehearsal' ? { chosen, hash: old, ports } : { chosen, hash: fresh });
  });
}

/**
 * A Service that selects only the old or the new Pods does so for as long as there are both: the new ones that this
 * Revision let in, or on the way back the old ones.
 */
function keepNarrow(objects: readonly KubeObject[], { revision, hasWorked, live }: StageFacts): readonly KubeObject[] {
  const chosen = hasWorked ? 'rehearsal' : 'letIn';
  const settled = new Set(objects.filter((object) => isRolledOut(live(refOf(object)))).map(serviceBehind));
  return objects.map((object) => {
    const service = keyOfService(object);
    const running = service === undefined || settled.has(service) ? undefined : live(refOf(object));
    const isOurs = hasWorked || running?.metadata.labels?.[LABEL.revision] === labelValue(revision);
    const hash = isOurs ? narrowedTo(running, chosen) : undefined;
    return hash === undefined ? object : narrow(object, { chosen, hash });
  });
}

function isRolledOut(live: KubeObject | undefined): boolean {
  return live !== undefined && heldFor(live) === undefined && assessHealth(live).state === 'Ready';
}

/** `<namespace>/<name>` of the Service by which the API server calls a Deployment; undefined for other kinds. */
export function serviceBehind(object: KubeObject): string | undefined {
  if (groupKind(object) !== 'Deployment.apps') return undefined;
  return `${object.metadata.namespace ?? ''}/${serviceName(object.metadata.name)}`;
}
