/**
 * Finds the backups of the operators that one Subscription of Slipway took over, from OLM v0 and from OLM v1. Only the names
 * are read here: a person may have damaged the rest of a Secret. Sends one request.
 */
import * as z from 'zod';
import type { Cluster } from '../api/cluster.ts';
import { refOf, type KubeObject } from '../api/object.ts';
import { fieldsOf, textOf } from '../api/untyped.ts';
import { nameOnly } from '../apply/listed-parts.ts';
import { labelValue } from '../apply/prepare.ts';
import { ADOPTED_BY_LABEL, ADOPTION_LABEL, HANDED_OVER, STAGE_ANNOTATION } from './marks.ts';
import { backupRef as refOfV0 } from './olm-v0/backup.ts';
import { backupRef as refOfV1 } from './olm-v1/backup.ts';
import { hasWayBack } from './olm-v1/way-back.ts';
import { StoredObject, unpackOrNothing } from './packed.ts';

/** Slipway's Subscription, and the namespace of the manager, which keeps the backups. */
export interface AdoptedBy {
  readonly namespace: string;
  readonly name: string;
  /** The package that it asks for: one of the same name for another package has nothing of the operator. */
  readonly package: string;
  readonly kept: string;
}

/** The object of OLM that a person names. */
export type OlmName =
  | { readonly from: 'olm-v0'; readonly namespace: string; readonly subscription: string }
  | { readonly from: 'olm-v1'; readonly extension: string };

export interface FoundBackup {
  readonly secret: KubeObject;
  readonly olm: OlmName;
  /** Whether the way back to OLM has begun, so that the objects are to stay. */
  readonly isOnWayBack: boolean;
}

/** Throws the errors of the client. A Secret that was changed so that it names no operator is left out. */
export async function backupsFor(
  cluster: Pick<Cluster, 'list'>,
  by: AdoptedBy,
  signal: AbortSignal,
): Promise<readonly FoundBackup[]> {
  const labelSelector = `${ADOPTION_LABEL},${ADOPTED_BY_LABEL}=${labelValue(by.name)}`;
  // Subscriptions of other namespaces may have the name too, and as many and as large backups as their tenants like.
  const keep = (secret: KubeObject): KubeObject => (foundIn(secret, by) === undefined ? nameOnly(secret) : secret);
  const secrets = await cluster.list({ apiVersion: 'v1', kind: 'Secret' }, { namespace: by.kept, labelSelector, keep }, signal); // prettier-ignore
  return secrets.flatMap((secret) => foundIn(secret, by) ?? []);
}

function foundIn(secret: KubeObject, by: AdoptedBy): FoundBackup | undefined {
  const named = namesIn(secret);
  // The label names the Subscription too; it may be shortened.
  const { name = by.name } = named ?? {};
  const isOf = named?.namespace === by.namespace && name === by.name && named.package === by.package;
  if (!isOf || !isAtItsPlace(secret, named.olm, by.kept)) return undefined;
  return { secret, olm: named.olm, isOnWayBack: isOnWayBack(secret, named.olm) };
}

/** Whether the hand-over has not ended, and the way back has not begun. */
export function isUnderWay({ secret, isOnWayBack }: FoundBackup): boolean {
  return !isOnWayBack && secret.metadata.annotations?.[STAGE_ANNOTATION] !== HANDED_OVER;
}

/** Whether there may be backups for the Subscriptions of a name. */
export type MayHaveBackups = (subscription: string) => boolean;

/** By the labels of all backups, without their contents. Throws the errors of the client. */
export async function surveyBackups(cluster: Pick<Cluster, 'list'>, kept: string): Promise<MayHaveBackups> {
  const labelSelector = `${ADOPTION_LABEL},${ADOPTED_BY_LABEL}`;
  const options = { namespace: kept, labelSelector, metadataOnly: true };
  const secrets = await cluster.list({ apiVersion: 'v1', kind: 'Secret' }, options);
  const names = new Set(secrets.map(({ metadata }) => metadata.labels?.[ADOPTED_BY_LABEL]));
  return (subscription) => names.has(labelValue(subscription));
}

/** A way back to OLM v0 has a stage; one to OLM v1 has a list beside the backup, and deletes the list if it is given up. */
function isOnWayBack(secret: KubeObject, { from }: OlmName): boolean {
  return from === 'olm-v0' ? secret.metadata.annotations?.[STAGE_ANNOTATION] === 'HandingBack' : hasWayBack(secret);
}

/** A copy under another name is none: a step of a hand-over would not find it. */
function isAtItsPlace(secret: KubeObject, olm: OlmName, kept: string): boolean {
  const { name } = olm.from === 'olm-v0' ? refOfV0({ ...olm, kept }) : refOfV1({ ...olm, kept });
  return refOf(secret).name === name;
}

interface Named extends Omit<AdoptedBy, 'kept' | 'name'> {
  /** Absent in a Secret that a person has damaged. */
  readonly name?: string | undefined;
  readonly olm: OlmName;
}

const NamesOfV0 = z.object({
  operator: z.object({ namespace: z.string(), subscription: z.string(), package: z.string() }),
  adoptedBy: z.string().optional(),
});

const NamesOfV1 = z.object({ extension: z.string(), wanted: StoredObject });

function namesIn({ data }: KubeObject): Named | undefined {
  const content = unpackOrNothing(fieldsOf(data)['backup.json.gz']);
  const v0 = NamesOfV0.safeParse(content).data;
  if (v0 !== undefined) {
    const { namespace, subscription, package: packageName } = v0.operator;
    return { namespace, name: v0.adoptedBy, package: packageName, olm: { from: 'olm-v0', namespace, subscription } };
  }
  const v1 = NamesOfV1.safeParse(content).data;
  if (v1 === undefined) return undefined;
  const { metadata, spec } = v1.wanted;
  const { namespace = '', name } = metadata;
  const packageName = textOf(fieldsOf(spec)['package']);
  return { namespace, name, package: packageName, olm: { from: 'olm-v1', extension: v1.extension } };
}
