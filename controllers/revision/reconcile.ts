/**
 * Reconciles a Revision: what it says is brought into the cluster and kept there while it is Active, and removed
 * when its Subscription is deleted. It reads Subscriptions and never writes them; which Revision is Active is
 * the Subscription controller's decision.
 */
import { isReady } from '../../api/conditions.ts';
import { ReasonedError } from '../../api/errors.ts';
import type { KubeObject, ObjectRef } from '../../api/object.ts';
import { parseDuration } from '../../api/duration.ts';
import type { Revision } from '../../api/revision.ts';
import { BAKE_TIME_BOUNDS, PROGRESS_DEADLINE_BOUNDS, type Subscription } from '../../api/subscription.ts';
import { refOfEntry } from '../../apply/inventory.ts';
import type { PhaseName } from '../../apply/phases.ts';
import type { Client } from '../../kube/client.ts';
import type { Reconcile, ReconcileContext, Result } from '../../kube/controller.ts';
import { subscriptionKey } from '../by-subscription.ts';
import type { RecordEvent } from '../events.ts';
import { addFinalizer } from '../finalizer.ts';
import { writeStatus } from '../status.ts';
import type { HandedManifests } from '../handed-manifests.ts';
import { createPhaseWaits, type PhaseWaits } from './await-phase.ts';
import { certificatesDue, secondsUntilDue } from './certificates/roll-out.ts';
import { createConversions, type Account, type ConversionCheck, type Conversions } from './conversions.ts';
import { decideRevision, isSettled } from './decide.ts';
import { createDesiredObjects, type DesiredObjects } from './desired-objects.ts';
import { explainUnready, patienceOf, secondsToStart } from './explain-unready.ts';
import { createGate } from './gate.ts';
import { createGivenUp, type GivenUp } from './given-up.ts';
import type { ReadText } from './last-lines.ts';
import type { ManagedObjects } from './managed-objects.ts';
import { observeRevision, type RevisionCaches, type RevisionFacts } from './observe.ts';
import { createProgressPace, type ProgressPace } from './progress-pace.ts';
import { releaseRevision, removeRevision } from './remove.ts';
import { judgeRetry, retryDelay } from './retry.ts';
import { pruneLeftovers, rollOut, type RollOut, type RollOutDeps } from './roll-out.ts';
import {
  judgeApply,
  judgeDeadline,
  judgeHealth,
  phasesOf,
  retryOf,
  secondsOfWork,
  summarizeRevision,
  type Judgement,
  type RevisionFindings,
} from './summarize.ts';

export interface RevisionDeps {
  readonly caches: RevisionCaches;
  readonly client: Client;
  readonly managed: ManagedObjects;
  readonly record: RecordEvent;
  readonly now: () => Date;
  /** What was stored a moment ago. */
  readonly handed?: Pick<HandedManifests, 'take'>;
  /** How long a phase is waited for; as await-phase.ts says unless told. */
  readonly patience?: (phase: PhaseName) => number;
  /** Runs tasks of one Subscription one after the other: two Revisions never write at the same time. */
  readonly serialize: <T>(key: string, task: () => Promise<T>) => Promise<T>;
}

interface Deps extends RevisionDeps {
  readonly givenUp: GivenUp;
  readonly desired: DesiredObjects;
  readonly pace: ProgressPace;
  readonly conversions: Conversions;
  readonly waits: PhaseWaits;
}

/** The reconcile function of the controller. */
export function createRevisionReconciler(given: RevisionDeps): Reconcile {
  const deps: Deps = {
    ...given,
    givenUp: createGivenUp(given.managed),
    desired: createDesiredObjects(given.client, given.handed),
    pace: createProgressPace(),
    conversions: createConversions(),
    waits: createPhaseWaits(given.managed, given.patience),
  };
  return async (key, context) => {
    const cached = observeRevision(deps.caches, key);
    if (cached === undefined) return;
    // It writes nothing but that it waits; to wait in line for that would keep others from being removed meanwhile.
    if (decideRevision(cached).kind === 'waitForActive') return act(deps, cached, context);
    return deps.serialize(subscriptionKey(cached.revision), async () => {
      const facts = observeRevision(deps.caches, key);
      return facts === undefined ? undefined : act(deps, facts, context);
    });
  };
}

