/** Gathers the state of a hand-over from OLM v1. Sends requests, decides nothing. */
import type { Cluster } from '../../api/cluster.ts';
import { findCondition } from '../../api/conditions.ts';
import { refOf, type KubeObject, type ObjectRef } from '../../api/object.ts';
import type { Subscription } from '../../api/subscription.ts';
import { fieldsOf, textOf } from '../../api/untyped.ts';
import { identityOf } from '../../apply/identity.ts';
import { nameOnly } from '../../apply/listed-parts.ts';
import { isAtPin } from '../at-pin.ts';
import { pinOf, successorOf } from '../successor.ts';
import { backupRef, readBackup, type Backup, type BackupName } from './backup.ts';
import { collectInventory } from './inventory.ts';
import { EXTENSION, extensionRef, OWNER_LABEL, RELEASE_TYPE, releaseSelector, SYSTEM_NAMESPACES } from './kinds.ts';
import { isMarked, isOwnedBy } from './marks.ts';
import { isOffer } from './offer.ts';
import { isOlmOut, type HandOverState } from './steps.ts';
import { catalogFilter, installedBundle, isSettled } from './extension.ts';
import { judgeAlone, judgeExtension, type ExtensionSurvey, type KnownExtension } from './verdict.ts';
import { hasWayBack } from './way-back.ts';

export interface Gathered {
  readonly backup: Backup | undefined;
  /** Whether a way back has begun: the Secret of the backup has its list, or OLM is offered the operator. */
  readonly isOnWayBack: boolean;
  readonly survey: ExtensionSurvey;
  readonly state: HandOverState;
}

type Reads = Pick<Cluster, 'get' | 'list'>;

export interface GatherOptions {
  /** The namespace of a Subscription with `spec.adopt`; absent: any. A ClusterExtension that installs elsewhere is not its. */
  readonly namespace?: string;
  readonly signal: AbortSignal;
}

/**
 * The state of one hand-over. Objects are listed, by some thirty requests, only for a step that needs them. Throws the errors of
 * the client, and InputInvalid for a backup that cannot be read.
 */
export async function gather(cluster: Reads, name: BackupName, options: GatherOptions): Promise<Gathered> {
  const { signal } = options;
  const secret = await cluster.get(backupRef(name), signal);
  const extension = await cluster.get(extensionRef(name.extension), signal);
  const backup = secret && readBackup(secret, name);
  const isOnWayBack = isOffer(extension) || (secret !== undefined && hasWayBack(secret));
  const known: KnownExtension = { name: name.extension, extension };
  const survey = needsObjects(known, backup, options) ? await withObjects(cluster, known, signal) : without(known);
  if (backup === undefined) {
    const isOlmBusy = judgeExtension(survey).kind === 'wait';
    return { backup, isOnWayBack, survey, state: { ...NOTHING, isOlmBusy, extension } };
  }
  return { backup, isOnWayBack, survey, state: await stateOf(cluster, { backup, survey }, signal) };
}

function needsObjects(known: KnownExtension, backup: Backup | undefined, { namespace }: GatherOptions): boolean {
  const { extension } = known;
  const home = textOf(fieldsOf(extension?.['spec'])['namespace']);
  if (extension === undefined || (namespace !== undefined && home !== namespace)) return false;
  return backup === undefined ? judgeAlone(known) === undefined : !backup.isEnded && isOlmOut(extension);
}

/** By one of these OLM installs with its alpha feature; the second is the older name. */
const OBJECT_SETS = ['ClusterObjectSet', 'ClusterExtensionRevision'];

/** The facts about one ClusterExtension; its objects are listed only if they decide. Throws the errors of the client. */
export async function surveyExtension(cluster: Reads, name: string, signal: AbortSignal): Promise<ExtensionSurvey> {
  const extension = await cluster.get(extensionRef(name), signal);
  const known = { name, extension };
  return judgeAlone(known) === undefined ? withObjects(cluster, known, signal) : without(known);
}

