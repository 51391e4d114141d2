/**
 * Decides in which stage the roll-out of a Revision with webhooks is, and what its objects are in it. Pure.
 *
 *   rehearsal  new Pods run beside those that work, and nobody calls them but the probe; what is stored stays
 *   letIn      they are called in place of the others, which still run until every node knows
 *   handOver   they replace the others; objects are stored as before until all can be read in every version
 *   whole      everything as the bundle says: what is stored follows, and admission begins
 *
 * Back to a Revision that has worked there is one of its own: `return`, until the Pods that were tried out are gone.
 * Whoever has nothing to prove is `whole` from the beginning. The cluster tells how far it is, so that a manager that
 * starts in the middle goes on, or rehearses once more.
 */
import { LABEL } from '../../../api/names.ts';
import { groupKind, refOf, type KubeObject, type ObjectRef } from '../../../api/object.ts';
import { isCrdEntry } from '../../../apply/custom-resources.ts';
import { assessHealth } from '../../../apply/health.ts';
import { canBeHeldBack, heldFor, holdBack } from '../../../apply/held-back.ts';
import { labelValue } from '../../../apply/prepare.ts';
import { fieldsOf, numberOf } from '../../../apply/untyped.ts';
import { serviceName } from '../../../bundles/render/names.ts';
import { keyOfService, type CalledWebhook } from './called-webhooks.ts';
import { keepStorage } from './keep-storage.ts';
import { narrow, narrowedTo, type Chosen } from './narrow.ts';

export type StageName = 'rehearsal' | 'letIn' | 'handOver' | 'return' | 'whole';

/** The Pods of a Deployment that is held back, by their hashes. */
export interface Trial {
  readonly old: string;
  /** Of the template that is rolled out; undefined where none of them is ready. */
  readonly fresh: string | undefined;
  /** By which the Service of before leads to the old ones; undefined where there was none. */
  readonly ports?: unknown;
}

type Trials = ReadonlyMap<KubeObject, Trial>;

export interface Stage {
  readonly name: StageName;
  /** All objects of the Revision, as they are to be in it. */
  readonly objects: readonly KubeObject[];
  /** The same as the bundle says them. */
  readonly wanted: readonly KubeObject[];
  /** Of the Deployments that are held back, each as the bundle says it. */
  readonly trials: Trials;
  /** The webhooks without which the API server refuses requests. */
  readonly webhooks: readonly CalledWebhook[];
}

export interface StageFacts {
  /** Name of the Revision. */
  readonly revision: string;
  /** Whether it has been Ready before. */
  readonly hasWorked: boolean;
  /** As the bundle says. */
  readonly objects: readonly KubeObject[];
  readonly webhooks: readonly CalledWebhook[];
  readonly live: (ref: ObjectRef) => KubeObject | undefined;
  /** Of those Deployments of `rehearsable` that have Pods that work. */
  readonly trials: Trials;
  readonly proved: Proved;
}

/**
 * What was proved before: `pods` that the new Pods answer, `in` that all nodes know them, `services` that they answer by
 * their Services, `all` that custom resources can be read too.
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
  return { name: isWhole ? 'whole' : hasWorked ? 'return' : 'handOver', objects: kept, trials: NOBODY, ...said };
}

/** Which Pods are called, while there are two sorts of them; undefined where that is over. */
function chooseFor({ proved, trials }: StageFacts): Chosen | undefined {
  if (proved === 'nothing') return 'rehearsal';
  if (proved !== 'pods') return undefined;
  return [...trials.values()].every(({ fresh }) => fresh !== undefined) ? 'letIn' : 'rehearsal';
}

/** CRDs as they are until their conversion is proved. */
function withStorage({ hasWorked, objects, live, proved }: StageFacts, isLed: boolean): readonly KubeObject[] {
  const isProvable = objects.some((object) => serviceBehind(object) !== undefined);
  if (hasWorked || proved === 'all' || !isProvable) return objects;
  return objects.map((object) => (isCrdEntry(object) ? keepStorage(object, live(refOf(object)), isLed) : object));
}

const NOBODY: Trials = new Map();

/** Deployments behind webhooks that work now, for another Revision, and can go on working beside new Pods. */
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

function withHeld(objects: readonly KubeObject[], trials: Trials, chosen: Chosen): readonly KubeObject[] {
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
 * A Service goes on leading to the Pods that it leads to alone for as long as there are others: forward to those that
 * this Revision let in, and back to those of before.
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

/** `<namespace>/<name>` of the Service through which the API server calls a Deployment; undefined for other kinds. */
export function serviceBehind(object: KubeObject): string | undefined {
  if (groupKind(object) !== 'Deployment.apps') return undefined;
  return `${object.metadata.namespace ?? ''}/${serviceName(object.metadata.name)}`;
}
