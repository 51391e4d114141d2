/**
 * Decides in which stage the roll-out of a Revision with webhooks is, and what its objects are in it. Pure.
 *
 *   rehearsal  new Pods run beside those that work and are called by nobody but the probe; what is stored stays
 *   handOver   they replace them; custom resources are stored as before until all can be read in every version
 *   whole      everything as the bundle says: what is stored follows, and admission begins
 *
 * Back to a Revision that has worked there is one of its own: `return`, until the Pods that were tried out are gone.
 * Whoever has nothing to prove is `whole` from the beginning. Each stage is told by the cluster, so that a manager that
 * starts in the middle goes on, or rehearses once more.
 */
import { LABEL } from '../../../api/names.ts';
import { groupKind, refOf, type KubeObject, type ObjectRef } from '../../../api/object.ts';
import { isCrdEntry } from '../../../apply/custom-resources.ts';
import { assessHealth } from '../../../apply/health.ts';
import { canBeHeldBack, heldFor, holdBack } from '../../../apply/held-back.ts';
import { fieldsOf, numberOf } from '../../../apply/untyped.ts';
import { serviceName } from '../../../bundles/render/names.ts';
import type { CalledWebhook } from './called-webhooks.ts';
import { keepStorage } from './keep-storage.ts';
import { narrow, narrowedTo } from './narrow.ts';

export type StageName = 'rehearsal' | 'handOver' | 'return' | 'whole';

export interface Stage {
  readonly name: StageName;
  /** All objects of the Revision, as they are to be in it. */
  readonly objects: readonly KubeObject[];
  /** The Deployments that are held back, as the bundle says them, with the hash of the Pods that they keep. */
  readonly held: ReadonlyMap<KubeObject, string>;
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
  /** Hash of the Pods that work, by the Deployments of `rehearsable`. */
  readonly working: ReadonlyMap<KubeObject, string>;
  /** What was proved before: `pods` that the new Pods answer, `all` that everybody does. */
  readonly proved: 'nothing' | 'pods' | 'all';
}

export function decideStage(facts: StageFacts): Stage {
  const { objects, webhooks, proved } = facts;
  if (facts.hasWorked) return decideReturn(facts);
  if (proved === 'all') return { name: 'whole', objects, held: NOBODY, webhooks };
  const stored = objects.map((object) =>
    isCrdEntry(object) ? keepStorage(object, facts.live(refOf(object))) : object,
  );
  if (proved === 'nothing' && facts.working.size > 0) {
    return { name: 'rehearsal', objects: withHeld(stored, facts.working), held: facts.working, webhooks };
  }
  const isStaged = stored.some((object, index) => object !== objects[index]);
  return { name: isStaged ? 'handOver' : 'whole', objects: stored, held: NOBODY, webhooks };
}

const NOBODY: ReadonlyMap<KubeObject, string> = new Map();

/** Deployments behind webhooks that work now, for another Revision, and can go on working beside new Pods. */
export function rehearsable({
  revision,
  hasWorked,
  objects,
  webhooks,
  live,
}: Omit<StageFacts, 'working' | 'proved'>): readonly KubeObject[] {
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

function withHeld(objects: readonly KubeObject[], held: ReadonlyMap<KubeObject, string>): readonly KubeObject[] {
  const byService = new Map([...held].map(([deployment, hash]) => [serviceBehind(deployment), hash]));
  return objects.map((object) => {
    const hash = held.get(object);
    if (hash !== undefined) return holdBack(object, hash);
    const service = keyOfService(object);
    const kept = service === undefined ? undefined : byService.get(service);
    return kept === undefined ? object : narrow(object, kept);
  });
}

/** A Service leads to the Pods that worked for as long as there are others. */
function decideReturn({ revision, objects, webhooks, live }: StageFacts): Stage {
  const settled = new Set(objects.filter((object) => isBack(live(refOf(object)), revision)).map(serviceBehind));
  const kept = objects.map((object) => {
    const service = keyOfService(object);
    const isLeading = service !== undefined && !settled.has(service);
    const hash = isLeading ? narrowedTo(live(refOf(object))) : undefined;
    return hash === undefined ? object : narrow(object, hash);
  });
  const isReturning = kept.some((object, index) => object !== objects[index]);
  return { name: isReturning ? 'return' : 'whole', objects: kept, held: NOBODY, webhooks };
}

function isBack(live: KubeObject | undefined, revision: string): boolean {
  if (live === undefined || heldFor(live) !== undefined) return false;
  return live.metadata.labels?.[LABEL.revision] === revision && assessHealth(live).state === 'Ready';
}

/** `<namespace>/<name>` of the Service through which the API server calls a Deployment; undefined for other kinds. */
export function serviceBehind(object: KubeObject): string | undefined {
  if (groupKind(object) !== 'Deployment.apps') return undefined;
  return `${object.metadata.namespace ?? ''}/${serviceName(object.metadata.name)}`;
}

/** The same of a Service itself; undefined for other kinds. */
export function keyOfService({ apiVersion, kind, metadata }: KubeObject): string | undefined {
  return apiVersion === 'v1' && kind === 'Service' ? `${metadata.namespace ?? ''}/${metadata.name}` : undefined;
}