async function withObjects(cluster: Reads, known: KnownExtension, signal: AbortSignal): Promise<ExtensionSurvey> {
  const { name, extension } = known;
  if (extension === undefined) return without(known);
  const options = { labelSelector: `${OWNER_LABEL.name}=${name}`, metadataOnly: true, keep: nameOnly };
  const isOwn = (object: KubeObject): boolean => isOwnedBy(object, extension);
  const [labelled, ...objectSets] = await Promise.all([
    collectInventory(cluster, name, signal, isOwn),
    ...OBJECT_SETS.map((kind) => cluster.list({ ...EXTENSION, kind }, options, signal)),
  ]);
  return { name, extension, objects: labelled.filter(isOwn), objectSets: objectSets.flat() };
}

function without(known: KnownExtension): ExtensionSurvey {
  return { ...known, objects: [], objectSets: [] };
}

const NOTHING: HandOverState = {
  hasBackup: false,
  isEnded: false,
  isOlmBusy: false,
  extension: undefined,
  isHeldByVersion: false,
  isSettled: false,
  hasGoneOn: false,
  marked: [],
  subscription: undefined,
  isReady: false,
  leftovers: [],
  isPinned: false,
};

async function stateOf(
  cluster: Reads,
  { backup, survey }: { readonly backup: Backup; readonly survey: ExtensionSurvey },
  signal: AbortSignal,
): Promise<HandOverState> {
  const { extension } = survey;
  const pin = pinOf(backup);
  // Each object costs a request, and no mark is taken off before.
  const isDue = (!backup.isEnded || extension !== undefined) && isOlmOut(extension);
  const [live, marked, leftovers] = await Promise.all([
    cluster.get(refOf(backup.wanted), signal),
    isDue ? markedObjects(cluster, { backup, survey }, signal) : [],
    isDue ? releasesOf(cluster, backup.extension, signal) : [],
  ]);
  const { subscription, isPinned } = successorOf(live, { from: 'OLMv1', name: backup.extension }, pin);
  return {
    hasBackup: true,
    isEnded: backup.isEnded,
    isOlmBusy: false,
    extension,
    isHeldByVersion: textOf(catalogFilter(extension)['version']) === pin,
    isSettled: isSettled(extension),
    hasGoneOn: !['', pin].includes(installedBundle(extension).version),
    marked,
    subscription,
    isReady: isReadyWith(subscription as Subscription | undefined, backup),
    leftovers,
    isPinned,
  };
}

/**
 * Of the objects that OLM owned at the beginning, and of those that it owns now, those with a mark. The label alone is no
 * proof: each tenant can write it, and operators copy it to objects of their own.
 */
async function markedObjects(
  cluster: Pick<Cluster, 'get'>,
  { backup, survey }: { readonly backup: Backup; readonly survey: ExtensionSurvey },
  signal: AbortSignal,
): Promise<readonly ObjectRef[]> {
  const live = await Promise.all(backup.objects.map((ref) => cluster.get(ref, signal)));
  const isOwn = (object: KubeObject | undefined): object is KubeObject =>
    object !== undefined && isMarked(object, backup.extension);
  const refs = [...survey.objects.map(refOf), ...live.filter(isOwn).map(refOf)];
  return [...new Map(refs.map((ref) => [identityOf(ref), ref])).values()];
}

/** The Secrets of the releases of Helm of a ClusterExtension that are not being deleted. Throws the errors of the client. */
export async function releasesOf(
  cluster: Pick<Cluster, 'list'>,
  extension: string,
  signal: AbortSignal,
): Promise<readonly ObjectRef[]> {
  const options = {
    labelSelector: releaseSelector(extension),
    fieldSelector: `type=${RELEASE_TYPE}`,
    metadataOnly: true,
    keep: nameOnly,
  };
  const listed = (namespace: string): Promise<readonly KubeObject[]> =>
    cluster.list({ apiVersion: 'v1', kind: 'Secret' }, { ...options, namespace }, signal);
  const found = (await Promise.all(SYSTEM_NAMESPACES.map(listed))).flat();
  return found.filter(({ metadata }) => metadata.deletionTimestamp === undefined).map(refOf);
}

function isReadyWith(subscription: Subscription | undefined, backup: Backup): boolean {
  const { observedGeneration, installed, conditions } = subscription?.status ?? {};
  return (
    findCondition(conditions, 'Ready')?.status === 'True' &&
    observedGeneration === subscription?.metadata.generation &&
    (installed?.bundle === installedBundle(backup.olm).name || isAtPin(installed?.version, pinOf(backup)))
  );
}