async function act(deps: Deps, facts: RevisionFacts, context: ReconcileContext): Promise<Result> {
  const plan = decideRevision(facts);
  switch (plan.kind) {
    case 'nothing':
      return undefined;
    case 'release':
      await releaseRevision(deps.client, facts.revision);
      return undefined;
    case 'waitForActive':
      return rest(deps, facts, { reason: 'Uninstalling', message: `Revision ${plan.name} is removed first` });
    case 'archived':
      return archive(deps, facts, plan.handedOver);
    case 'awaitApproval':
      return rest(deps, facts, { reason: 'ApprovalRequired', message: 'Waits for spec.approved to be set to true' });
    case 'suspended':
      return rest(deps, facts, { reason: 'Suspended', message: 'The Subscription is suspended' });
    case 'remove':
      deps.givenUp.forget(facts);
      deps.desired.forget(facts.revision);
      deps.pace.forget(facts.revision);
      return remove(deps, facts, context);
    case 'rollOut':
      return carryOut(deps, facts, context);
  }
}

async function rest(
  deps: RevisionDeps,
  { revision }: RevisionFacts,
  what: Pick<Judgement, 'reason' | 'message'>,
): Promise<void> {
  await write(deps, revision, { judgement: { state: 'Resting', ...what } });
}

async function archive(deps: RevisionDeps, { revision }: RevisionFacts, handedOver: boolean): Promise<void> {
  // It is made so, to be activated at once: there is no history yet.
  if (revision.status?.conditions === undefined && revision.spec.approved) return;
  const judgement: Judgement = revision.spec.approved
    ? { state: 'Resting', reason: 'Archived', message: 'Kept as history' }
    : { state: 'Resting', reason: 'ApprovalRequired', message: 'Waits for spec.approved to be set to true' };
  await write(deps, revision, { judgement, ...(handedOver && { inventory: [] }) });
}

async function remove(deps: RevisionDeps, facts: RevisionFacts, { signal }: ReconcileContext): Promise<Result> {
  const gone = await removeRevision({ ...deps, cluster: deps.client }, facts, signal);
  return gone ? undefined : { requeueAfterSeconds: 1 };
}

async function carryOut(deps: Deps, facts: RevisionFacts, { signal }: ReconcileContext): Promise<Result> {
  const rest = deps.givenUp.restOf(facts, deps.now());
  if (rest !== undefined) return rest;
  const noteRefusal = deps.givenUp.begin(facts);
  const revision = await addFinalizer(deps.client, facts.revision);
  const subscription = facts.subscription as Subscription;
  const actor: Actor = {
    ...deps,
    ...actors(deps, facts),
    listPage: listPageOf(deps),
    gateOf: (objects) => createGate({ ...deps, revision, objects, check: checkOf(deps, signal) }),
  };
  const outcome = await attempt(() => rollOut(actor, { ...facts, revision }, signal));
  const { onFailure } = subscription.spec;
  const deadlineSeconds = parseDuration(onFailure.progressDeadline, PROGRESS_DEADLINE_BOUNDS);
  const failing = { onFailure, deadlineSeconds, noteRefusal };
  if (outcome instanceof ReasonedError) return giveUp(deps, revision, { error: outcome, ...failing });
  const findings = await finish(actor, { ...facts, revision: outcome.revision }, { outcome, signal });
  const observed = (ref: ObjectRef): KubeObject | undefined => deps.managed.get(ref);
  const startSeconds = secondsToStart(outcome, { observed, deadlineSeconds, now: deps.now() });
  const workedSeconds = secondsOfWork(revision, deps.now()) ?? 0;
  const explaining = { outcome, workedSeconds, deadlineSeconds, read: actor.read, signal };
  const explained =
    startSeconds > 0 ? findings.judgement : await explainUnready(actor.acting, findings.judgement, explaining);
  const patient = judgeRetry(explained, onFailure);
  const judgement = judgeDeadline(patient, revision, { deadlineSeconds, now: deps.now() });
  const status = summarizeRevision(outcome.revision, { ...findings, judgement }, deps.now());
  const paceSeconds = deps.pace.secondsLeft(outcome.revision, status, deps.now());
  const then = { subscription, outcome, pauses: [startSeconds, paceSeconds] };
  if (paceSeconds > 0) return next(deps, { written: outcome.revision, ...then });
  const written = await writeStatus(deps.client, outcome.revision, status);
  deps.pace.wrote(written, deps.now());
  if (explained.state === 'Failed') return restAfter(deps, written, failing);
  if (isSettled(written)) deps.desired.forget(written);
  if (judgement.askAgainSeconds !== undefined) return { requeueAfterSeconds: judgement.askAgainSeconds };
  return next(deps, { written, ...then });
}

