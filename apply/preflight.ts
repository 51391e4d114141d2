/**
 * Checks one object in the cluster before anything is written: does it exist, is it ours, would the API server accept
 * it? One request for an object that does not exist (a dry-run creation answers both), or whose watch copy is current;
 * two for another one that has to change. Findings are data; apply.ts decides what follows.
 */
import { isCrd } from '../api/crd-kind.ts';
import { describeRef, groupKind, refOf, type KubeObject } from '../api/object.ts';
import { isAlreadyExists, isConflictOrReplaced, isNotFound } from '../api/api-answers.ts';
import { explainFailure, isDryRunUnsupported, isUnmergeable, type Failure } from './api-failure.ts';
import type { Cluster } from '../api/cluster.ts';
import { isProven } from './collision.ts';
import { hasFormerFields } from './former-fields.ts';
import { entryOf, isIntact, type InventoryEntry } from './inventory.ts';
import { needsRead } from './live-order.ts';
import { lookAtOwn, type MayWrite } from './look-at-own.ts';
import { hashObject } from './prepare.ts';
import { judgeExisting, judgeLive, type Finding, type IsGivenUp } from './take-over.ts';
import { createObject, isMadePlainly, takeOverFields, withUid, withVersion } from './write.ts';

/**
 * A caller's verdict on a change of an existing object; with `leave` the object stays as it is, and counts as applied.
 */
export type Permission = { readonly kind: 'change' | 'leave' } | { readonly kind: 'refuse'; readonly failure: Failure };

/**
 * Called with the prepared object and the live one that we own. Except for CRDs, only the live object's metadata is
 * guaranteed. An error that it throws becomes a failure of that object.
 */
export type Permit = (object: KubeObject, live: KubeObject) => Promise<Permission>;

export interface PreflightFacts {
  /** The inventory entry, if the object is known. */
  readonly known: InventoryEntry | undefined;
  /** Group-kinds of the CRDs in the same set, which may not be served yet, or served differently. */
  readonly ownKinds: ReadonlySet<string>;
  /** Namespaces of the same set, which may not exist yet. */
  readonly ownNamespaces: ReadonlySet<string>;
  /** Absent: every change is permitted. */
  readonly permit?: Permit | undefined;
  /** Called for custom resources of `ownKinds`, which get no dry run. Absent: all may be written. */
  readonly mayWrite?: MayWrite | undefined;
  /** A watch's copy of the object: saves the read while it is current. */
  readonly observed?: KubeObject | undefined;
  /** Whether the Subscription acts as the manager; see take-over.ts. */
  readonly asManager?: boolean | undefined;
  readonly isGivenUp?: IsGivenUp | undefined;
  /** When the Revision was created; see take-over.ts. */
  readonly since?: string | undefined;
  readonly signal: AbortSignal;
}

/** Checks one object. Failures of the API server are findings; anything else is thrown. */
export async function preflight(cluster: Cluster, object: KubeObject, facts: PreflightFacts): Promise<Finding> {
  try {
    return await look(cluster, object, facts);
  } catch (error) {
    return { kind: 'failed', failure: explainFailure(error, describeRef(refOf(object))) };
  }
}

async function look(cluster: Cluster, object: KubeObject, facts: PreflightFacts): Promise<Finding> {
  if (facts.ownKinds.has(groupKind(object))) return lookAtOwn(cluster, object, facts);
  const served = await cluster.isNamespaced(object, facts.signal);
  if (served === undefined) return { kind: 'failed', failure: notServed(object) };
  if (facts.known === undefined && mayTryCreation(object, facts)) {
    if (await tryCreation(cluster, object, facts.signal)) return { kind: 'absent' };
  }
  return (await lookAtObserved(cluster, object, facts)) ?? lookAtLive(cluster, object, facts);
}

/**
 * Decides by the watch's copy if the API server confirms that it is current; undefined if the object has to be read.
 */
async function lookAtObserved(
  cluster: Cluster,
  object: KubeObject,
  { known, observed, permit, signal }: PreflightFacts,
): Promise<Finding | undefined> {
  if (observed === undefined || known === undefined || isCrd(object)) return undefined;
  if (!isProven(observed, known.uid) || judgeLive(object, observed, { knownUid: known.uid, signal }).kind !== 'present')
    return undefined;
  const permission = await permit?.(object, observed);
  if (permission !== undefined && permission.kind !== 'change') return undefined;
  // Bound to the version in the watch: if the object has changed since, nothing is decided.
  const bound = withVersion(object, observed);
  const [answer, whole] = await Promise.all([
    unlessUndecided(() => cluster.apply(bound, { force: true, dryRun: true }, signal)),
    // The write needs it, and begins when the last of all checks has ended.
    needsRead(object, observed) ? cluster.get(refOf(object), signal) : undefined,
  ]);
  // No watch keeps managedFields, which have to be checked before anything is written.
  const isPlain = answer === undefined || isMadePlainly(answer) || hasFormerFields(answer);
  return isPlain ? undefined : { kind: 'present', live: completed(observed, whole) };
}

