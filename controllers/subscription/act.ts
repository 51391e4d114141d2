/** Carries out the action of a plan: creates, restores or activates a Revision, and deletes those that history needs no longer. */
import { ANNOTATION } from '../../api/names.ts';
import { refOf } from '../../api/object.ts';
import type { Revision } from '../../api/revision.ts';
import { storeManifests } from '../manifest-secrets.ts';
import { asSeen } from '../preconditions.ts';
import { requireAccount } from '../service-account.ts';
import { reportUntrusted } from './bundle-signatures.ts';
import { reportSamples } from './report-samples.ts';
import { actionOfHeld, heldBeside, type Action } from './action.ts';
import type { Announcement } from './attempt.ts';
import type { ResolvedPlan } from './decide.ts';
import { readByList } from '../../apply/read-by-list.ts';
import { noteApproval } from './approved-by.ts';
import { requestDependencies } from './dependencies.ts';
import type { SubscriptionDeps } from './deps.ts';
import { checkFirstActivation } from './first-activation.ts';
import { describeForgotten, forgettable } from './forgettable.ts';
import { imageByDigest } from './images.ts';
import type { SubscriptionFacts } from './observe.ts';
import type { PreparedBundle } from './prepare-bundle.ts';
import { prepareNew, prepare } from './prepare.ts';
import { activateRevision, createRevision, isRefusal } from './revisions.ts';

export interface ActOptions {
  readonly action: Action;
  /** The Revision that works now. */
  readonly installed: Revision | undefined;
  readonly announcement: Announcement;
  /** The bundle of the Revision that is to be created, if its preparation has begun. */
  readonly prepared: Promise<PreparedBundle> | undefined;
  readonly signal: AbortSignal;
}

/**
 * Throws the errors of a registry, of a bundle, and of the API server. If the installed version cannot be given what the spec
 * requests of it, the next one waits before the error is thrown.
 */
export async function act(deps: SubscriptionDeps, facts: SubscriptionFacts, options: ActOptions): Promise<void> {
  const held = heldBeside(options.action);
  try {
    await actAlone(deps, facts, options);
  } catch (error) {
    if (held !== undefined && isRefusal(error)) {
      const announcement = { ...options.announcement, isRepeated: false };
      await actAlone(deps, facts, { ...options, action: actionOfHeld(held), announcement, prepared: undefined });
    }
    throw error;
  }
}

async function actAlone(
  deps: SubscriptionDeps,
  facts: SubscriptionFacts,
  { action, signal, ...given }: ActOptions,
): Promise<void> {
  switch (action.do) {
    case 'nothing':
      return undefined;
    case 'await':
      return requestDependencies(deps, facts.subscription, action.hold.missing);
    case 'activate':
      return activate(deps, facts, { ...given, revision: action.revision, signal });
    case 'restore':
      return restore(deps, facts, { ...action, ...given, signal });
    case 'create':
      return createOrServe(deps, facts, { ...action, ...given, signal });
  }
}

interface Activation extends Pick<ActOptions, 'installed' | 'signal'> {
  readonly revision: Revision;
}

async function activate(
  deps: SubscriptionDeps,
  facts: SubscriptionFacts,
  { revision, installed, signal }: Activation,
): Promise<void> {
  await checkFirstActivation(deps, facts, { revision, signal });
  const noted = await noteApproval(readByList(deps.cluster), { ...facts, installed }, revision);
  return activateRevision(deps.cluster, facts.revisions, noted);
}

interface Restoration extends Pick<Extract<Action, { do: 'restore' }>, 'revision' | 'target'> {
  readonly installed: Revision | undefined;
  readonly signal: AbortSignal;
}

/**
 * Stores the manifests of a Revision again. Another release of Slipway may render the same bundle differently: the
 * manifests of the Revision can then never be made again, and a new Revision takes its place.
 */
