/**
 * Uninstalls a Subscription: deletes its Revisions, each of which removes its objects, and releases the Subscription
 * when they are gone. Subscriptions that depend on it and are being deleted too go first.
 */
import { removalDuring } from '../../adoption/way-back.ts';
import { findCondition, isReason } from '../../api/conditions.ts';
import { API_VERSION } from '../../api/names.ts';
import { keyOfObject, refOf, type KubeObject } from '../../api/object.ts';
import type { Revision } from '../../api/revision.ts';
import { leavesObjects, type Subscription } from '../../api/subscription.ts';
import type { Cluster } from '../../api/cluster.ts';
import { fieldsOf } from '../../api/untyped.ts';
import { nameOnly, ownedParts } from '../../apply/listed-parts.ts';
import type { Result } from '../../kube/controller/controller.ts';
import type { InstalledPackage } from '../../resolver/input.ts';
import { dependentsOf } from '../../resolver/dependencies/removal.ts';
import type { EventFacts, RecordEvent } from '../events.ts';
import { hasFinalizer, removeFinalizer } from '../finalizer.ts';
import { genuineOf } from '../genuine.ts';
import { uidOf } from '../preconditions.ts';
import { isRemovalUnderWay } from '../removal-under-way.ts';
import { writeStatus } from '../status.ts';
import { unreported } from '../unreported.ts';
import type { AskWayBack } from '../way-backs.ts';
import { describePackage, type Neighbour } from './neighbours.ts';
import type { SubscriptionFacts } from './observe.ts';
import {
  isLong,
  isProgress,
  LONG_SECONDS,
  secondsSince,
  summarizeRemoval,
  type Dependent,
  type UninstallProgress,
} from './summarize-removal.ts';
import { deleteDependencies, describeStaying, isBeingDeleted } from './requested-dependencies.ts';
import { mayHold } from './trust.ts';

export interface RemovalDeps {
  readonly cluster: Cluster;
  readonly record: RecordEvent;
  /** Deletes or keeps the objects of the program that the operator was adopted from; by default there are none. */
  readonly endAdoption?: (subscription: Subscription, signal: AbortSignal) => Promise<void>;
  /** Asked before Revisions are deleted; by default no operator is on its way back to OLM. */
  readonly wayBackOf?: AskWayBack;
}

/** No watch reports that a way back is ended. */
const HELD_SECONDS = 30;

/** One step of the removal; the deletion of a Revision or of another Subscription causes the next one. */
export async function uninstall(deps: RemovalDeps, facts: SubscriptionFacts, signal: AbortSignal): Promise<Result> {
  if (facts.revisions.length === 0) return finish(deps, facts, signal);
  const held = await whyHeld(deps.wayBackOf, facts, signal);
  return held === undefined ? deleteNext(deps, facts) : postpone(deps, facts, held);
}

/** Deletes the dependencies that go too, and the Revisions if no other Subscription has to go first. */
async function deleteNext({ cluster, record }: RemovalDeps, facts: SubscriptionFacts): Promise<Result> {
  const { subscription, revisions, now } = facts;
  await deleteDependencies({ cluster, record }, facts);
  const waitsFor = dependentsToGoFirst(facts);
  if (waitsFor.length === 0) {
    const deletable = revisions.filter(({ metadata }) => metadata.deletionTimestamp === undefined);
    await Promise.all(deletable.map((revision) => cluster.delete(refOf(revision), uidOf(revision))));
  }
  await report({ cluster, record }, subscription, { revisions, waitsFor, now });
  return untilLong(subscription, now);
}

/** No Revision is left: ends an adoption, and takes the finalizer off. */
async function finish(
  { cluster, record, endAdoption }: RemovalDeps,
  facts: SubscriptionFacts,
  signal: AbortSignal,
): Promise<undefined> {
  const { subscription } = facts;
  await requireNoRevision(cluster, subscription, signal);
  // Rights go last: no Pod of the operator uses them any more.
  if (hasFinalizer(subscription)) await endAdoption?.(subscription, signal);
  const { installed, pending, lastNumber } = subscription.status ?? {};
  // A first roll-out that failed half-way has a number, and no installed version.
  if (installed !== undefined || lastNumber !== undefined) {
    const bundle = (installed ?? pending)?.bundle ?? subscription.spec.package;
    const note = `${describeEnd(facts, bundle)}${describeStaying(facts)}`;
    record(subscription, { type: 'Normal', reason: 'Uninstalling', action: 'Remove', note });
  }
  await removeFinalizer(cluster, subscription);
}

/** Writes the status, and records an event if the removal waits for another cause than before. */
async function report(
  { cluster, record }: Pick<RemovalDeps, 'cluster' | 'record'>,
  subscription: Subscription,
  progress: UninstallProgress,
): Promise<void> {
  const status = summarizeRemoval(subscription, progress);
  const event = waitOfRemoval(subscription.status, status);
  if (event !== undefined) record(subscription, event);
  await writeStatus(cluster, subscription, status);
}

