/**
 * Puts a revision's objects into the cluster: first checks every object (preflight.ts) and writes nothing if one of
 * them would be refused, then walks the graph of phases, creating or applying each object once. The revision controller
 * calls it repeatedly until everything is done; work that is done is in the inventory and costs no request. It does not
 * prune, and it keeps no state: killed between any two writes, the next run recognizes its objects by the owner that
 * they name.
 */
import { ReasonedError } from '../api/errors.ts';
import { ANNOTATION } from '../api/names.ts';
import { describeRef, refOf, type KubeObject, type ObjectRef, groupKind } from '../api/object.ts';
import {
  summarizePhases,
  type ApplyResult,
  type ObjectResult,
  type PhaseResult,
  type Unready,
} from './apply-result.ts';
import type { Cluster } from '../api/cluster.ts';
import { explainFailure } from './api-failure.ts';
import { countRequests } from './count-requests.ts';
import { assessHealth, hasHealth, type Health } from './health.ts';
import { identityOf } from './identity.ts';
import { indexInventory, type InventoryEntry } from './inventory.ts';
import type { MayWrite } from './look-at-own.ts';
import { kindsDefinedIn, orderObjects, type PlannedPhase, type PhaseName } from './phases.ts';
import { isCrd, preflight, type Permit } from './preflight.ts';
import { hashObject } from './prepare.ts';
import { settleWrite } from './settle-write.ts';
import { createSlots, inSlots, MOST_REQUESTS, type Slots } from './slots.ts';
import type { Finding } from './take-over.ts';
import { UNWATCHED, type Watched } from './watched.ts';

export type { ApplyResult, ObjectResult, ApplyOutcome, PhaseResult, Unready } from './apply-result.ts';
export type { MayWrite, WriteVerb } from './look-at-own.ts';
export type { Permission, Permit } from './preflight.ts';
export type { Watched } from './watched.ts';

export interface ApplyRequest {
  /** Prepared (see prepareObjects). */
  readonly objects: readonly KubeObject[];
  readonly previousInventory: readonly InventoryEntry[];
  /**
   * Whether the Subscription acts as the manager. Such a Subscription takes over objects that an earlier one of its
   * name left. Any other takes over only objects that a person handed over and that its account may also delete.
   */
  readonly asManager?: boolean;
  /** When the Revision was created: an object younger than this that names its Subscription was applied for it. */
  readonly since?: string | undefined;
  /**
   * Written as an annotation onto leftovers that are wanted again, with a new value each time that a Revision becomes
   * active. Absent: no object is written for that alone.
   */
  readonly keptBy?: string;
  /** Concurrent requests; 8 by default. */
  readonly concurrency?: number;
  readonly signal: AbortSignal;
  /** Awaited before the first write, in parallel to the checks: the caller stores its inventory. */
  readonly noted?: Promise<unknown>;
  /** The facts that watches know. Absent: every object is read, and applied again. */
  readonly watched?: Watched;
  /**
   * Called before an existing object is changed, and before anything is written; once more for one that has appeared or
   * changed since. Absent: every change is permitted.
   */
  readonly permit?: Permit;
  /** Called for custom resources of CRDs in the same set, before anything is written. Absent: all may be written. */
  readonly mayWrite?: MayWrite | undefined;
  /**
   * Objects whose creation an earlier run of this roll-out has tried as a dry run: they are not tried again, unless a
   * watch knows them since. The run adds to it.
   */
  readonly tried?: Set<string>;
  /**
   * Called once a phase is applied, with its objects that do not work yet; it may wait for them. Returns the objects that
   * hold back later phases. Absent: those that do not work yet.
   */
  readonly holdBack?: (phase: PhaseName, pending: readonly Pending[]) => Promise<readonly Unready[]>;
}

/** An applied object that does not work yet. */
export interface Pending extends Unready {
  /** As the API server answered the write; as in the request if it was not written. */
  readonly object: KubeObject;
}

/**
 * Applies objects in their phases, with at most two requests for each new one.
 *
 * Refusals are part of the result. Throws BundleInvalid (never retried) for an empty list, which would prune
 * everything, and the signal's reason when aborted.
 */
