/** Results of an apply, and Revisions with conditions, for tests of judgements and of the status. */
import type { ApplyResult, PhaseResult, Unready } from '../../../apply/apply.ts';
import type { Failure } from '../../../apply/api-failure.ts';
import type { Revision, RevisionStatus } from '../../../api/revision.ts';

export const ref = { apiVersion: 'apps/v1', kind: 'Deployment', namespace: 'ops', name: 'manager' };
export const failure = (
  reason: Failure['reason'],
  retry: Failure['retry'],
  message: string,
  hint?: string,
): Failure => ({
  reason,
  retry,
  message,
  ...(hint !== undefined && { hint }),
});
export const phase = (fields: Partial<PhaseResult> = {}): PhaseResult => ({
  name: 'workloads',
  state: 'Done',
  objects: [],
  unready: [],
  ...fields,
});
export const result = (fields: Partial<ApplyResult> = {}): ApplyResult => ({
  state: 'Waiting',
  phases: [],
  inventory: [],
  failures: [],
  requests: 0,
  ...fields,
});
export const unready: Unready = { ref, health: { state: 'Progressing', message: '0 of 1 replicas are available' } };
export const now = new Date('2026-01-01T01:00:00Z');

/** A Revision with conditions since midnight. */
export function revision(
  conditions: Readonly<Record<string, string>> = {},
  fields: Partial<RevisionStatus> = {},
): Revision {
  return {
    metadata: { name: 'widgets-1', generation: 3 },
    status: {
      ...fields,
      conditions: Object.entries(conditions).map(([type, reason]) => ({
        type,
        status: type === 'Ready' && reason !== 'Succeeded' ? 'False' : 'True',
        reason,
        message: '',
        lastTransitionTime: '2026-01-01T00:00:00Z',
      })),
    },
  } as unknown as Revision;
}