/** As the manager: whoever may change a CRD need not be able to read its objects. */
function listPageOf({ client }: RevisionDeps): RollOutDeps['listPage'] {
  return (kind, options, signal) => client.listPage(kind, options, signal);
}

/** The clients: as the manager, and as the account that the Subscription names. */
function actors({ client }: RevisionDeps, { revision }: RevisionFacts): Actors {
  const { serviceAccountName } = revision.spec;
  const { namespace = '' } = revision.metadata;
  const acting = serviceAccountName === undefined ? client : client.as(serviceAccount(namespace, serviceAccountName));
  return { cluster: client, acting, read: async (path, signal) => acting.raw(path, signal) };
}

type Actor = Deps & RollOutDeps & Actors;

type Actors = Pick<RollOutDeps, 'cluster' | 'acting'> & { readonly read: ReadText };

function serviceAccount(
  namespace: string,
  name: string,
): { readonly user: string; readonly groups: readonly string[] } {
  const groups = ['system:serviceaccounts', `system:serviceaccounts:${namespace}`, 'system:authenticated'];
  return { user: `system:serviceaccount:${namespace}:${name}`, groups };
}

/** Errors with a reason are outcomes; a Conflict is none, since fresh facts are on their way. */
async function attempt<T>(task: () => Promise<T>): Promise<T | ReasonedError> {
  try {
    return await task();
  } catch (error) {
    if (error instanceof ReasonedError && error.reason !== 'Conflict' && error.reason !== 'LeaderLost') return error;
    throw error;
  }
}

interface Failing {
  readonly onFailure: Subscription['spec']['onFailure'];
  readonly deadlineSeconds: number;
  /** Of given-up.ts. */
  readonly noteRefusal: (until?: Date) => void;
}

async function giveUp(
  deps: RevisionDeps,
  revision: Revision,
  { error, ...failing }: Failing & { readonly error: ReasonedError },
): Promise<Result> {
  const { reason, retry } = error;
  const isFinal = retry === 'never';
  const judgement: Judgement = { state: isFinal ? 'Failed' : 'Working', reason, message: error.describe() };
  const patient = judgeRetry(judgement, failing.onFailure);
  const { deadlineSeconds } = failing;
  const judged = isFinal ? judgeDeadline(patient, revision, { deadlineSeconds, now: deps.now() }) : patient;
  const written = await write(deps, revision, { judgement: judged });
  if (isFinal && judged.state === 'Working') return restAfter(deps, written, failing);
  if (isFinal) failing.noteRefusal();
  throw error;
}

/** What was refused rests: until the next attempt where it is to be retried, else until something changes. */
function restAfter({ now }: RevisionDeps, written: Revision, { deadlineSeconds, noteRefusal }: Failing): Result {
  const worked = secondsOfWork(written, now());
  if (worked === undefined) return noteRefusal();
  const seconds = retryDelay(worked, deadlineSeconds);
  noteRefusal(new Date(now().getTime() + seconds * 1000));
  return { requeueAfterSeconds: seconds };
}

/** Judges a roll-out, and prunes once it is healthy for long enough. */
async function finish(
  deps: Actor,
  facts: RevisionFacts,
  { outcome, signal }: { readonly outcome: RollOut; readonly signal: AbortSignal },
): Promise<RevisionFindings> {
  if (outcome.kind === 'intact') {
    const judgement = judgeHealth(outcome.unready, facts.revision.status?.inventory?.length ?? 0);
    return { judgement: await confirm(deps, facts, { judgement, signal }) };
  }
  const { result, leftovers } = outcome;
  const inPlace = { ...facts.revision.status, inventory: result.inventory };
  const applied = { ...facts, revision: { ...facts.revision, status: inPlace } };
  const judgement = await judgeOutcome(deps, applied, { outcome, signal });
  const found = { judgement, inventory: result.inventory, phases: phasesOf(result) };
  if (judgement.state !== 'Ready' || leftovers.length === 0) return found;
  const left = bakeSecondsLeft(deps, facts);
  if (left > 0)
    return {
      ...found,
      judgement: { ...judgement, unfinished: 'What only earlier revisions had is removed after the bake time' },
    };
  const { remaining } = await pruneLeftovers(deps, facts, { leftovers, signal });
  const inventory = result.inventory.filter((entry) => !leftovers.includes(entry) || remaining.includes(entry));
  return { ...found, inventory };
}