export async function applyRevision(cluster: Cluster, request: ApplyRequest): Promise<ApplyResult> {
  if (request.objects.length === 0) throw nothingToApply();
  const counted = countRequests(cluster);
  const run: ApplyRun = { ...contextOf(request), cluster: counted.cluster };
  // The manager has the right to bind every role; an account rarely has it.
  const phases = orderObjects(request.objects, { mayBind: request.asManager === true });
  const findings = await lookAtAll(run, phases);
  await request.noted;
  const results = hasRefusal(findings)
    ? phases.map((phase) => refuse(phase, findings))
    : await walk(run, phases, findings);
  return summarizePhases(results, request.previousInventory, counted.requests());
}

/** The state that the steps of one run share. */
interface ApplyRun {
  readonly cluster: Cluster;
  readonly request: ApplyRequest;
  readonly watched: Watched;
  readonly signal: AbortSignal;
  readonly slots: Slots;
  readonly known: ReadonlyMap<string, InventoryEntry>;
  readonly ownKinds: ReadonlySet<string>;
  readonly ownNamespaces: ReadonlySet<string>;
}

/** By identity. */
type Findings = Map<string, Finding>;

function contextOf(request: ApplyRequest): Omit<ApplyRun, 'cluster'> {
  const { objects, previousInventory, concurrency = MOST_REQUESTS, watched = UNWATCHED, signal } = request;
  return {
    request,
    watched,
    signal,
    slots: createSlots(concurrency),
    known: indexInventory(previousInventory),
    ownKinds: kindsDefinedIn(objects),
    ownNamespaces: new Set(objects.filter(isNamespace).map(({ metadata }) => metadata.name)),
  };
}

function isNamespace({ apiVersion, kind }: KubeObject): boolean {
  return apiVersion === 'v1' && kind === 'Namespace';
}

async function lookAtAll(run: ApplyRun, phases: readonly PlannedPhase[]): Promise<Findings> {
  const objects = phases.flatMap((phase) => phase.objects);
  const found = await inSlots(
    run,
    objects,
    async (object) => [identityOf(refOf(object)), await lookAt(run, object)] as const,
  );
  return new Map(found);
}

async function lookAt(run: ApplyRun, object: KubeObject): Promise<Finding> {
  const { tried } = run.request;
  const ref = refOf(object);
  const identity = identityOf(ref);
  // Another program may have created it since.
  if (tried?.has(identity) === true && run.watched.get(ref) === undefined) return { kind: 'absent' };
  const finding = await lookAnew(run, object);
  // The creation of a CRD is never tried, and one that appears later has to be judged before anything is written.
  if (finding.kind === 'absent' && !isCrd(object)) tried?.add(identity);
  return finding;
}

async function lookAnew(run: ApplyRun, object: KubeObject): Promise<Finding> {
  const { request, watched, signal, ownKinds, ownNamespaces } = run;
  const known = run.known.get(identityOf(refOf(object)));
  if (known !== undefined && isUnchanged(run, known, object)) {
    const { leftover: _leftover, ...entry } = known;
    return { kind: 'unchanged', entry };
  }
  const { permit } = request;
  // An object that was only intended may exist or not, like any other.
  const applied = known?.uid === '' ? undefined : known;
  // A busy watch may lag behind an object that was created a moment ago, so applied objects are read.
  if (applied === undefined && watched.isAbsent(refOf(object))) return { kind: 'absent' };
  return preflight(run.cluster, object, {
    known: applied,
    ownKinds,
    ownNamespaces,
    permit,
    mayWrite: request.mayWrite,
    observed: watched.get(refOf(object)),
    asManager: request.asManager,
    since: request.since,
    signal,
  });
}

function isUnchanged(run: ApplyRun, known: InventoryEntry, object: KubeObject): boolean {
  const isKept = known.leftover !== true || isKeptAlready(run, object);
  return isKept && known.uid !== '' && known.hash === hashObject(object) && run.watched.isIntact(known);
}

