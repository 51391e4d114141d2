/**
 * Holds back the phases after the workloads until it is proved that the operator answers: above all admission webhooks,
 * which would reject the objects that they match, and the next stage of an upgrade, which would remove working Pods. A
 * step of roll-out.ts; the checks are in rehearsal/ and conversions.ts.
 */
import type { Unready } from '../../apply/apply.ts';
import { isCrdEntry } from '../../apply/custom-resources.ts';
import { identityOf } from '../../apply/identity.ts';
import type { PhaseName } from '../../apply/phases.ts';
import { refOf, type KubeObject } from '../../api/object.ts';
import type { ConversionCheck, Conversions } from './conversions.ts';
import type { ReadText } from './last-lines.ts';
import type { Rehearsals, Subject } from './rehearsal/rehearsals.ts';
import type { Stage, StageName } from './rehearsal/stage.ts';
import { WORKS, type Judgement } from './summarize.ts';

export interface GateOptions {
  readonly conversions: Conversions;
  readonly rehearsals: Pick<Rehearsals, 'prove' | 'complete' | 'isComplete' | 'pause'>;
  readonly subject: Subject;
  readonly stage: Stage;
  readonly check: Omit<ConversionCheck, 'crds'>;
  /** As the operator's account. */
  readonly read: ReadText;
}

export interface Gate {
  /** The apply's `confirm` callback: returns an object whose webhook does not answer, if any. */
  readonly confirm: (phase: PhaseName) => Promise<readonly Unready[]>;
  /** The result of the check; undefined if there was none. */
  answer(): Judgement | undefined;
}

export function createGate(options: GateOptions): Gate {
  const [first] = options.stage.objects;
  let answer: Judgement | undefined;
  return {
    answer: () => answer,
    async confirm(phase) {
      if (phase !== 'workloads' || first === undefined) return [];
      answer = await judgeStage(options);
      if (answer.state === 'Ready') return [];
      const blamed = options.stage.objects.find(isCrdEntry) ?? first;
      return [{ ref: refOf(blamed), health: { state: 'Progressing', message: answer.message } }];
    },
  };
}

/** Ready in the last stage only: the phases after the workloads belong to no earlier stage. */
async function judgeStage(options: GateOptions): Promise<Judgement> {
  const { rehearsals, subject, stage, check, read } = options;
  const proof = await rehearsals.prove(subject, stage, { read, signal: check.signal });
  if (proof.state !== 'Ready') return proof;
  const next = NEXT[stage.name];
  if (next !== undefined) return goOn(options, next);
  const judgement = await confirmConversions(options);
  if (judgement.state !== 'Ready') return judgement;
  rehearsals.complete(subject.revision);
  return stage.name === 'whole' ? judgement : goOn(options, 'Custom resources can be read in every version');
}

/** The messages of stages that end without reading a custom resource. */
const NEXT: Readonly<Partial<Record<StageName, string>>> = {
  rehearsal: 'The new Pods answer the API server and are let in',
  letIn: 'The new Pods take over',
  return: 'The Pods that worked before are the only ones again',
};

/** No watch reports the next stage, so it is requeued. */
function goOn({ rehearsals, subject, stage }: GateOptions, message: string): Judgement {
  const askAgainSeconds = rehearsals.pause(subject.revision, stage);
  return { state: 'Working', reason: 'Progressing', message, askAgainSeconds };
}

async function confirmConversions(options: GateOptions): Promise<Judgement> {
  const { conversions, rehearsals, stage, check } = options;
  const { revision } = options.subject;
  const crds = stage.objects.filter(isCrdEntry);
  if (crds.length === 0) return WORKS;
  const cluster = withOwn(check.cluster, stage.objects);
  return conversions.confirm(revision, WORKS, { ...check, cluster, crds, isProved: rehearsals.isComplete(revision) });
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
