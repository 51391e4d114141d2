/** Checks every object before the first write: a run writes nothing if one of them would be refused. */
import { ANNOTATION } from '../api/names.ts';
import { refOf, type KubeObject } from '../api/object.ts';
import type { ObjectResult, PhaseResult } from './apply-result.ts';
import type { ApplyRun, Findings } from './apply-run.ts';
import { identityOf } from './identity.ts';
import type { InventoryEntry } from './inventory.ts';
import type { PlannedPhase } from './phases.ts';
import { isCrd } from '../api/crd-kind.ts';
import { preflight } from './preflight.ts';
import { hashObject } from './prepare.ts';
import { inSlots } from './slots.ts';
import type { Finding } from './take-over.ts';

/** The finding about each object. */
export async function checkAll(run: ApplyRun, phases: readonly PlannedPhase[]): Promise<Findings> {
  const objects = phases.flatMap((phase) => phase.objects);
  const found = await inSlots(
    run,
    objects,
    async (object) => [identityOf(refOf(object)), await checkObject(run, object)] as const,
  );
  return new Map(found);
}

async function checkObject(run: ApplyRun, object: KubeObject): Promise<Finding> {
  const { tried } = run.request;
  const ref = refOf(object);
  const identity = identityOf(ref);
  // Another program may have created it since.
  if (tried?.has(identity) === true && run.watched.get(ref) === undefined) return { kind: 'absent' };
  const finding = await checkAnew(run, object);
  // The creation of a CRD is never tried, and one that appears later has to be judged before anything is written.
  if (finding.kind === 'absent' && !isCrd(object)) tried?.add(identity);
  return finding;
}

async function checkAnew(run: ApplyRun, object: KubeObject): Promise<Finding> {
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
    isGivenUp: request.isGivenUp,
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

/** Identities of the objects that would be refused. */
export function refusedIn(findings: Findings): ReadonlySet<string> {
  const refused = [...findings].filter(([, { kind }]) => kind === 'collision' || kind === 'failed');
  return new Set(refused.map(([identity]) => identity));
}

/** The results of a run that writes nothing because at least one object would be refused. */
export function refuse({ name, objects }: PlannedPhase, findings: Findings): PhaseResult {
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
