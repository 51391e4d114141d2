/** Gathers the state of a hand-over from the cluster. Sends requests, decides nothing. */
import { findCondition } from '../../api/conditions.ts';
import { API_VERSION } from '../../api/names.ts';
import { refOf, type KubeObject, type ObjectRef } from '../../api/object.ts';
import type { Cluster } from '../../api/cluster.ts';
import type { Revision } from '../../api/revision.ts';
import type { Subscription } from '../../api/subscription.ts';
import { identityOf } from '../../apply/identity.ts';
import { refOfEntry } from '../../apply/inventory.ts';
import { nameOnly } from '../../apply/listed-parts.ts';
import { pinOf, successorOf } from '../successor.ts';
import { isAtPin } from '../at-pin.ts';
import { backupRef, readBackup, type Backup, type BackupName } from './backup.ts';
import { bindsOthers, collectInventory, tieFactsOf } from './inventory.ts';
import { pendingPlans, plansOf } from './install-plans.ts';
import { leftoversOf } from './leftovers.ts';
import { isMarked, tieOf } from './marks.ts';
import type { HandOverState } from './steps.ts';
import { surveyOperator, type OlmSurvey } from './survey.ts';
import { judgeOperator } from './verdict.ts';

export interface Gathered {
  readonly backup: Backup | undefined;
  readonly survey: OlmSurvey;
  readonly state: HandOverState;
}

/** The state of one hand-over. Throws the errors of the client, and InputInvalid for a backup that cannot be read. */
export async function gather(
  cluster: Pick<Cluster, 'get' | 'list'>,
  operator: BackupName,
  signal: AbortSignal,
): Promise<Gathered> {
  const { namespace, subscription: name } = operator;
  const secret = await cluster.get(backupRef(operator), signal);
  const backup = secret === undefined ? undefined : readBackup(secret, operator);
  const csv = backup?.operator.csv;
  const survey = await surveyOperator(cluster, { namespace, name, ...(csv !== undefined && { csv }) }, signal);
  if (backup === undefined) {
    const isOlmBusy = judgeOperator(survey).kind === 'wait';
    return { backup, survey, state: { ...NOTHING, isOlmBusy, olmSubscription: survey.subscription } };
  }
  return { backup, survey, state: await stateOf(cluster, { backup, survey }, signal) };
}

interface Known {
  readonly backup: Backup;
  readonly survey: OlmSurvey;
}

const NOTHING: HandOverState = {
  hasBackup: false,
  isEnded: false,
  isOlmBusy: false,
  olmSubscription: undefined,
  csv: undefined,
  marked: [],
  subscription: undefined,
  isReady: false,
  condition: { wanted: false, live: undefined },
  leftovers: [],
  pendingPlans: [],
  sharedPlans: [],
  isPinned: false,
};

async function stateOf(
  cluster: Pick<Cluster, 'get' | 'list'>,
  { backup, survey }: Known,
  signal: AbortSignal,
): Promise<HandOverState> {
  const { namespace } = survey;
  const own: ObjectRef = { apiVersion: API_VERSION, kind: 'Subscription', namespace, name: backup.adoptedBy };
  const [live, revisions] = await Promise.all([
    cluster.get(own, signal),
    cluster.list({ apiVersion: API_VERSION, kind: 'Revision' }, { namespace, keep: revisionParts }, signal),
  ]);
  const operator = { from: 'OLMv0', name: backup.operator.subscription } as const;
  const { subscription, isPinned } = successorOf(live, operator, pinOf(backup));
  const marked = await markedObjects(cluster, { backup, survey }, signal);
  const isReady = isReadyWith(subscription as Subscription | undefined, backup);
  const inventory = inventoryOf(revisions as readonly Revision[], backup.adoptedBy);
  const isLeaving = live?.metadata.deletionTimestamp !== undefined;
  const isOver = marked.length === 0 && survey.csv === undefined && (isReady || isLeaving);
  const plans = plansOf(survey, backup.operator);
  return {
    hasBackup: true,
    isEnded: backup.stage === 'HandedOver',
    isOlmBusy: false,
    olmSubscription: survey.subscription,
    csv: survey.csv,
    marked,
    subscription,
    isReady,
    condition: { wanted: backup.operatorCondition !== undefined, live: survey.operatorCondition },
    leftovers: isOver ? await leftoversOf(cluster, { backup, survey, inventory, plans: plans.own }, signal) : [],
    pendingPlans: pendingPlans({ ...survey, subscription: survey.subscription ?? backup.subscription }),
    sharedPlans: isOver ? plans.shared : [],
    isPinned,
  };
}

/**
 * The objects with marks of OLM: those that carry its label, and those of the backup that are marked otherwise. OLM may
 * have marked an object again from a cache of before.
 */
async function markedObjects(
  cluster: Pick<Cluster, 'get' | 'list'>,
  { backup, survey }: Known,
  signal: AbortSignal,
): Promise<readonly ObjectRef[]> {
  const facts = tieFactsOf({ ...survey, csv: survey.csv ?? backup.csv }, backup.operator);
  const { own } = await collectInventory(cluster, facts, signal);
  const found = own.filter(isMarked).map(refOf);
  if (found.length > 0) return found;
  const live = await Promise.all(backup.objects.map((ref) => cluster.get(ref, signal)));
  const isOwn = (object: KubeObject): boolean =>
    isMarked(object) && tieOf(object, facts).kind === 'own' && !bindsOthers(object, backup.operator);
  return live.flatMap((object) => (object !== undefined && isOwn(object) ? [refOf(object)] : []));
}

function isReadyWith(subscription: Subscription | undefined, backup: Backup): boolean {
  const { operator } = backup;
  const ready = findCondition(subscription?.status?.conditions, 'Ready');
  const { observedGeneration, installed } = subscription?.status ?? {};
  return (
    ready?.status === 'True' &&
    subscription?.spec.package === operator.package &&
    observedGeneration === subscription?.metadata.generation &&
    (installed?.bundle === operator.csv || isAtPin(installed?.version, pinOf(backup)))
  );
}

/** What `inventoryOf` reads of it: one that was archived has an inventory too, and each may be long. */
function revisionParts(object: KubeObject): KubeObject {
  const { spec, status } = object as Revision;
  const { subscription, state } = spec;
  const inventory = state === 'Active' ? status?.inventory : undefined;
  return { ...nameOnly(object), spec: { subscription, state }, ...(inventory !== undefined && { status: { inventory } }) }; // prettier-ignore
}

/** All objects of the Subscription's active Revision, by identity. */
function inventoryOf(revisions: readonly Revision[], subscription: string): ReadonlyMap<string, ObjectRef> {
  const active = revisions.filter(({ spec }) => spec.subscription === subscription && spec.state === 'Active');
  const refs = active.flatMap(({ status }) => (status?.inventory ?? []).map((entry) => refOfEntry(entry)));
  return new Map(refs.map((ref) => [identityOf(ref), ref]));
}
