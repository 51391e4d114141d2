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
import { decideStage, rehearsable, type Stage, type StageFacts } from './stage.ts';

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
  /** Notes what need not be proved again. */
  note(revision: Revision, proved: StageFacts['proved']): void;
  forget(revision: Revision): void;
}

export interface ProveOptions {
  readonly read: ReadText;
  readonly signal: AbortSignal;
}

interface Progress {
  readonly proved: StageFacts['proved'];
  readonly silentSince?: Date;
}

const WORKS: Judgement = { state: 'Ready', reason: 'Succeeded', message: '' };
const NOT_CLEARED: Judgement = {
  state: 'Working',
  reason: 'Progressing',
  message: 'What webhooks were asked with is being removed',
  askAgainSeconds: 1,
};
const BEGINNING: Progress = { proved: 'nothing' };

export function createRehearsals(deps: RehearsalDeps): Rehearsals {
  const { managed, probeWebhooks } = deps;
  const progress = new Map<string, Progress>();
  const of = (revision: Revision): Progress => progress.get(keyOf(revision)) ?? BEGINNING;
  const isProbed = (revision: Revision, { webhooks }: Stage): boolean =>
    probeWebhooks && webhooks.length > 0 && of(revision).proved !== 'all' && !hasWorked(revision);
  return {
    async stageOf(revision, objects, signal) {
      const facts = {
        revision: revision.metadata.name,
        hasWorked: hasWorked(revision),
        objects,
        webhooks: calledWebhooks(objects),
        live: (ref: ObjectRef) => managed.get(ref),
      };
      const { proved } = of(revision);
      const candidates = probeWebhooks && proved === 'nothing' ? rehearsable(facts) : [];
      return decideStage({ ...facts, proved, working: await workingPods(deps, candidates, signal) });
    },
    tracesOf: (revision, stage) => (isProbed(revision, stage) ? tracesOf(revision, stage) : []),
    async prove(revision, stage, { read, signal }) {
      if (!isProbed(revision, stage)) return WORKS;
      const silence = await probe(deps, revision, { stage, signal });
      const { silentSince = deps.now(), proved } = of(revision);
      progress.set(keyOf(revision), { proved, ...(silence !== undefined && { silentSince }) });
      const judgement = silence === undefined ? WORKS : judgeSilence(silence, { since: silentSince, now: deps.now() });
      const isOver = judgement.state !== 'Working';
      if (isOver && !(await removeTraces(deps, revision, { stage, signal }))) return NOT_CLEARED;
      return silence === undefined ? judgement : describeSilence(judgement, silence, { read, signal });
    },
    note: (revision, proved) => void progress.set(keyOf(revision), { proved }),
    forget: (revision) => void progress.delete(keyOf(revision)),
  };
}

function hasWorked({ status }: Revision): boolean {
  return status?.firstReadyTime !== undefined;
}

function keyOf({ metadata }: Revision): string {
  return metadata.uid ?? '';
}

/** The hash of the Pods that work, of each Deployment that has some. */
async function workingPods(
  { cluster, managed }: RehearsalDeps,
  deployments: readonly KubeObject[],
  signal: AbortSignal,
): Promise<ReadonlyMap<KubeObject, string>> {
  const found = new Map<KubeObject, string>();
  for (const deployment of deployments) {
    const live = managed.get(refOf(deployment)) as KubeObject;
    const [pod] = heldFor(live) === undefined ? await readyPods(cluster, live, signal) : [];
    const hash = heldFor(live) ?? (pod && hashOf(pod));
    if (hash !== undefined) found.set(deployment, hash);
  }
  return found;
}