/** Progress is reported when it begins to take long, and not again when the object changes that is waited for. */
function waitOfRemoval(
  before: Subscription['status'],
  after: NonNullable<Subscription['status']>,
): EventFacts | undefined {
  const [known, ready] = [before, after].map((status) => findCondition(status?.conditions, 'Ready'));
  if (ready === undefined || !isReason(ready.reason)) return undefined;
  const { reason, message: note } = ready;
  const isNews = isProgress(reason)
    ? isLong(ready) && !(known !== undefined && isLong(known))
    : known?.reason !== reason || known.message !== note;
  return isNews ? { type: 'Warning', reason, action: 'Remove', note } : undefined;
}

/** No watch reports that an uninstall begins to take long. */
function untilLong(subscription: Subscription, now: Date): Result {
  const seconds = LONG_SECONDS - secondsSince(subscription, now);
  return seconds > 0 ? { requeueAfterSeconds: seconds } : undefined;
}

/**
 * Throws Conflict (retried) if a Revision exists that the watch has not reported yet, as one that a former leader has made:
 * without its Subscription its objects would be removed, whatever `spec.uninstall` asks. No request if the status is about
 * the uninstall, which has deleted Revisions then, as the watch reports them in their order; nor if it names none.
 */
async function requireNoRevision(
  cluster: Pick<Cluster, 'list'>,
  subscription: Subscription,
  signal: AbortSignal,
): Promise<void> {
  const { metadata, status } = subscription;
  const isNamed = status?.installed !== undefined || status?.pending?.revision !== undefined;
  const hasBegun = status?.observedGeneration !== undefined && status.observedGeneration === metadata.generation;
  if (!isNamed || hasBegun) return;
  const namespace = metadata.namespace ?? '';
  const isOf = (object: KubeObject): object is Revision => fieldsOf(object['spec'])['subscription'] === metadata.name;
  // Each may have a long inventory, and a namespace may have hundreds.
  const keep = (object: KubeObject): KubeObject => (isOf(object) ? specParts(object) : nameOnly(object));
  const found = await cluster.list({ apiVersion: API_VERSION, kind: 'Revision' }, { namespace, keep }, signal);
  const [unseen] = genuineOf(found.filter(isOf), subscription);
  if (unseen !== undefined) throw unreported(refOf(unseen));
}

function specParts(object: KubeObject): KubeObject {
  return { ...ownedParts(object), spec: object['spec'] };
}

/** Why nothing is deleted now; undefined if the uninstall may begin, or has begun. */
async function whyHeld(
  wayBackOf: AskWayBack | undefined,
  { subscription, revisions }: SubscriptionFacts,
  signal: AbortSignal,
): Promise<string | undefined> {
  // Other programs delete Revisions too, such as the controller of namespaces.
  const hasBegun = revisions.some(isRemovalUnderWay);
  if (wayBackOf === undefined || hasBegun || leavesObjects(subscription)) return undefined;
  const { metadata, spec } = subscription;
  const removed = { namespace: metadata.namespace ?? '', name: metadata.name, package: spec.package };
  const answer = removalDuring(await wayBackOf(removed, signal), 'deletesObjects');
  return answer.kind === 'hold' ? answer.message : undefined;
}

async function postpone(
  deps: Pick<RemovalDeps, 'cluster' | 'record'>,
  { subscription, revisions, now }: SubscriptionFacts,
  held: string,
): Promise<Result> {
  await report(deps, subscription, { revisions, waitsFor: [], held, now });
  return { requeueAfterSeconds: HELD_SECONDS };
}

function describeEnd({ subscription, now }: SubscriptionFacts, bundle: string): string {
  if (leavesObjects(subscription)) return `${bundle} is released: its objects stay, and Slipway manages them no longer`;
  return `${bundle} is uninstalled, after ${secondsSince(subscription, now)} s; each object that stays has an event of its own`;
}

/**
 * Subscriptions that need this one and have to go first: those that are being deleted too, in any namespace, and those
 * of the same namespace that are not being deleted yet; none if the objects stay. Only Subscriptions that may hold this one back count.
 */
export function dependentsToGoFirst(facts: SubscriptionFacts): readonly Dependent[] {
  const own = describePackage(facts);
  if (own === undefined || leavesObjects(facts.subscription)) return [];
  const { namespace } = facts.subscription.metadata;
  const counted = facts.neighbours.filter(
    ({ subscription: other }) =>
      mayHold(other, facts.subscription) &&
      (isBeingDeleted(other) || (other.metadata.namespace === namespace && other.spec.dependencies !== 'Ignore')),
  );
  const needing = new Set(dependentsOf(own, packagesOf(counted)).map((one) => one.subscription));
  return counted
    .map((one) => one.subscription)
    .filter((one) => needing.has(keyOfObject(one)))
    .map((one) => ({ key: keyOfObject(one), isLeaving: isBeingDeleted(one) }));
}

function packagesOf(neighbours: readonly Neighbour[]): readonly InstalledPackage[] {
  return neighbours.flatMap((one) => describePackage(one) ?? []);
}
