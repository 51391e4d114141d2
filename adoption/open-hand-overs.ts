/**
 * The hand-overs of a Subscription that have not ended. The status names the one of `spec.adopt`; the command line writes no
 * status, and its backup says that it has begun.
 */
import type { Cluster } from '../api/cluster.ts';
import type { Subscription } from '../api/subscription.ts';
import { backupsFor, isUnderWay, type OlmName } from './backups.ts';
import type { StageAtDeletion } from './conclusion.ts';
import { operatorIn, type AdoptedOperator } from './successor.ts';

/** A hand-over that has not ended. */
export interface OpenHandOver {
  readonly operator: AdoptedOperator;
  /** `Preparing`: OLM has the operator, or has just given it up. `TakingOver`: Slipway's Subscription takes it over. */
  readonly stage: StageAtDeletion;
}

/** By the status of the Subscription; undefined if it names no hand-over. Pure. */
export function openByStatus({ status }: Pick<Subscription, 'status'>): readonly OpenHandOver[] | undefined {
  const { adoption } = status ?? {};
  const operator = operatorIn(adoption);
  if (adoption === undefined || operator === undefined) return undefined;
  return adoption.stage === 'HandedOver' ? [] : [{ operator, stage: adoption.stage }];
}

interface BackupReading {
  /** The namespace of the manager, which keeps the backups. */
  readonly kept: string;
  readonly signal: AbortSignal;
}

/** By the status, else by the backups. Throws as openByBackups does. */
export async function findOpen(
  cluster: Pick<Cluster, 'list'>,
  subscription: Subscription,
  options: BackupReading,
): Promise<readonly OpenHandOver[]> {
  return openByStatus(subscription) ?? openByBackups(cluster, subscription, options);
}

/** By the backups. Throws the errors of the client. */
export async function openByBackups(
  cluster: Pick<Cluster, 'list'>,
  { metadata, spec }: Pick<Subscription, 'metadata' | 'spec'>,
  { kept, signal }: BackupReading,
): Promise<readonly OpenHandOver[]> {
  const { namespace = '', name } = metadata;
  const found = await backupsFor(cluster, { namespace, name, package: spec.package, kept }, signal);
  return found.filter(isUnderWay).map(({ olm }) => ({ operator: operatorOf(olm), stage: 'TakingOver' }));
}

function operatorOf(olm: OlmName): AdoptedOperator {
  return olm.from === 'olm-v0' ? { from: 'OLMv0', name: olm.subscription } : { from: 'OLMv1', name: olm.extension };
}
