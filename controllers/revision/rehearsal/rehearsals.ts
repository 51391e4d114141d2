/**
 * What is proved of the webhooks of each Revision that is being rolled out, and the stage that follows from it. An
 * upgrade is rehearsed: its new Pods answer the API server before they take the place of those that work. Remembered in
 * memory only; after a restart it is proved again. roll-out.ts asks for the stage, gate.ts for the proof.
 */
import { heldFor } from '../../../apply/held-back.ts';
import { refOf, type KubeObject, type ObjectRef } from '../../../api/object.ts';
import type { Revision } from '../../../api/revision.ts';
import type { ReadText } from '../last-lines.ts';
import type { Judgement } from '../summarize.ts';
import { calledWebhooks } from './called-webhooks.ts';
import { hashOf, readyPods } from './pods.ts';
import { probe, removeTraces, tracesOf, type ProbeDeps } from './probe.ts';
import { describeSilence, judgeSilence } from './silence.ts';
import { decideStage, rehearsable, type Proved, type Stage, type StageName, type Trial } from './stage.ts';

export interface RehearsalDeps extends ProbeDeps {
  readonly now: () => Date;
  /** Whether webhooks are called to see that they answer; not where Pods are only simulated. */
  readonly probeWebhooks: boolean;
}

export interface Rehearsals {
  /** The stage in which the objects of a Revision are now. Throws what listing Pods throws. */
  stageOf(revision: Revision, objects: readonly KubeObject[], signal: AbortSignal): Promise<Stage>;
  /**
   * Ready where the webhooks of the stage answer or need not, Failed where one has been silent for too long.
   * @param read As the operator's account, for the log of a container.
   */
  prove(revision: Revision, stage: Stage, options: ProveOptions): Promise<Judgement>;
  /** All that a proof in this stage may leave in the cluster. */
  tracesOf(revision: Revision, stage: Stage): readonly KubeObject[];
  /** Notes that all is proved, and nothing need be again. */
  complete(revision: Revision): void;
  isComplete(revision: Revision): boolean;
  forget(revision: Revision): void;
}

export interface ProveOptions {
  readonly read: ReadText;
  readonly signal: AbortSignal;
}

interface Progress {
  readonly proved: Proved;
  readonly silentSince?: Date;
  readonly letInSince?: Date;
}

/** Until the last node leads to a Pod that was let in: kube-proxy writes its rules once a second, unless told otherwise. */
const LET_IN_SECONDS = 2;

/** What a stage has proved when it ends. */
const PROVED: Readonly<Record<StageName, Proved>> = {
  rehearsal: 'pods',
  letIn: 'in',
  handOver: 'services',
  return: 'all',
  whole: 'services',
};

const WORKS: Judgement = { state: 'Ready', reason: 'Succeeded', message: '' };
const NOT_CLEARED: Judgement = {
  state: 'Working',
  reason: 'Progressing',
  message: 'What webhooks were asked with is being removed',
  askAgainSeconds: 1,
};
const BEGINNING: Progress = { proved: 'nothing' };

export function createRehearsals(deps: RehearsalDeps): Rehearsals {
  const { managed, now, probeWebhooks } = deps;
  const progress = new Map<string, Progress>();
  const of = (revision: Revision): Progress => progress.get(keyOf(revision)) ?? BEGINNING;
  const isProbed = (revision: Revision, { webhooks }: Stage): boolean =>
    probeWebhooks && webhooks.length > 0 && !DONE.has(of(revision).proved) && !hasWorked(revision);

  /** Ready once the nodes have had the time to learn of it. */
  function letIn(revision: Revision): Judgement {
    const { letInSince = now(), ...rest } = of(revision);
    progress.set(keyOf(revision), { ...rest, letInSince });
    const left = LET_IN_SECONDS - (now().getTime() - letInSince.getTime()) / 1000;
    if (left <= 0) return WORKS;
    const message = 'The new Pods are called in place of those before';
    return { state: 'Working', reason: 'Progressing', message, askAgainSeconds: left };
  }

  async function ask(revision: Revision, stage: Stage, { read, signal }: ProveOptions): Promise<Judgement> {
    const silence = await probe(deps, revision, { stage, signal });
    const { silentSince = now(), proved } = of(revision);
    progress.set(keyOf(revision), { proved, ...(silence !== undefined && { silentSince }) });
    const judgement = silence === undefined ? WORKS : judgeSilence(silence, { since: silentSince, now: now() });
    const isOver = judgement.state !== 'Working';
    if (isOver && !(await removeTraces(deps, revision, { stage, signal }))) return NOT_CLEARED;
    return silence === undefined ? judgement : describeSilence(judgement, silence, { read, signal });
  }

  return {
    async stageOf(revision, objects, signal) {
      const facts = {
        revision: revision.metadata.name,
        hasWorked: hasWorked(revision),
        objects,
        webhooks: calledWebhooks(objects),
        live: (ref: ObjectRef) => managed.get(ref),
      };
      const candidates = probeWebhooks ? rehearsable(facts) : [];
      const { proved } = of(revision);
      return decideStage({ ...facts, proved, trials: await gatherTrials(deps, candidates, signal) });
    },
    tracesOf: (revision, stage) => (isProbed(revision, stage) ? tracesOf(revision, stage) : []),
    async prove(revision, stage, options) {
      if (!isProbed(revision, stage)) return WORKS;
      const judgement = stage.name === 'letIn' ? letIn(revision) : await ask(revision, stage, options);
      if (judgement.state === 'Ready') progress.set(keyOf(revision), { proved: PROVED[stage.name] });
      return judgement;
    },
    complete: (revision) => void progress.set(keyOf(revision), { proved: 'all' }),
    isComplete: (revision) => of(revision).proved === 'all',
    forget: (revision) => void progress.delete(keyOf(revision)),
  };
}

/** Nobody is asked any more. */
const DONE: ReadonlySet<Proved> = new Set(['services', 'all']);

function hasWorked({ status }: Revision): boolean {
  return status?.firstReadyTime !== undefined;
}

function keyOf({ metadata }: Revision): string {
  return metadata.uid ?? '';
}

/** The Pods of each Deployment that has some that work. */
async function gatherTrials(
  { cluster, managed }: RehearsalDeps,
  deployments: readonly KubeObject[],
  signal: AbortSignal,
): Promise<ReadonlyMap<KubeObject, Trial>> {
  const trials = new Map<KubeObject, Trial>();
  for (const deployment of deployments) {
    const live = managed.get(refOf(deployment)) as KubeObject;
    const hashes = (await readyPods(cluster, live, signal)).map(hashOf);
    const old = heldFor(live) ?? hashes[0];
    if (old !== undefined) trials.set(deployment, { old, fresh: hashes.find((hash) => hash !== old) });
  }
  return trials;
}