/** Whether the object was written already since the Revision became active. */
function isKeptAlready({ request: { keptBy }, watched }: ApplyRun, object: KubeObject): boolean {
  const annotation = watched.get(refOf(object))?.metadata.annotations?.[ANNOTATION.keptBy];
  return keptBy === undefined || annotation === keptBy;
}

function hasRefusal(findings: Findings): boolean {
  return [...findings.values()].some(({ kind }) => kind === 'collision' || kind === 'failed');
}

/** The results of a run that writes nothing because at least one object would be refused. */
function refuse({ name, objects }: PlannedPhase, findings: Findings): PhaseResult {
  const results = objects.map((object) => {
    const ref = refOf(object);
    return { phase: name, ref, ...withoutWriting(findings.get(identityOf(ref)) as Finding) };
  });
  const failed = results.some(({ failure }) => failure !== undefined);
  return { name, state: failed ? 'Failed' : 'Waiting', objects: results, unready: [] };
}

function withoutWriting(finding: Finding): Omit<ObjectResult, 'phase' | 'ref'> {
  if (finding.kind === 'collision' || finding.kind === 'failed') {
    return { outcome: finding.kind, failure: finding.failure };
  }
  if (finding.kind === 'unchanged') return { outcome: 'unchanged', entry: finding.entry };
  return { outcome: 'waiting', message: 'nothing is applied before every object can be' };
}

/** One phase in progress: both promises resolve unless the run is aborted or a defect shows. */
interface PhaseRun {
  readonly applied: Promise<AppliedPhase>;
  readonly ready: Promise<PhaseResult>;
}

interface AppliedPhase {
  readonly result: PhaseResult;
  /** The API server's answers for the applied objects. */
  readonly live: ReadonlyMap<string, KubeObject>;
}

/** Begins every phase as soon as those before it allow; CRDs take the first slots, and no phase needs a later one. */
async function walk(run: ApplyRun, phases: readonly PlannedPhase[], findings: Findings): Promise<PhaseResult[]> {
  const runs = new Map<PhaseName, PhaseRun>();
  const crdsFirst = phases.toSorted((a, b) => Number(b.name === 'crds') - Number(a.name === 'crds'));
  const begin = (phase: PlannedPhase): PhaseRun => {
    const applied = obstacleBefore(run, phase, runs).then((obstacle) =>
      obstacle === undefined ? applyPhase(run, phase, findings) : notBegun(phase, obstacle),
    );
    return { applied, ready: applied.then((outcome) => settlePhase(run, phase, outcome)) };
  };
  for (const phase of crdsFirst) runs.set(phase.name, begin(phase));
  await Promise.allSettled([...runs.values()].map(({ ready }) => ready));
  return Promise.all(phases.map(({ name }) => (runs.get(name) as PhaseRun).ready));
}

/** Waits for the earlier phases; returns a sentence about the one that blocks this phase, or undefined. */
async function obstacleBefore(
  { watched }: ApplyRun,
  { name, after }: PlannedPhase,
  runs: ReadonlyMap<PhaseName, PhaseRun>,
): Promise<string | undefined> {
  for (const { phase, until } of after) {
    const before = runs.get(phase);
    if (before === undefined) continue;
    const { state, unready } = until === 'ready' ? await before.ready : (await before.applied).result;
    if (state === 'Waiting' || state === 'Failed') return `phase ${phase} comes first`;
    // Custom resources of a CRD that is being deleted may wait for the operator to finalize them.
    const isWaitedFor = ({ ref }: Unready): boolean =>
      name !== 'workloads' || phase !== 'crds' || watched.get(ref)?.metadata.deletionTimestamp === undefined;
    const first = unready.find(isWaitedFor);
    if (until === 'ready' && first !== undefined) return `${describeRef(first.ref)}: ${first.health.message}`;
  }
  return undefined;
}

function notBegun({ name, objects }: PlannedPhase, message: string): AppliedPhase {
  const results = objects.map((object): ObjectResult => ({
    phase: name,
    ref: refOf(object),
    outcome: 'waiting',
    message,
  }));
  return { result: { name, state: 'Waiting', objects: results, unready: [] }, live: new Map() };
}

