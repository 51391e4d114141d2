/**
 * Proves that the operator answers. The apply asks for the proof before the phases after the workloads: above all
 * admission webhooks, which would reject the objects that they match, and the next stage of an upgrade, which would
 * remove working Pods. The checks are in rehearsal/ and conversions.ts.
 */
import type { Unready } from '../../../apply/apply.ts';
import { isCrdEntry } from '../../../apply/custom-resources.ts';
import { identityOf } from '../../../apply/identity.ts';
import { refOfEntry } from '../../../apply/inventory.ts';
import type { PhaseName } from '../../../apply/phases.ts';
import { refOf, type KubeObject } from '../../../api/object.ts';
import { confirmConversions, type ConversionCheck } from '../conversions.ts';
import { judgeApply, judgeLostHealth } from '../judge-apply.ts';
import { NO_FAULT, worstOf, type Judgement } from '../judgement.ts';
import { resultOf, type Run } from '../run.ts';
import type { StageName } from '../rehearsal/stage.ts';

/** The part of a run that a proof needs. */
export interface ProofRun extends Pick<Run, 'memory' | 'now' | 'signal' | 'results'> {
  readonly facts: Pick<Run['facts'], 'revision'>;
  readonly clients: Pick<Run['clients'], 'read' | 'listPage'> & Pick<ConversionCheck, 'cluster' | 'as'>;
  readonly rehearsal: Pick<Run['rehearsal'], 'prove' | 'complete' | 'isComplete' | 'end'>;
}

/** Ends the run unless all objects work and all webhooks answer. */
export async function prove(run: Run): Promise<Judgement | undefined> {
  const { applied, proof } = { applied: resultOf(run, 'applied'), proof: run.results.proof };
  const wasHealthy = resultOf(run, 'wasHealthy');
  const judgement = wasHealthy ? judgeLostHealth(applied) : judgeApply(applied);
  const proved = proof === undefined ? await readApplied(run, judgement) : worstOf(judgement, proof);
  return proved.state === 'Ready' ? undefined : proved;
}

/** If the workloads were in place before, so that no proof was asked for: whether custom resources can be read. */
function readApplied(run: Run, judgement: Judgement): Promise<Judgement> {
  const entries = resultOf(run, 'applied').inventory.filter(isCrdEntry);
  const crds = entries.flatMap((entry) => run.watched.get(refOfEntry(entry)) ?? []);
  const revision = resultOf(run, 'revision');
  return confirmConversions(run.memory, { revision, judgement }, { ...checkOf(run), crds });
}

/**
 * The objects for which the phases after this one have to wait: after the workloads, one whose webhook does not answer.
 * Adds `proof` to the results.
 */
export async function unprovedAfter(phase: PhaseName, run: ProofRun): Promise<readonly Unready[]> {
  const { objects } = resultOf(run, 'stage');
  const [first] = objects;
  if (phase !== 'workloads' || first === undefined) return [];
  const proof = await proveStage(run);
  run.results.proof = proof;
  if (proof.state === 'Ready') return [];
  const blamed = objects.find(isCrdEntry) ?? first;
  return [{ ref: refOf(blamed), health: { state: 'Progressing', message: proof.message } }];
}

/** Ready in the last stage only: the phases after the workloads belong to no earlier stage. */
async function proveStage(run: ProofRun): Promise<Judgement> {
  const { rehearsal, clients, signal } = run;
  const stage = resultOf(run, 'stage');
  const proof = await rehearsal.prove(stage, { read: clients.read, signal });
  if (proof.state !== 'Ready') return proof;
  const next = NEXT_STEP[stage.name];
  if (next !== undefined) return endStage(run, next);
  const judgement = await readStaged(run);
  if (judgement.state !== 'Ready') return judgement;
  rehearsal.complete();
  return stage.name === 'whole' ? judgement : endStage(run, 'Custom resources can be read in every version');
}

/** The messages of stages that end without reading a custom resource. */
const NEXT_STEP: Readonly<Partial<Record<StageName, string>>> = {
  rehearsal: 'The new Pods answer the API server and are let in',
  letIn: 'The new Pods take over',
  return: 'The Pods that worked before are the only ones again',
};

/** No watch reports the next stage, so it is requeued. */
function endStage(run: ProofRun, message: string): Judgement {
  const askAgainSeconds = run.rehearsal.end(resultOf(run, 'stage'));
  return { state: 'Working', reason: 'Progressing', message, askAgainSeconds };
}

/** Whether custom resources can be read in every version of the stage's CRDs. */
async function readStaged(run: ProofRun): Promise<Judgement> {
  const { objects } = resultOf(run, 'stage');
  const crds = objects.filter(isCrdEntry);
  if (crds.length === 0) return NO_FAULT;
  const check = checkOf(run);
  const cluster = withOwn(check.cluster, objects);
  const { revision } = run.facts;
  const isProved = run.rehearsal.isComplete;
  return confirmConversions(run.memory, { revision, judgement: NO_FAULT }, { ...check, cluster, crds, isProved });
}

function checkOf({ clients, now, signal }: ProofRun): Omit<ConversionCheck, 'crds'> {
  const { cluster, listPage, as } = clients;
  return { cluster, listPage, as, now: now(), signal };
}

/** The Services that webhooks name are mostly of the same Revision, and need not be read. */
function withOwn(cluster: ConversionCheck['cluster'], objects: readonly KubeObject[]): ConversionCheck['cluster'] {
  const services = objects.filter(({ apiVersion, kind }) => apiVersion === 'v1' && kind === 'Service');
  const own = new Map(services.map((service) => [identityOf(refOf(service)), service]));
  return {
    list: (...args) => cluster.list(...args),
    get: async (ref, signal) => own.get(identityOf(ref)) ?? (await cluster.get(ref, signal)),
  };
}
