/**
 * Proves that the operator answers. The apply asks for the proof before the phases after the workloads: above all
 * admission webhooks, which would reject the objects that they match, and the next stage of an upgrade, which would
 * remove working Pods. The checks are in rehearsal/ and readable-versions.ts.
 */
import type { Unready } from '../../../apply/apply.ts';
import { identityOf } from '../../../apply/identity.ts';
import type { PhaseName } from '../../../apply/phases.ts';
import { isCrd } from '../../../api/crd-kind.ts';
import { refOf, type KubeObject } from '../../../api/object.ts';
import { NO_FAULT, type Judgement } from '../judgement.ts';
import { confirmReadable, type ConversionCheck } from '../readable-versions.ts';
import type { Stage, StageName } from '../rehearsal/decide-stage.ts';
import type { Run } from '../run.ts';

/** The part of a run that a proof needs. */
export interface ProofRun extends Pick<Run, 'memory' | 'now' | 'signal'> {
  readonly facts: Pick<Run['facts'], 'revision'>;
  readonly clients: Pick<Run['clients'], 'read' | 'listPage'> & Pick<ConversionCheck, 'cluster' | 'as'>;
  readonly rehearsal: Pick<Run['rehearsal'], 'prove' | 'complete' | 'isComplete' | 'end'>;
}

export interface HeldBack {
  /** The objects for which the phases after this one have to wait. */
  readonly unready: readonly Unready[];
  /** The judgement of the webhook checks, which are made after the workloads. */
  readonly proof?: Judgement;
}

/** After the workloads, the phases wait for an object whose webhook does not answer. */
export async function unprovedAfter(phase: PhaseName, run: ProofRun, stage: Stage): Promise<HeldBack> {
  const [first] = stage.objects;
  if (phase !== 'workloads' || first === undefined) return { unready: [] };
  const proof = await proveStage(run, stage);
  if (proof.state === 'Ready') return { unready: [], proof };
  const blamed = stage.objects.find(isCrd) ?? first;
  return { unready: [{ ref: refOf(blamed), health: { state: 'Progressing', message: proof.message } }], proof };
}

/** Ready in the last stage only: the phases after the workloads belong to no earlier stage. */
async function proveStage(run: ProofRun, stage: Stage): Promise<Judgement> {
  const { rehearsal, clients, signal } = run;
  const proof = await rehearsal.prove(stage, { read: clients.read, signal });
  if (proof.state !== 'Ready') return proof;
  const next = NEXT_STEP[stage.name];
  if (next !== undefined) return endStage(run, stage, next);
  const judgement = await readStaged(run, stage);
  if (judgement.state !== 'Ready') return judgement;
  rehearsal.complete();
  const message = 'Custom resources can be read in every version';
  return stage.name === 'whole' ? judgement : endStage(run, stage, message);
}

/** The messages of stages that end without reading a custom resource. */
const NEXT_STEP: Readonly<Partial<Record<StageName, string>>> = {
  rehearsal: 'The new Pods answer the API server and are let in',
  letIn: 'The new Pods take over',
  return: 'The Pods that worked before are the only ones again',
};

/** No watch reports the next stage, so it is requeued. */
function endStage({ rehearsal }: ProofRun, stage: Stage, message: string): Judgement {
  const askAgainSeconds = rehearsal.end(stage);
  return { state: 'Working', reason: 'Progressing', message, askAgainSeconds };
}

/** Whether custom resources can be read in every version of the stage's CRDs. */
async function readStaged(run: ProofRun, { objects }: Stage): Promise<Judgement> {
  const crds = objects.filter(isCrd);
  if (crds.length === 0) return NO_FAULT;
  const check = checkOf(run);
  const cluster = withOwn(check.cluster, objects);
  const { revision } = run.facts;
  const isProved = run.rehearsal.isComplete;
  return confirmReadable(run.memory, { revision, judgement: NO_FAULT }, { ...check, cluster, crds, isProved });
}

export function checkOf({ clients, now, signal }: ProofRun): Omit<ConversionCheck, 'crds'> {
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