async function applyPhase(run: ApplyRun, { name, objects }: PlannedPhase, findings: Findings): Promise<AppliedPhase> {
  const live = new Map<string, KubeObject>();
  const results = await inSlots(run, objects, async (object) => {
    const identity = identityOf(refOf(object));
    const known = run.known.get(identity);
    const { answer, ...written } = await settleWrite(run.cluster, object, {
      finding: takeFinding(findings, identity),
      knownUid: known?.uid,
      knownHash: known?.hash,
      ...(known?.leftover === true && { keptBy: run.request.keptBy }),
      asManager: run.request.asManager,
      since: run.request.since,
      permit: run.request.permit,
      signal: run.signal,
    });
    if (answer !== undefined) {
      live.set(identity, answer);
      run.request.tried?.delete(identity);
    }
    return { phase: name, ref: refOf(object), ...written };
  });
  const failed = results.some(({ failure }) => failure !== undefined);
  return { result: { name, state: failed ? 'Failed' : 'NotReady', objects: results, unready: [] }, live };
}

/** Each is used once: the live CRDs in them need not be in memory until the workloads are ready. */
function takeFinding(findings: Findings, identity: string): Finding {
  const finding = findings.get(identity) as Finding;
  findings.delete(identity);
  return finding;
}

/** Adds the health of its objects to an applied phase, waiting if the caller can. */
async function settlePhase(run: ApplyRun, phase: PlannedPhase, { result, live }: AppliedPhase): Promise<PhaseResult> {
  if (result.state !== 'NotReady') return result;
  const judged = await inSlots(run, phase.objects, async (object): Promise<Pending> => {
    const ref = refOf(object);
    return { ref, object: live.get(identityOf(ref)) ?? object, health: await healthOf(run, object, live) };
  });
  const pending = judged.filter(({ health }) => health.state !== 'Ready');
  const { holdBack = notWorking } = run.request;
  const unready = await holdBack(phase.name, pending);
  return { ...result, state: unready.length === 0 ? 'Done' : 'NotReady', unready };
}

async function notWorking(_phase: PhaseName, pending: readonly Pending[]): Promise<readonly Unready[]> {
  return pending.map(({ ref, health }) => ({ ref, health }));
}

/**
 * Health from the answer of the write, from the watch, or, for kinds with a health, by reading the object. A custom
 * resource of the set itself counts as ready: its status may depend on the outside world, such as a cloud account.
 */
async function healthOf(run: ApplyRun, object: KubeObject, live: AppliedPhase['live']): Promise<Health> {
  const ref = refOf(object);
  const known = newerOf(run.watched.get(ref), live.get(identityOf(ref)));
  const isOwn = run.ownKinds.has(groupKind(object)) && !hasHealth(object);
  if (known !== undefined) return assessHealth(isOwn ? { ...known, status: undefined } : known);
  return hasHealth(object) ? readHealth(run, ref) : assessHealth(object);
}

/** An object that cannot be read now is Unknown, and checked again. */
async function readHealth({ cluster, signal }: ApplyRun, ref: ObjectRef): Promise<Health> {
  try {
    const current = await cluster.get(ref, signal);
    return current === undefined ? { state: 'Progressing', message: 'it does not exist' } : assessHealth(current);
  } catch (error) {
    signal.throwIfAborted();
    return { state: 'Unknown', message: explainFailure(error, describeRef(ref)).message };
  }
}

/** The newer of the watch's copy and the write's answer: the watch may lag behind a recent write. */
export function newerOf(observed: KubeObject | undefined, answered: KubeObject | undefined): KubeObject | undefined {
  if (observed === undefined || answered === undefined) return answered ?? observed;
  const sameObject = observed.metadata.uid === answered.metadata.uid;
  return sameObject && (observed.metadata.generation ?? 0) >= (answered.metadata.generation ?? 0) ? observed : answered;
}

function nothingToApply(): ReasonedError {
  return new ReasonedError({
    reason: 'BundleInvalid',
    retry: 'never',
    message: 'the bundle renders to no objects',
    hint: 'An empty revision would prune everything that is installed; delete the Subscription instead',
  });
}
