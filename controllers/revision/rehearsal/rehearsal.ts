/**
 * The checks of the webhooks of a Revision that is being rolled out, and the stage that follows from them. An upgrade is
 * rehearsed: its new Pods answer the API server before they replace the working ones. The progress is in the memory of
 * the Revision; after a restart the checks are repeated. The step `stage` asks for the stage, the step `prove` for the
 * proof.
 */
import { fieldsOf } from '../../../api/untyped.ts';
import type { KubeObject, ObjectRef } from '../../../api/object.ts';
import { hasWorked } from '../../../api/revision.ts';
import { NO_FAULT, type Judgement } from '../judgement.ts';
import type { ReadText } from '../last-lines.ts';
import type { Proof, RevisionMemory } from '../memory.ts';
import type { RevisionFacts } from '../observe.ts';
import { calledWebhooks, type CalledWebhook } from './called-webhooks.ts';
import { probe, removeTraces, tracesOf, type ProbeDeps } from './probe.ts';
import { describeSilence, judgeSilence } from './silence.ts';
import { decideStage, rehearsable, serviceBehind, type Proved, type Stage, type StageName } from './decide-stage.ts';
import { gatherTrials } from './trials.ts';

export interface RehearsalDeps extends ProbeDeps {
  readonly now: () => Date;
  /** Whether webhooks are called to check that they answer; false if Pods are only simulated. */
  readonly probeWebhooks: boolean;
}

export interface ProveOptions {
  /** As the operator's account, for the log of a container. */
  readonly read: ReadText;
  readonly signal: AbortSignal;
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

/** After these proofs no webhook is called any more. */
const FINAL_PROOFS: ReadonlySet<Proved> = new Set(['services', 'all']);

const [AT_ONCE_SECONDS, AGAIN_SECONDS] = [0.05, 1];

/** The rehearsal of one Revision, in one attempt of its roll-out. */
export class Rehearsal {
  readonly #deps: RehearsalDeps;
  readonly #facts: Pick<RevisionFacts, 'revision' | 'subscription'>;
  readonly #memory: Pick<RevisionMemory, 'proof'>;

  constructor(
    deps: RehearsalDeps,
    facts: Pick<RevisionFacts, 'revision' | 'subscription'>,
    memory: Pick<RevisionMemory, 'proof'>,
  ) {
    this.#deps = deps;
    this.#facts = facts;
    this.#memory = memory;
  }

  /** The current stage of the objects. Throws the errors of reading Pods. */
  async stageOf(objects: readonly KubeObject[], signal: AbortSignal): Promise<Stage> {
    const { revision } = this.#facts;
    const facts = {
      revision: revision.metadata.name,
      hasWorked: hasWorked(revision),
      objects,
      webhooks: answeredWebhooks(objects),
      live: (ref: ObjectRef) => this.#deps.managed.get(ref),
    };
    const candidates = this.#asks() ? rehearsable(facts) : [];
    const trials = await gatherTrials(this.#deps, candidates, signal);
    return decideStage({ ...facts, proved: this.#memory.proof.proved, trials });
  }

  /** All objects that a proof in this stage may leave in the cluster. */
  tracesOf(stage: Stage): readonly KubeObject[] {
    return this.#isProbed(stage) ? tracesOf(this.#facts.revision, stage) : [];
  }

  /** The objects of proofs that were deleted since. */
  get removed(): readonly ObjectRef[] {
    return this.#memory.proof.removed;
  }

  /** Ready if the webhooks of the stage answer, or need not be called. */
  async prove(stage: Stage, options: ProveOptions): Promise<Judgement> {
    if (!this.#isProbed(stage)) return NO_FAULT;
    const judgement = stage.name === 'letIn' ? this.#letIn() : await this.#probe(stage, options);
    if (judgement.state === 'Ready') this.#note({ proved: PROVED[stage.name], silentSince: undefined });
    return judgement;
  }

  /** Notes that everything is proved and no further check is needed. */
  complete(): void {
    this.#note({ proved: 'all' });
  }

  get isComplete(): boolean {
    return this.#memory.proof.proved === 'all';
  }

  /** Notes the end of a stage; returns the seconds until the next one: at once, unless the same stage ended before. */
  end({ name }: Stage): number {
    const { ended } = this.#memory.proof;
    this.#note({ ended: name });
    return ended === name ? AGAIN_SECONDS : AT_ONCE_SECONDS;
  }

  #note(found: Partial<Proof>): void {
    this.#memory.proof = { ...this.#memory.proof, ...found };
  }

  #asks(): boolean {
    const { revision, subscription } = this.#facts;
    return this.#deps.probeWebhooks && subscription?.spec.webhookSafety !== 'None' && !hasWorked(revision);
  }

  #isProbed({ webhooks }: Stage): boolean {
    return this.#asks() && webhooks.length > 0 && !FINAL_PROOFS.has(this.#memory.proof.proved);
  }

  /** Ready once the nodes have had time to route to the new Pods. */
  #letIn(): Judgement {
    const now = this.#deps.now();
    const { letInSince: known = now } = this.#memory.proof;
    // The clock may have been set back since.
    const letInSince = known > now ? now : known;
    this.#note({ letInSince });
    const left = LET_IN_SECONDS - (now.getTime() - letInSince.getTime()) / 1000;
    if (left <= 0) return NO_FAULT;
    const message = 'The new Pods are called in place of those before';
    return { state: 'Working', reason: 'Progressing', message, askAgainSeconds: left };
  }

  async #probe(stage: Stage, { read, signal }: ProveOptions): Promise<Judgement> {
    const { revision } = this.#facts;
    const silence = await probe(this.#deps, revision, { stage, signal });
    const now = this.#deps.now();
    const { silentSince = now, removed } = this.#memory.proof;
    this.#note({ silentSince: silence === undefined ? undefined : silentSince });
    const isHarm = stage.name !== 'rehearsal' && revision.spec.previous !== undefined;
    const judgement = silence === undefined ? NO_FAULT : judgeSilence(silence, { since: silentSince, now, isHarm });
    if (judgement.state !== 'Ready') return describeSilence(judgement, silence, { read, signal });
    this.#note({ removed: [...removed, ...(await removeTraces(this.#deps, revision, { stage, signal }))] });
    return judgement;
  }
}

/** The webhooks that can answer: not those of a Deployment with zero replicas. */
function answeredWebhooks(objects: readonly KubeObject[]): readonly CalledWebhook[] {
  const empty = new Set(objects.filter((object) => fieldsOf(object['spec'])['replicas'] === 0).map(serviceBehind));
  return calledWebhooks(objects).filter(({ service: { namespace, name } }) => !empty.has(`${namespace}/${name}`));
}
