/** Gathers the state of a hand-over from OLM v1. Sends requests, decides nothing. */
import type { Cluster } from '../../api/cluster.ts';
import { findCondition } from '../../api/conditions.ts';
import { refOf, type KubeObject, type ObjectRef } from '../../api/object.ts';
import type { Subscription } from '../../api/subscription.ts';
import { fieldsOf, textOf } from '../../api/untyped.ts';
import { backupRef, readBackup, type Backup, type BackupName } from './backup.ts';
import { collectInventory } from './inventory.ts';
import { EXTENSION, extensionRef, OWNER_LABEL, RELEASE_TYPE, releaseSelector } from './kinds.ts';
import { isMarked } from './marks.ts';
import type { HandOverState } from './steps.ts';
import { catalogFilter, installedBundle, isSettled, judgeExtension, type ExtensionSurvey } from './verdict.ts';

export interface Gathered {
  readonly backup: Backup | undefined;
  readonly survey: ExtensionSurvey;
  readonly state: HandOverState;
}

type Reads = Pick<Cluster, 'get' | 'list'>;

/** The state of one hand-over. Throws the errors of the client, and InputInvalid for a backup that cannot be read. */
export async function gather(cluster: Reads, name: BackupName, signal: AbortSignal): Promise<Gathered> {
  const secret = await cluster.get(backupRef(name), signal);
  const survey = await surveyExtension(cluster, name.extension, signal);
  if (secret === undefined) {
    const isOlmBusy = judgeExtension(survey).kind === 'wait';
    return { backup: undefined, survey, state: { ...NOTHING, isOlmBusy, extension: survey.extension } };
  }
  const backup = readBackup(secret, name);
  return { backup, survey, state: await stateOf(cluster, { backup, survey }, signal) };
}

/** The facts about one ClusterExtension. Throws the errors of the client. */
export async function surveyExtension(cluster: Reads, name: string, signal: AbortSignal): Promise<ExtensionSurvey> {
  const [extension, objects, objectSets] = await Promise.all([
    cluster.get(extensionRef(name), signal),
    collectInventory(cluster, name, signal),
    cluster.list(
      { ...EXTENSION, kind: 'ClusterObjectSet' },
      { labelSelector: `${OWNER_LABEL.name}=${name}`, metadataOnly: true },
      signal,
    ),
  ]);
  return { name, extension, objects, objectSets };
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
  const [subscription, marked, leftovers] = await Promise.all([
    cluster.get(refOf(backup.wanted), signal),
    markedObjects(cluster, { backup, survey }, signal),
    releasesOf(cluster, backup.extension, signal),
  ]);
  return {
    hasBackup: true,
    isEnded: backup.isEnded,
    isOlmBusy: false,
    extension,
    isHeldByVersion: textOf(catalogFilter(extension)['version']) === pin,
    isSettled: isSettled(extension),
    hasGoneOn: extension !== undefined && installedBundle(extension).version !== pin,
    marked,
    subscription,
    isReady: isReadyWith(subscription as Subscription | undefined, pin),
    leftovers,
    isPinned: textOf(fieldsOf(subscription?.['spec'])['version']) === pin,
  };
}

/** The objects that carry its label, and those of the backup that are marked otherwise. */
async function markedObjects(
  cluster: Pick<Cluster, 'get'>,
  { backup, survey }: { readonly backup: Backup; readonly survey: ExtensionSurvey },
  signal: AbortSignal,
): Promise<readonly ObjectRef[]> {
  if (survey.objects.length > 0) return survey.objects.map(refOf);
  const live = await Promise.all(backup.objects.map((ref) => cluster.get(ref, signal)));
  const isOwn = (object: KubeObject | undefined): object is KubeObject =>
    object !== undefined && isMarked(object, backup.extension);
  return live.filter(isOwn).map(refOf);
}

async function releasesOf(
  cluster: Pick<Cluster, 'list'>,
  extension: string,
  signal: AbortSignal,
): Promise<readonly ObjectRef[]> {
  const options = {
    labelSelector: releaseSelector(extension),
    fieldSelector: `type=${RELEASE_TYPE}`,
    metadataOnly: true,
  };
  return (await cluster.list({ apiVersion: 'v1', kind: 'Secret' }, options, signal)).map(refOf);
}

/** The version to which Slipway's Subscription is pinned during the hand-over. */
export function pinOf({ wanted }: Backup): string {
  return textOf(fieldsOf(wanted['spec'])['version']);
}

function isReadyWith(subscription: Subscription | undefined, version: string): boolean {
  const { observedGeneration, installed, conditions } = subscription?.status ?? {};
  return (
    findCondition(conditions, 'Ready')?.status === 'True' &&
    observedGeneration === subscription?.metadata.generation &&
    installed?.version === version
  );
}
