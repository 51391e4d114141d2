/**
 * The progress of the webhook checks of each Revision that is being rolled out, and the stage that follows from it. An
 * upgrade is rehearsed: its new Pods answer the API server before they replace the working ones. Kept in memory only;
 * after a restart the checks are repeated. roll-out.ts asks for the stage, gate.ts for the proof.
 */
import { fieldsOf } from '../../../api/untyped.ts';
import type { KubeObject, ObjectRef } from '../../../api/object.ts';
import { hasWorked, type Revision } from '../../../api/revision.ts';
import { createRecent } from '../../recent.ts';
import type { ReadText } from '../last-lines.ts';
import type { RevisionFacts } from '../observe.ts';
import { WORKS, type Judgement } from '../summarize.ts';
import { calledWebhooks, type CalledWebhook } from './called-webhooks.ts';
import { probe, removeTraces, tracesOf, type ProbeDeps } from './probe.ts';
import { describeSilence, judgeSilence } from './silence.ts';
import { decideStage, rehearsable, serviceBehind, type Proved, type Stage, type StageName } from './stage.ts';
import { gatherTrials } from './trials.ts';

export interface RehearsalDeps extends ProbeDeps {
  readonly now: () => Date;
  /** Whether webhooks are called to check that they answer; false if Pods are only simulated. */
  readonly probeWebhooks: boolean;
}

/** A Revision that is being rolled out, and the Subscription with its settings. */
export type Subject = Pick<RevisionFacts, 'revision' | 'subscription'>;

export interface Rehearsals {
  /** The current stage of a Revision's objects. Throws the errors of reading Pods. */
  stageOf(subject: Subject, objects: readonly KubeObject[], signal: AbortSignal): Promise<Stage>;
  /**
   * Ready if the webhooks of the stage answer, or need not be called.
   * @param read As the operator's account, for the log of a container.
   */
  prove(subject: Subject, stage: Stage, options: ProveOptions): Promise<Judgement>;
  /** All objects that a proof in this stage may leave in the cluster. */
  tracesOf(subject: Subject, stage: Stage): readonly KubeObject[];
  /** The objects of proofs that were deleted since. */
  removed(revision: Revision): readonly ObjectRef[];
  /** Notes that everything is proved and no further check is needed. */
  complete(revision: Revision): void;
  isComplete(revision: Revision): boolean;
  /** Seconds until the next stage may begin: at once, unless the same stage ended before. */
  pause(revision: Revision, stage: Stage): number;
  forget(revision: Revision): void;
}

export interface ProveOptions {
  readonly read: ReadText;
  readonly signal: AbortSignal;
}

interface Progress {
  readonly proved: Proved;
  readonly silentSince?: Date | undefined;
  readonly letInSince?: Date | undefined;
  readonly removed: readonly ObjectRef[];
  /** The stage that ended last. */
  readonly ended?: StageName;
}

/** Time until every node routes to a Pod that was let in: by default kube-proxy writes its rules once a second. */
const LET_IN_SECONDS = 2;

/** The proof that the end of a stage gives. */
const PROVED: Readonly<Record<StageName, Proved>> = {
  rehearsal: 'pods',
  letIn: 'in',
  handOver: 'services',
  return: 'all',
  whole: 'services',
};

const BEGINNING: Progress = { proved: 'nothing', removed: [] };
const [AT_ONCE_SECONDS, AGAIN_SECONDS] = [0.05, 1];

export function createRehearsals(deps: RehearsalDeps): Rehearsals {
  const { managed, now } = deps;
  const progress = createRecent<Progress>();
  const of = (revision: Revision): Progress => progress.get(keyOf(revision)) ?? BEGINNING;
  const note = (revision: Revision, facts: Partial<Progress>): void =>
    progress.set(keyOf(revision), { ...of(revision), ...facts });
  const asks = ({ revision, subscription }: Subject): boolean =>
    deps.probeWebhooks && subscription?.spec.webhookSafety !== 'None' && !hasWorked(revision);
  const isProbed = (subject: Subject, { webhooks }: Stage): boolean =>
    asks(subject) && webhooks.length > 0 && !DONE.has(of(subject.revision).proved);

  /** Ready once the nodes have had time to route to the new Pods. */
  function letIn(revision: Revision): Judgement {
    const { letInSince = now() } = of(revision);
    note(revision, { letInSince });
    const left = LET_IN_SECONDS - (now().getTime() - letInSince.getTime()) / 1000;
    if (left <= 0) return WORKS;
    const message = 'The new Pods are called in place of those before';
    return { state: 'Working', reason: 'Progressing', message, askAgainSeconds: left };
  }

  async function ask(revision: Revision, stage: Stage, { read, signal }: ProveOptions): Promise<Judgement> {
    const silence = await probe(deps, revision, { stage, signal });
    const { silentSince = now(), removed } = of(revision);
    note(revision, { silentSince: silence === undefined ? undefined : silentSince });
    const isHarm = stage.name !== 'rehearsal' && revision.spec.previous !== undefined;
    const judgement = silence === undefined ? WORKS : judgeSilence(silence, { since: silentSince, now: now(), isHarm });
    if (judgement.state !== 'Ready') return describeSilence(judgement, silence, { read, signal });
    note(revision, { removed: [...removed, ...(await removeTraces(deps, revision, { stage, signal }))] });
    return judgement;
  }

  return {
    async stageOf(subject, objects, signal) {
      const { revision } = subject;
      const facts = {
        revision: revision.metadata.name,
        hasWorked: hasWorked(revision),
        objects,
        webhooks: answeredWebhooks(objects),
        live: (ref: ObjectRef) => managed.get(ref),
      };
      const candidates = asks(subject) ? rehearsable(facts) : [];
      return decideStage({
        ...facts,
        proved: of(revision).proved,
        trials: await gatherTrials(deps, candidates, signal),
      });
    },
    tracesOf: (subject, stage) => (isProbed(subject, stage) ? tracesOf(subject.revision, stage) : []),
    removed: (revision) => of(revision).removed,
    async prove(subject, stage, options) {
      if (!isProbed(subject, stage)) return WORKS;
      const { revision } = subject;
      const judgement = stage.name === 'letIn' ? letIn(revision) : await ask(revision, stage, options);
      if (judgement.state === 'Ready') note(revision, { proved: PROVED[stage.name], silentSince: undefined });
      return judgement;
    },
    complete: (revision) => note(revision, { proved: 'all' }),
    isComplete: (revision) => of(revision).proved === 'all',
    pause(revision, { name }) {
      const { ended } = of(revision);
      note(revision, { ended: name });
      return ended === name ? AGAIN_SECONDS : AT_ONCE_SECONDS;
    },
    forget: (revision) => progress.delete(keyOf(revision)),
  };
}

/** After these proofs no webhook is called any more. */
const DONE: ReadonlySet<Proved> = new Set(['services', 'all']);

function keyOf({ metadata }: Revision): string {
  return metadata.uid ?? '';
}

/** The webhooks that can answer: not those of a Deployment with zero replicas. */
function answeredWebhooks(objects: readonly KubeObject[]): readonly CalledWebhook[] {
  const empty = new Set(objects.filter((object) => fieldsOf(object['spec'])['replicas'] === 0).map(serviceBehind));
  return calledWebhooks(objects).filter(({ service: { namespace, name } }) => !empty.has(`${namespace}/${name}`));
}
