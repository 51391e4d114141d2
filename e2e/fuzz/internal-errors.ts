/** Finds reports of the manager's own defects: InternalError in the conditions of our kinds and in events. */
import type { Condition } from '../../api/conditions.ts';
import { KINDS } from '../../api/kinds.ts';
import type { TestCluster } from '../cluster/cluster.ts';
import { list, type Judged } from '../lib/objects.ts';

const REASON = 'InternalError';

interface Event {
  readonly reason: string;
  readonly note?: string;
  readonly regarding?: { readonly kind?: string };
}

/** Each kind of message once. */
export async function findInternalErrors(cluster: TestCluster): Promise<readonly string[]> {
  const objects = await Promise.all(KINDS.map(async ({ kind }) => conditionsOf(kind, await list(cluster, kind))));
  const events = await list<Event>(cluster, 'event');
  const reported = events
    .filter(({ reason }) => reason === REASON)
    .map((event) => `${event.regarding?.kind}: ${event.note}`);
  return [...new Set([...objects.flat(), ...reported].map((text) => text.slice(0, 240)))];
}

function conditionsOf(kind: string, objects: readonly Judged[]): readonly string[] {
  const conditions: readonly Condition[] = objects.flatMap(({ status }) => status?.conditions ?? []);
  return conditions.filter(({ reason }) => reason === REASON).map(({ message }) => `${kind}: ${message}`);
}

/**
 * How many Revisions were refused for the content of their Secrets: until then they had passed for the manager's own.
 */
export async function countManifestsRead(cluster: TestCluster): Promise<number> {
  const revisions: readonly Judged[] = await list(cluster, 'Revision');
  return revisions.filter(({ status }) =>
    status?.conditions?.some(({ reason, message }) => reason === 'RevisionInvalid' && message.startsWith('The stored')),
  ).length;
}