/** Asks whether what is in place answers, unless that was asked on the way. */
async function judgeOutcome(
  deps: Actor,
  applied: RevisionFacts,
  { outcome, signal }: { readonly outcome: Extract<RollOut, { kind: 'applied' }>; readonly signal: AbortSignal },
): Promise<Judgement> {
  const { answer, result } = outcome;
  const judgement = judgeApply(result);
  if (answer === undefined) return confirm(deps, applied, { judgement, signal });
  return answer.state === 'Ready' || result.failures.length > 0 ? judgement : answer;
}

/** Whether what is in place answers too. */
function confirm(
  deps: Actor,
  { revision }: RevisionFacts,
  { judgement, signal }: { readonly judgement: Judgement; readonly signal: AbortSignal },
): Promise<Judgement> {
  const { conversions, managed } = deps;
  const crds = (revision.status?.inventory ?? []).flatMap((entry) =>
    entry.kind === 'CustomResourceDefinition' ? (managed.get(refOfEntry(entry)) ?? []) : [],
  );
  return conversions.confirm(revision, judgement, { ...checkOf(deps, signal), crds });
}

function checkOf(deps: Deps, signal: AbortSignal): Omit<ConversionCheck, 'crds'> {
  const { client, now } = deps;
  const as = ({ namespace, name }: Account): Client => client.as(serviceAccount(namespace, name));
  return { cluster: client, listPage: listPageOf(deps), as, now: now(), signal };
}

/** Seconds until what only earlier Revisions had may go. */
function bakeSecondsLeft({ now }: RevisionDeps, { revision, subscription }: RevisionFacts): number {
  const bake = parseDuration(subscription?.spec.onFailure.bakeTime ?? '0s', BAKE_TIME_BOUNDS);
  const ready = revision.status?.conditions?.find(({ type, status }) => type === 'Ready' && status === 'True');
  const since = ready === undefined ? now().getTime() : Date.parse(ready.lastTransitionTime);
  return bake - (now().getTime() - since) / 1000;
}

async function write(deps: RevisionDeps, revision: Revision, findings: RevisionFindings): Promise<Revision> {
  return writeStatus(deps.client, revision, summarizeRevision(revision, findings, deps.now()));
}

interface Written {
  readonly written: Revision;
  readonly subscription: Subscription;
  readonly outcome: RollOut;
  /** Seconds that something waits for, if not 0. */
  readonly pauses: readonly number[];
}

/** When to look again, besides when a watch says so. */
function next(deps: RevisionDeps, { written, subscription, outcome, pauses }: Written): Result {
  const retry = outcome.kind === 'applied' ? retryOf(outcome.result) : undefined;
  const [failure] = outcome.kind === 'applied' ? outcome.result.failures : [];
  if (failure !== undefined && retry !== undefined) throw new ReasonedError({ ...failure, retry });
  if (
    outcome.kind === 'applied' &&
    outcome.leftovers.length > 0 &&
    isReady({ ...written, status: written.status ?? {} })
  ) {
    return {
      requeueAfterSeconds: Math.max(0.1, bakeSecondsLeft(deps, { revision: written, subscription, siblings: [] })),
    };
  }
  const worked = secondsOfWork(written, deps.now());
  if (worked === undefined) return whenDue(deps, written);
  const deadline = parseDuration(subscription.spec.onFailure.progressDeadline, PROGRESS_DEADLINE_BOUNDS);
  const patience = worked < patienceOf(deadline) ? patienceOf(deadline) - worked : 30;
  const soonest = Math.min(patience, deadline - worked, ...pauses.filter((seconds) => seconds > 0));
  return { requeueAfterSeconds: Math.max(1, soonest) };
}

/** Certificates run out without any change that a watch could tell. */
function whenDue({ managed, now }: RevisionDeps, { status }: Revision): Result {
  const seconds = secondsUntilDue(certificatesDue(status?.inventory ?? [], managed), now());
  return seconds === undefined ? undefined : { requeueAfterSeconds: seconds };
}