async function restore(
  deps: SubscriptionDeps,
  facts: SubscriptionFacts,
  { revision, target, installed, signal }: Restoration,
): Promise<void> {
  const { image, manifests, approved, signature, imageSignatures } = revision.spec;
  const pulled = await prepare(deps, facts, { target, image: imageByDigest(target, image), signal });
  const bundle = {
    ...pulled,
    ...(signature !== undefined && { signature }),
    ...(imageSignatures !== undefined && { imageSignatures }),
  };
  if (bundle.manifests.digest === manifests.digest) {
    await storeManifests(deps.cluster, revision, bundle.manifests.pieces);
    return requestReconcile(deps, revision);
  }
  await createRevision(deps.cluster, { ...namingOf(facts), installed, target, bundle, approved, active: false });
}

/** The parts of a new Revision that its neighbours decide. */
function namingOf({ subscription, revisions, nextNumber: number }: SubscriptionFacts) {
  return { subscription, revisions, number } as const;
}

/** No watch reports the Secrets, and the Revision may back off for minutes before it reads them again. */
async function requestReconcile({ cluster, now }: SubscriptionDeps, revision: Revision): Promise<void> {
  const annotations = { [ANNOTATION.reconcileRequestedAt]: now().toISOString() };
  const { uid } = revision.metadata;
  await cluster.patch(refOf(revision), { metadata: { uid, annotations } });
}

interface Creation
  extends
    Pick<Extract<Action, { do: 'create' }>, 'target' | 'hold' | 'instead'>,
    Pick<ActOptions, 'installed' | 'announcement' | 'prepared' | 'signal'> {}

/**
 * If a crash has left no Revision active just before the next one was created, or the active one has failed, and that one
 * cannot be made now, the one that works is made active again: its objects are repaired meanwhile.
 */
async function createOrServe(deps: SubscriptionDeps, facts: SubscriptionFacts, creation: Creation): Promise<void> {
  const { instead } = creation;
  try {
    await create(deps, facts, creation);
  } catch (error) {
    if (isRefusal(error) && instead !== undefined) await serveInstead(deps, facts, { ...creation, instead });
    throw error;
  }
}

async function serveInstead(
  { cluster }: SubscriptionDeps,
  { revisions }: SubscriptionFacts,
  { instead, announcement }: Pick<Creation, 'announcement'> & Required<Pick<Creation, 'instead'>>,
): Promise<void> {
  await announcement.written;
  await activateRevision(cluster, revisions, instead);
}

async function create(
  deps: SubscriptionDeps,
  facts: SubscriptionFacts,
  { target, hold, installed, announcement, prepared, signal }: Creation,
): Promise<void> {
  const { subscription } = facts;
  const { serviceAccountName: name } = subscription.spec;
  if (name !== undefined)
    await requireAccount(deps.cluster, { namespace: subscription.metadata.namespace ?? '', name }, signal);
  const bundle = await (prepared ?? prepareNew(deps, facts, { target, signal }));
  const free = hold === undefined;
  if (free) deps.issueAhead?.(bundle.certificates, subscription.metadata.namespace ?? '');
  await createRevision(deps.cluster, {
    ...namingOf(facts),
    installed,
    target,
    bundle,
    // One that is held back is judged when the hold is over: what permits it today may not permit it then.
    approved: free,
    active: free,
    announcement,
    // The manifests of a Revision that is held back are read when it becomes active.
    ...(free && deps.handed !== undefined && { handed: deps.handed }),
  });
  reportSamples(deps.record, subscription, { target, bundle });
  reportUntrusted(deps.record, subscription, bundle);
}

/**
 * Deletes Revisions that are no longer needed, and reports those that waited for a person. A Revision that was written
 * since it was read may be needed again.
 */
export async function forget(
  { cluster, record }: Pick<SubscriptionDeps, 'cluster' | 'record'>,
  facts: SubscriptionFacts,
  plan: Pick<ResolvedPlan, 'decision' | 'action' | 'installed'>,
): Promise<void> {
  const forgotten = forgettable(facts, plan);
  await Promise.all(
    forgotten.map(async (revision) => {
      await cluster.delete(refOf(revision), asSeen(revision));
      if (!revision.spec.approved) record(facts.subscription, describeForgotten(revision, plan));
    }),
  );
}
