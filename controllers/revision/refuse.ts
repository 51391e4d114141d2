/**
 * Reports that the manager did not make a Revision, and does nothing else about it. If it is deleted, only the
 * finalizer is taken off: its inventory and the Secrets that it names may belong to others.
 */
import { findCondition } from '../../api/conditions.ts';
import { redact } from '../../api/errors.ts';
import type { Cluster } from '../../api/cluster.ts';
import { isNotFound } from '../../api/api-answers.ts';
import type { RecordEvent } from '../events.ts';
import { removeFinalizer } from '../finalizer.ts';
import { writeStatus } from '../status.ts';
import type { RevisionFacts } from './observe.ts';
import { summarizeRevision } from './status.ts';

export interface RefuseDeps {
  readonly client: Pick<Cluster, 'patch'>;
  readonly record: RecordEvent;
  readonly now: () => Date;
}

/** @param problem From problemOf of genuine.ts. */
export async function refuse(
  { client, record, now }: RefuseDeps,
  { revision }: Pick<RevisionFacts, 'revision'>,
  problem: string,
): Promise<undefined> {
  if (revision.metadata.deletionTimestamp !== undefined) {
    await removeFinalizer(client, revision).catch((error: unknown) => {
      if (!isNotFound(error)) throw error;
    });
    return;
  }
  // The problem quotes text that a person wrote.
  const message = redact(
    `The manager did not make this Revision, and does not act on it: ${problem}. Delete it: nothing is removed with it, and the manager makes its own`,
  );
  const before = findCondition(revision.status?.conditions, 'Stalled');
  const judgement = { state: 'Failed', reason: 'RevisionInvalid', message } as const;
  await writeStatus(client, revision, summarizeRevision(revision, { judgement }, now()));
  if (before?.reason === 'RevisionInvalid') return;
  record(revision, { type: 'Warning', reason: 'RevisionInvalid', action: 'Reconcile', note: message });
}
