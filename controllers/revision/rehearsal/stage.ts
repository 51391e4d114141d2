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
import { fieldsOf, numberOf } from '../../../apply/untyped.ts';
import { serviceName } from '../../../bundles/render/names.ts';
import { keyOfService, type CalledWebhook } from './called-webhooks.ts';
import { keepStorage } from './keep-storage.ts';
import { narrow, narrowedTo, type Chosen } from './narrow.ts';

export type StageName = 'rehearsal' | 'letIn' | 'handOver' | 'return' | 'whole';

/** The Pods of a Deployment that is held back, by their hashes. */
export interface Trial {
  readonly old: string;
  /** Undefined where none is ready. */
  readonly fresh: string | undefined;
}

type Trials = ReadonlyMap<KubeObject, Trial>;

export interface Stage {
  readonly name: StageName;
  /** All objects of the Revision, as they are to be in it. */
  readonly objects: readonly KubeObject[];
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
  const { hasWorked, objects, webhooks, live, proved, trials } = facts;
  const isStored = hasWorked || proved === 'all';
  const stored = isStored
    ? objects
    : objects.map((object) => (isCrdEntry(object) ? keepStorage(object, live(refOf(object))) : object));
  const trying = TRYING.get(proved);
  if (!hasWorked && trying !== undefined && trials.size > 0) {
    return { name: trying, objects: withHeld(stored, trials, trying), trials, webhooks };
  }
  const kept = keepNarrow(stored, facts);
  const isWhole = kept.every((object, index) => object === objects[index]);
  return { name: isWhole ? 'whole' : hasWorked ? 'return' : 'handOver', objects: kept, trials: NOBODY, webhooks };
}

const TRYING: ReadonlyMap<Proved, Chosen> = new Map([
  ['nothing', 'rehearsal'],
  ['pods', 'letIn'],
]);
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
  return running.metadata.labels?.[LABEL.revision] !== revision && available > 0;
}

function withHeld(objects: readonly KubeObject[], trials: Trials, chosen: Chosen): readonly KubeObject[] {
  const leadsTo = ({ old, fresh = old }: Trial): string => (chosen === 'rehearsal' ? old : fresh);
  const byService = new Map([...trials].map(([deployment, trial]) => [serviceBehind(deployment), leadsTo(trial)]));
  return objects.map((object) => {
    const trial = trials.get(object);
    if (trial !== undefined) return holdBack(object, trial.old);
    const service = keyOfService(object);
    const hash = service === undefined ? undefined : byService.get(service);
    return hash === undefined ? object : narrow(object, chosen, hash);
  });
}

/**
 * A Service goes on leading to the Pods that it leads to alone for as long as there are others: forward to those that
 * were let in, and back to those of before.
 */
function keepNarrow(objects: readonly KubeObject[], { hasWorked, live }: StageFacts): readonly KubeObject[] {
  const chosen = hasWorked ? 'rehearsal' : 'letIn';
  const settled = new Set(objects.filter((object) => isSettled(live(refOf(object)))).map(serviceBehind));
  return objects.map((object) => {
    const service = keyOfService(object);
    const isLeading = service !== undefined && !settled.has(service);
    const hash = isLeading ? narrowedTo(live(refOf(object)), chosen) : undefined;
    return hash === undefined ? object : narrow(object, chosen, hash);
  });
}

function isSettled(live: KubeObject | undefined): boolean {
  return live !== undefined && heldFor(live) === undefined && assessHealth(live).state === 'Ready';
}

/** `<namespace>/<name>` of the Service through which the API server calls a Deployment; undefined for other kinds. */
export function serviceBehind(object: KubeObject): string | undefined {
  if (groupKind(object) !== 'Deployment.apps') return undefined;
  return `${object.metadata.namespace ?? ''}/${serviceName(object.metadata.name)}`;
}
