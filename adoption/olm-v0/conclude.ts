/**
 * Ends a hand-over from OLM v0 whose Subscription of Slipway is deleted in the middle: as long as OLM has the operator the
 * hand-over is called off, and once Slipway has it the ClusterServiceVersion is released. That it has ended is noted by the
 * caller, once nothing of the backup is left to be deleted. Can be repeated. Sends requests.
 */
import type { Cluster } from '../../api/cluster.ts';
import { refOf } from '../../api/object.ts';
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
  const csvs = await cluster.list(OLM.csv, { namespace, metadataOnly: true }, signal);
  const csv = csvs.find(({ metadata }) => metadata.name === version);
  if (csv !== undefined && !isHeldAlone(csv)) return 'None';
  const handOver = new HandOver({ cluster, name, wanted: () => backup.wanted, sleep, signal });
  await untilNone(async () => {
    const gathered = await gather(cluster, name, signal);
    const step = stepToEnd(gathered.state);
    if (step !== undefined) await handOver.carryOut(step, gathered);
    return step !== undefined;
  });
  return 'Ended';
}

/** Its objects were handed over before Slipway's Subscription took part. */
function stepToEnd({ csv, leftovers, sharedPlans }: HandOverState): StepName | undefined {
  if (isHeldAlone(csv)) return stepToRelease(csv);
  return leftovers.length > 0 || sharedPlans.length > 0 ? 'CleanUp' : undefined;
}
