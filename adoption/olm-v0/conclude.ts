/**
 * Ends a hand-over from OLM v0 whose Subscription of Slipway is deleted in the middle: as long as OLM has the operator the
 * hand-over is called off, and once Slipway has it the ClusterServiceVersion is released. That it has ended is noted by the
 * caller, once nothing of the backup is left to be deleted. Can be repeated. Sends requests.
 */
import type { Cluster } from '../../api/cluster.ts';
import { refOf } from '../../api/object.ts';
import { isRefusal } from '../../apply/api-failure.ts';
import { finalizerParts } from '../../apply/listed-parts.ts';
import { untilNone, type Conclusion, type StageAtDeletion } from '../conclusion.ts';
import { backupRef, readBackup, type Backup, type BackupName } from './backup.ts';
import { conditionRights } from './condition.ts';
import { gather } from './gather.ts';
import { HandOver } from './hand-over.ts';
import { OLM, olmRef } from './kinds.ts';
import { OlmSide } from './olm-side.ts';
import { isHeldAlone, stepToRelease, type HandOverState, type StepName } from './steps.ts';

export interface ConcludeOptions {
  readonly cluster: Cluster;
  readonly name: BackupName;
  /** Name of the Subscription that is deleted, in the namespace of the operator. */
  readonly holder: string;
  readonly stage: StageAtDeletion;
  /** Resolves after the milliseconds. */
  readonly sleep: (ms: number) => Promise<void>;
  readonly signal: AbortSignal;
}

/** Throws the errors of the client, and InputInvalid, not retried, for a backup that cannot be read. */
export async function conclude(options: ConcludeOptions): Promise<Conclusion> {
  const { cluster, name, holder, stage, signal } = options;
  const secret = await cluster.get(backupRef(name), signal);
  const backup = secret && readBackup(secret, name);
  if (backup === undefined || backup.stage !== 'HandingOver' || backup.adoptedBy !== holder) return 'None';
  return stage === 'Preparing' ? callOff(options, backup) : release(options, backup);
}

async function callOff({ cluster, name, signal }: ConcludeOptions, backup: Backup): Promise<Conclusion> {
  const { namespace, subscription, csv: version } = backup.operator;
  const csv = await cluster.get(olmRef(OLM.csv, namespace, version), signal);
  const { uid, deletionTimestamp } = csv?.metadata ?? {};
  if (csv === undefined || uid !== backup.csv.metadata.uid || deletionTimestamp !== undefined) return 'Stuck';
  const live = await cluster.get(olmRef(OLM.subscription, namespace, subscription), signal);
  await new OlmSide({ cluster, name, signal }).giveBack(live, csv);
  for (const right of conditionRights(backup)) await cluster.delete(refOf(right), {}, signal);
  await cluster.delete(backupRef(name), {}, signal);
  return 'CalledOff';
}

async function release({ cluster, name, sleep, signal }: ConcludeOptions, backup: Backup): Promise<Conclusion> {
  const { namespace, csv: version } = backup.operator;
  // The manager may list every object.
  const csvs = await cluster.list(OLM.csv, { namespace, metadataOnly: true, keep: finalizerParts }, signal);
  const csv = csvs.find(({ metadata }) => metadata.name === version);
  if (csv !== undefined && !isHeldAlone(csv)) return 'None';
  const handOver = new HandOver({ cluster, name, wanted: () => backup.wanted, sleep, signal });
  if (csv !== undefined)
    await untilNone(async () => {
      const gathered = await gather(cluster, name, signal);
      const step = stepToEnd(gathered.state);
      if (step !== undefined) await handOver.carryOut(step, gathered);
      return step !== undefined;
    });
  await cleanUpOnce(handOver, { cluster, name, signal });
  return 'Ended';
}

/** Its objects were handed over before, unless a person had created Slipway's Subscription. */
function stepToEnd({ csv, marked }: HandOverState): StepName | undefined {
  if (!isHeldAlone(csv)) return undefined;
  return marked.length > 0 ? 'HandOver' : stepToRelease(csv);
}

/**
 * Nothing needs these objects, so nothing waits for them: another program may hold one, the rights may be missing, and for a Subscription that
 * is back OLM would make them again.
 */
async function cleanUpOnce(
  handOver: HandOver,
  { cluster, name, signal }: Pick<ConcludeOptions, 'cluster' | 'name' | 'signal'>,
): Promise<void> {
  try {
    const gathered = await gather(cluster, name, signal);
    const { leftovers, sharedPlans, olmSubscription } = gathered.state;
    const isDue = olmSubscription === undefined && leftovers.length + sharedPlans.length > 0;
    if (isDue) await handOver.carryOut('CleanUp', gathered);
  } catch (error) {
    if (!isRefusal(error)) throw error;
  }
}
