/**
 * Looks at one object in the cluster before anything is written: is it there, is it ours, would the API server
 * take it? One request for an object that is not there (making it as dry run tells both), or that a watch has seen
 * as it is now; two for another one that has to change. What it finds is data; apply.ts decides what follows.
 */
import { describeRef, groupKind, refOf, type KubeObject } from '../api/object.ts';
import { isAlreadyExists, isConflictOrReplaced, isNotFound } from '../api/api-answers.ts';
import { explainFailure, isDryRunUnsupported, isUnmergeable, type Failure } from './api-failure.ts';
import type { Cluster } from './cluster.ts';
import { isProven } from './collision.ts';
import { entryOf, isIntact, type InventoryEntry } from './inventory.ts';
import { lookAtOwn, type MayWrite } from './look-at-own.ts';
import { hashObject } from './prepare.ts';
import { judgeExisting, judgeLive, type Finding } from './take-over.ts';
import { createObject, isMadePlainly, takeOverFields, withUid, withVersion } from './write.ts';

/** What a caller says to the change of an object that exists: it is `left` as it is, and counts as applied. */
export type Permission = { readonly kind: 'change' | 'leave' } | { readonly kind: 'refuse'; readonly failure: Failure };

/**
 * Asked about a prepared object and the one that is there and ours, of which the metadata is certain only, unless it
 * is a CRD. What it throws is a failure of that object.
 */
export type Permit = (object: KubeObject, live: KubeObject) => Promise<Permission>;

export interface PreflightFacts {
  /** The entry of the inventory, where the object is known. */
  readonly known: InventoryEntry | undefined;
  /** Group-kinds of the CRDs in the same set, which may not be served yet, or otherwise than they will be. */
  readonly ownKinds: ReadonlySet<string>;
  /** Namespaces of the same set, which may not exist yet. */
  readonly ownNamespaces: ReadonlySet<string>;
  /** Absent: every change is permitted. */
  readonly permit?: Permit | undefined;
  /** Asked about custom resources of `ownKinds`, which are not tried. Absent: all may be written. */
  readonly mayWrite?: MayWrite | undefined;
  /** What a watch knows of the object: it is not read where that is still the newest. */
  readonly observed?: KubeObject | undefined;
  /** Whether the Subscription acts as the manager; see take-over.ts. */
  readonly asManager?: boolean | undefined;
  /** When the Revision was created; see take-over.ts. */
  readonly since?: string | undefined;
  readonly signal?: AbortSignal;
}

/** Looks at one object. Failures of the API server are findings; anything else is thrown. */
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

/** Goes by what a watch knows, as long as the API server says that it is so still; undefined where it is to be read. */
async function lookAtObserved(
  cluster: Cluster,
  object: KubeObject,
  { known, observed, permit, signal }: PreflightFacts,
): Promise<Finding | undefined> {
  if (observed === undefined || known === undefined || isCrd(object)) return undefined;
  if (!isProven(observed, known.uid) || judgeLive(object, observed, { knownUid: known.uid }).kind !== 'present')
    return undefined;
  const permission = await permit?.(object, observed);
  if (permission !== undefined && permission.kind !== 'change') return undefined;
  // To the very version that was seen: where there is another by now, nothing is decided.
  const bound = withVersion(object, observed);
  const answer = await unlessUndecided(() => cluster.apply(bound, { force: true, dryRun: true }, signal));
  // Whose the fields are is in no watch, and to be seen to before anything is written.
  return answer === undefined || isMadePlainly(answer) ? undefined : { kind: 'present', live: observed };
}

async function lookAtLive(cluster: Cluster, object: KubeObject, facts: PreflightFacts): Promise<Finding> {
  const live = await cluster.get(refOf(object), facts.signal);
  if (live === undefined) return { kind: 'absent' };
  const finding = await judgeExisting(cluster, object, live, { ...facts, knownUid: facts.known?.uid });
  if (finding.kind !== 'present') return finding;
  // A busy watch is behind, and to send a large CRD once more takes long.
  const { known } = facts;
  if (isCrd(object) && known?.leftover !== true && known?.hash === hashObject(object) && isIntact(known, live))
    return { kind: 'unchanged', entry: known };
  const permission = await facts.permit?.(object, live);
  if (permission?.kind === 'refuse') return { kind: 'failed', failure: permission.failure };
  if (permission?.kind === 'leave') return { kind: 'unchanged', entry: entryOf(object, live) };
  return tryApplication(cluster, object, live, facts.signal);
}

/**
 * A dry run says nothing where it depends on what is yet to be made. A CRD is left out for its cost: the API
 * server takes as long to refuse a large one as to create it.
 */
function mayTryCreation(object: KubeObject, { ownNamespaces }: PreflightFacts): boolean {
  const { namespace } = object.metadata;
  if (namespace !== undefined && ownNamespaces.has(namespace)) return false;
  return !isCrd(object) && !isBinding(object);
}

/** Whether the object is absent and would be accepted; false where it exists or nothing can be said. */
async function tryCreation(cluster: Cluster, object: KubeObject, signal?: AbortSignal): Promise<boolean> {
  try {
    await createObject(cluster, object, { dryRun: true, ...(signal !== undefined && { signal }) });
    return true;
  } catch (error) {
    if (isAlreadyExists(error) || isConflictOrReplaced(error) || isDryRunUnsupported(error)) return false;
    throw error;
  }
}

/** Throws what the API server would say to the new manifest, such as that a field is immutable. */
async function tryApplication(
  cluster: Cluster,
  object: KubeObject,
  live: KubeObject,
  signal?: AbortSignal,
): Promise<Finding> {
  if (isCrd(object)) return { kind: 'present', live };
  const owned = await unlessUndecided(async () => {
    const mine = await takeOverFields(cluster, live, signal);
    await cluster.apply(withUid(object, live), { force: true, dryRun: true }, signal);
    return mine;
  });
  return { kind: 'present', live: owned ?? live };
}

/** Undefined for what is left to the real write to deal with: another writer, or an object that cannot be merged. */
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

function isCrd(object: KubeObject): boolean {
  return groupKind(object) === 'CustomResourceDefinition.apiextensions.k8s.io';
}

function isBinding(object: KubeObject): boolean {
  return object.apiVersion.startsWith('rbac.authorization.k8s.io/') && object.kind.endsWith('Binding');
}

function notServed(object: KubeObject): Failure {
  return {
    reason: 'DependencyNotReady',
    retry: 'backoff',
    message: `${describeRef(refOf(object))}: the cluster serves no ${groupKind(object)} in ${object.apiVersion}`,
    hint: 'Install what provides this kind first, or choose a version of the bundle that does without',
  };
}
