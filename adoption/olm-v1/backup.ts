/**
 * The backup of an operator that is handed over from OLM v1: its ClusterExtension, and the names of its objects. It is the
 * memory of the hand-over, which any process can continue. Pure.
 */
import * as z from 'zod';
import type { Cluster } from '../../api/cluster.ts';
import { ReasonedError } from '../../api/errors.ts';
import { API_VERSION } from '../../api/names.ts';
import { describeRef, refOf, type KubeObject, type ObjectRef } from '../../api/object.ts';
import { fieldsOf } from '../../api/untyped.ts';
import { labelValue } from '../../apply/prepare.ts';
import { ADOPTED_BY_LABEL, ADOPTION_LABEL, HANDED_OVER, STAGE_ANNOTATION } from '../marks.ts';
import { packBackup, StoredObject, StoredRef, unpackOrNothing } from '../packed.ts';
import { EXTENSION, extensionRef } from './kinds.ts';

export interface Backup {
  /** Name of the ClusterExtension. */
  readonly extension: string;
  /** As it was. */
  readonly olm: KubeObject;
  /** Slipway's Subscription, as it is created: pinned. */
  readonly wanted: KubeObject;
  /** The range of versions that follows the pin; absent: any. */
  readonly range?: string | undefined;
  readonly objects: readonly ObjectRef[];
  /** Whether all was done. */
  readonly isEnded: boolean;
}

/** Which operator a backup is of, and where it is kept. */
export interface BackupName {
  /** Name of the ClusterExtension. */
  readonly extension: string;
  /** The namespace of the manager: a user who could write the Secret would have an administrator create objects. */
  readonly kept: string;
}

const FROM = 'olm-v1';
const KEY = 'backup.json.gz';

/** The Secret of a backup. */
export function backupRef({ extension, kept }: BackupName): ObjectRef {
  const name = labelValue(`slipway-adoption-v1.${extension}`).toLowerCase();
  return { apiVersion: 'v1', kind: 'Secret', namespace: kept, name };
}

/** The backups that a namespace keeps; one that was changed so that it names no operator is left out. */
export async function backupsOf(
  cluster: Pick<Cluster, 'list'>,
  kept: string,
  signal: AbortSignal,
): Promise<readonly BackupName[]> {
  const options = { namespace: kept, labelSelector: `${ADOPTION_LABEL}=${FROM}` };
  const secrets = await cluster.list({ apiVersion: 'v1', kind: 'Secret' }, options, signal);
  return secrets.flatMap((secret) => {
    const parsed = parse(secret);
    return parsed.success ? [{ extension: parsed.data.extension, kept }] : [];
  });
}

const HINT = 'Remove large annotations from the ClusterExtension, or shorten its spec.config.inline';

/** The Secret that keeps a backup. @throws ReasonedError InputInvalid, not retried, if it exceeds the size of a Secret */
export function writeBackup(backup: Backup, kept: string): KubeObject {
  // Whether it has ended stands in an annotation, which a patch can change.
  const { isEnded: _isEnded, ...content } = backup;
  const { apiVersion, kind, name } = backupRef({ extension: content.extension, kept });
  const labels = { [ADOPTION_LABEL]: FROM, [ADOPTED_BY_LABEL]: labelValue(content.wanted.metadata.name) };
  return {
    apiVersion,
    kind,
    metadata: { name, namespace: kept, labels },
    type: 'slipway.dev/adoption',
    data: { [KEY]: packBackup(content, extensionRef(content.extension), HINT) },
  };
}

/** The patch of a backup's Secret once the operator is handed over. */
export function endHandOver(): Readonly<Record<string, unknown>> {
  return { metadata: { annotations: { [STAGE_ANNOTATION]: HANDED_OVER } } };
}

const StoredBackup = z.object({
  extension: z.string(),
  olm: StoredObject,
  wanted: StoredObject,
  range: z.string().optional(),
  objects: z.array(StoredRef),
});

/** The backup in a Secret. @throws ReasonedError InputInvalid, not retried, if a person changed it so that it cannot be read */
export function readBackup(secret: KubeObject, { extension }: BackupName): Backup {
  const parsed = parse(secret);
  const problem = parsed.success ? misfit(parsed.data, extension) : 'it is not what was written';
  if (parsed.success && problem === undefined) {
    const isEnded = secret.metadata.annotations?.[STAGE_ANNOTATION] === HANDED_OVER;
    return { ...(parsed.data as unknown as Omit<Backup, 'isEnded'>), isEnded };
  }
  throw new ReasonedError({
    reason: 'InputInvalid',
    retry: 'never',
    message: `the backup in ${describeRef(refOf(secret))} cannot be read: ${problem}`,
    hint: 'Restore the Secret from a backup of the cluster',
  });
}

function parse(secret: KubeObject): z.ZodSafeParseResult<z.infer<typeof StoredBackup>> {
  return StoredBackup.safeParse(unpackOrNothing(fieldsOf(secret['data'])[KEY]));
}

/** Both objects are created from it, the second one on the way back, so they may be nothing else. */
function misfit({ extension, wanted, olm }: z.infer<typeof StoredBackup>, expected: string): string | undefined {
  if (extension !== expected) return `it is of ClusterExtension ${extension}`;
  const isSubscription = wanted.apiVersion === API_VERSION && wanted.kind === 'Subscription';
  if (!isSubscription) return `it would create ${wanted.kind} ${wanted.metadata.name}`;
  const isExtension = olm.apiVersion === EXTENSION.apiVersion && olm.kind === EXTENSION.kind;
  return isExtension && olm.metadata.name === extension
    ? undefined
    : `it would create ${olm.kind} ${olm.metadata.name}`;
}