/** The watch's copy with the fields that no watch keeps, if the object was read in the same version. */
function completed(observed: KubeObject, read: KubeObject | undefined): KubeObject {
  const { metadata } = observed;
  if (read === undefined || read.metadata.resourceVersion !== metadata.resourceVersion) return observed;
  return { ...read, metadata };
}

async function lookAtLive(cluster: Cluster, object: KubeObject, facts: PreflightFacts): Promise<Finding> {
  const live = await cluster.get(refOf(object), facts.signal);
  if (live === undefined) return { kind: 'absent' };
  const { known } = facts;
  const finding = await judgeExisting(cluster, object, live, { ...facts, knownUid: known?.uid });
  if (finding.kind === 'failed' && known !== undefined && isCrdThatGoes(object, live, known))
    return { kind: 'unchanged', entry: known };
  if (finding.kind !== 'present') return finding;
  // A busy watch lags behind, and sending a large CRD again takes long.
  if (isCrd(object) && known?.leftover !== true && known?.hash === hashObject(object) && isIntact(known, live))
    return { kind: 'unchanged', entry: known };
  return (await notPermitted(object, live, facts.permit)) ?? tryApplication(cluster, object, live, facts.signal);
}

/** The finding for an object of ours that is not to be changed; undefined if it may be. Throws as `permit` does. */
export async function notPermitted(
  object: KubeObject,
  live: KubeObject,
  permit: Permit | undefined,
): Promise<Finding | undefined> {
  const permission = await permit?.(object, live);
  if (permission?.kind === 'refuse') return { kind: 'failed', failure: permission.failure };
  return permission?.kind === 'leave' ? { kind: 'unchanged', entry: entryOf(object, live) } : undefined;
}

/**
 * Whether a CRD that another program deletes is as it was applied. Its custom resources may wait for the operator that this
 * roll-out repairs, so that it must not block anything else; it is made again once it is gone.
 */
function isCrdThatGoes(object: KubeObject, live: KubeObject, known: InventoryEntry): boolean {
  const isGoing = live.metadata.deletionTimestamp !== undefined && isProven(live, known.uid);
  return isCrd(object) && isGoing && known.hash === hashObject(object);
}

/**
 * A dry run is no use if it depends on objects yet to be created. CRDs get none because of the cost: rejecting a large
 * one takes the API server as long as creating it.
 */
function mayTryCreation(object: KubeObject, { ownNamespaces }: PreflightFacts): boolean {
  const { namespace } = object.metadata;
  if (namespace !== undefined && ownNamespaces.has(namespace)) return false;
  return !isCrd(object) && !isBinding(object);
}

/** Whether the object is absent and would be accepted; false if it exists or the answer is unknown. */
async function tryCreation(cluster: Cluster, object: KubeObject, signal: AbortSignal): Promise<boolean> {
  try {
    await createObject(cluster, object, { dryRun: true, signal });
    return true;
  } catch (error) {
    if (isAlreadyExists(error) || isConflictOrReplaced(error) || isDryRunUnsupported(error)) return false;
    throw error;
  }
}

/** Throws the API server's objection to the new manifest, such as an immutable field. */
async function tryApplication(
  cluster: Cluster,
  object: KubeObject,
  live: KubeObject,
  signal: AbortSignal,
): Promise<Finding> {
  if (isCrd(object)) return { kind: 'present', live };
  const owned = await unlessUndecided(async () => {
    const mine = await takeOverFields(cluster, live, signal);
    await cluster.apply(withUid(object, live), { force: true, dryRun: true }, signal);
    return mine;
  });
  return { kind: 'present', live: owned ?? live };
}

/** Undefined for errors that the real write handles: a conflict, or an object that cannot be merged. */
async function unlessUndecided<Value>(work: () => Promise<Value>): Promise<Value | undefined> {
  try {
    return await work();
  } catch (error) {
    if (isUndecided(error)) return undefined;
    throw error;
  }
}

function isUndecided(error: unknown): boolean {
  return isDryRunUnsupported(error) || isConflictOrReplaced(error) || isNotFound(error) || isUnmergeable(error);
}

function isBinding(object: KubeObject): boolean {
  return object.apiVersion.startsWith('rbac.authorization.k8s.io/') && object.kind.endsWith('Binding');
}

function notServed(object: KubeObject): Failure {
  return {
    reason: 'DependencyNotReady',
    retry: 'backoff',
    message: `${describeRef(refOf(object))}: the API server does not serve the kind ${groupKind(object)} in ${object.apiVersion}`,
    hint: 'Install the operator or the CRD that provides this kind first, or choose a version of the bundle that does not need it',
  };
}
