/**
 * Ends a hand-over from OLM v1 whose Subscription of Slipway is deleted in the middle: as long as OLM has the operator the
 * hand-over is called off, and once Slipway has it the ClusterExtension is released. That it has ended is noted by the caller.
 * Can be repeated. Sends requests.
 */
import type { Cluster } from '../../api/cluster.ts';
import { keyOfObject, refOf, type KubeObject } from '../../api/object.ts';
import { textOf } from '../../api/untyped.ts';
import { finalizerParts } from '../../apply/listed-parts.ts';
import { untilNone, type Conclusion, type StageAtDeletion } from '../conclusion.ts';
import { HOLD } from '../olm-v0/kinds.ts';
import { pinOf } from '../successor.ts';
import { backupRef, readBackup, type Backup, type BackupName } from './backup.ts';
import { gather, releasesOf } from './gather.ts';
import { HandOver } from './hand-over.ts';
import { EXTENSION, extensionRef } from './kinds.ts';
import { OlmSide } from './olm-side.ts';
import { isHeldAlone, isOlmOut, type HandOverState, type StepName } from './steps.ts';
import { catalogFilter } from './extension.ts';

export interface ConcludeOptions {
  readonly cluster: Cluster;
  readonly name: BackupName;
  /** `<namespace>/<name>` of the Subscription that is deleted. */
  readonly holder: string;
  readonly stage: StageAtDeletion;
  readonly signal: AbortSignal;
}

/** Throws the errors of the client, and InputInvalid, not retried, for a backup that cannot be read. */
export async function conclude(options: ConcludeOptions): Promise<Conclusion> {
  const { cluster, name, holder, stage, signal } = options;
  const secret = await cluster.get(backupRef(name), signal);
  const backup = secret && readBackup(secret, name);
  if (backup === undefined || backup.isEnded || keyOfObject(backup.wanted) !== holder) return 'None';
  return stage === 'Preparing' ? callOff(options, backup) : release(options, backup);
}

async function callOff({ cluster, name, signal }: ConcludeOptions, backup: Backup): Promise<Conclusion> {
  const live = await cluster.get(extensionRef(name.extension), signal);
  const { uid, deletionTimestamp } = live?.metadata ?? {};
  if (live === undefined || uid !== backup.olm.metadata.uid || deletionTimestamp !== undefined) return 'Stuck';
  await cluster.patch(refOf(live), asBefore(backup, live), {}, signal);
  await cluster.delete(backupRef(name), {}, signal);
  return 'CalledOff';
}

/** A version that a person has written since is left. */
function asBefore(backup: Backup, { metadata, ...live }: KubeObject): Readonly<Record<string, unknown>> {
  const { resourceVersion, finalizers = [] } = metadata;
  const isOurs = textOf(catalogFilter({ metadata, ...live })['version']) === pinOf(backup);
  const { version = null } = catalogFilter(backup.olm);
  return {
    metadata: { resourceVersion, finalizers: finalizers.filter((one) => one !== HOLD) },
    ...(isOurs && { spec: { source: { catalog: { version } } } }),
  };
}

async function release({ cluster, name, signal }: ConcludeOptions, backup: Backup): Promise<Conclusion> {
  const extensions = await cluster.list(EXTENSION, { metadataOnly: true, keep: finalizerParts }, signal);
  const live = extensions.find(({ metadata }) => metadata.name === name.extension);
  if (!isOlmOut(live)) return 'None';
  // The manager may list and delete every object, and read none of OLM.
  if (live === undefined) {
    await new OlmSide({ cluster, name, signal }).cleanUp(await releasesOf(cluster, name.extension, signal));
    return 'Ended';
  }
  const obstacle = async (): Promise<undefined> => undefined;
  const handOver = new HandOver({ cluster, name, wanted: () => ({ manifest: backup.wanted }), obstacle, signal });
  await untilNone(async () => {
    const gathered = await gather(cluster, name, { signal });
    const step = stepToEnd(gathered.state);
    if (step !== undefined) await handOver.carryOut(step, gathered);
    return step !== undefined;
  });
  return 'Ended';
}

/** Its objects were handed over before Slipway's Subscription took part. */
function stepToEnd({ extension, leftovers }: HandOverState): StepName | undefined {
  if (isHeldAlone(extension)) return 'Release';
  return leftovers.length > 0 ? 'CleanUp' : undefined;
}
