/** Walks the graph of phases: applies the objects of each as soon as those before it allow, and asks whether they work. */
import { isCrd } from '../api/crd-kind.ts';
import { describeRef, groupKind, refOf, type KubeObject, type ObjectRef } from '../api/object.ts';
import { explainFailure } from './api-failure.ts';
import type { ObjectResult, PhaseResult, Unready } from './apply-result.ts';
import type { ApplyRun, Findings, Pending } from './apply-run.ts';
import { assessHealth, hasHealth, type Health } from './health.ts';
import { identityOf } from './identity.ts';
import { kindsDefinedIn, type PhaseName, type PlannedPhase } from './phases.ts';
import { isRepair } from './repair.ts';
import { settleWrite } from './settle-write.ts';
import { inSlots } from './slots.ts';
import { keepConditions } from './still-established.ts';
import type { Finding } from './take-over.ts';
import { newerOf } from './watched.ts';

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
export async function walk(run: ApplyRun, phases: readonly PlannedPhase[], findings: Findings): Promise<PhaseResult[]> {
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
  run: ApplyRun,
  { name, after }: PlannedPhase,
  runs: ReadonlyMap<PhaseName, PhaseRun>,
): Promise<string | undefined> {
  for (const { phase, until } of after) {
    const before = runs.get(phase);
    if (before === undefined) continue;
    const result = until === 'ready' ? await before.ready : (await before.applied).result;
    const { state, unready } = result;
    if (state === 'Failed' && until === 'applied' && isRepair(run, refusedIn(result))) continue;
    if (state === 'Waiting' || state === 'Failed') return `phase ${phase} comes first`;
    // Custom resources of a CRD that is being deleted may wait for the operator to finalize them.
    const isWaitedFor = ({ ref }: Unready): boolean =>
      name !== 'workloads' || phase !== 'crds' || run.watched.get(ref)?.metadata.deletionTimestamp === undefined;
    const first = unready.find(isWaitedFor);
    if (until === 'ready' && first !== undefined) return `${describeRef(first.ref)}: ${first.health.message}`;
  }
  return undefined;
}

function refusedIn({ objects }: PhaseResult): ReadonlySet<string> {
  return new Set(objects.filter(({ failure }) => failure !== undefined).map(({ ref }) => identityOf(ref)));
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
      keptBy: run.request.keptBy,
      isLeftover: known?.leftover === true,
      isOwnKind: run.ownKinds.has(groupKind(object)),
      asManager: run.request.asManager,
      isGivenUp: run.request.isGivenUp,
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
  const [observed, answer] = [run.watched.get(ref), live.get(identityOf(ref))];
  const isKept = answer !== undefined && isCrd(object) && !bringsObjectsOf(run, object);
  const written = isKept ? keepConditions(object, answer, observed) : answer;
  const known = newerOf(observed, written);
  const isOwn = run.ownKinds.has(groupKind(object)) && !hasHealth(object);
  if (known !== undefined) return assessHealth(isOwn ? { ...known, status: undefined } : known);
  return hasHealth(object) ? readHealth(run, ref) : assessHealth(object);
}

/** Custom resources that come with their CRD are to be judged by its new schema. */
function bringsObjectsOf({ broughtKinds }: ApplyRun, crd: KubeObject): boolean {
  return !kindsDefinedIn([crd]).isDisjointFrom(broughtKinds);
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
