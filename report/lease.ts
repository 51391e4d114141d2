/** Judgements by the Lease of the manager: whether a leader is at work, and whether clocks agree. Pure. */
import type { KubeObject } from '../api/object.ts';
import { fieldsOf, listOf, textOf } from '../api/untyped.ts';
import { describeDuration, secondsBetween } from './age.ts';
import type { DoctorOptions, JudgedFinding } from './finding.ts';
import { hasElection, MANAGER } from './manager.ts';

interface LeaseFields {
  readonly holderIdentity?: string;
  readonly leaseDurationSeconds?: number;
  readonly renewTime?: string;
}

/**
 * The leader renews its lease many times within its duration, by whatever clock.
 *
 * @param deployment That of the manager, if it could be read: without an election no Lease is taken.
 */
export function judgeLease(
  lease: KubeObject | undefined,
  { namespace, now }: DoctorOptions,
  deployment?: KubeObject,
): readonly JudgedFinding[] {
  if (deployment !== undefined && !hasElection(deployment)) return judgeReplicas(deployment);
  const advice = `Check that a manager runs: kubectl -n ${namespace} get pods`;
  if (lease === undefined) return [{ level: 'error', message: `No manager has taken the Lease ${namespace}/${MANAGER}`, advice }]; // prettier-ignore
  const { holderIdentity = '', leaseDurationSeconds = 15, renewTime } = fieldsOf(lease['spec']) as LeaseFields;
  if (holderIdentity === '') return [{ level: 'error', message: 'No manager leads: the last one has released the Lease', advice }]; // prettier-ignore
  const silent = secondsBetween(serverTimeOf(lease) ?? renewTime, now.toISOString()) ?? 0;
  const renewed = `renewed ${describeDuration(silent)} ago`;
  if (silent > leaseDurationSeconds + SLACK_SECONDS)
    return [{ level: 'error', message: `${holderIdentity} led last, and its Lease was ${renewed}`, advice }];
  return [{ level: 'ok', message: `${holderIdentity} leads, and its Lease was ${renewed}` }];
}

/** Without an election all Pods write at the same time: those of several replicas always, of one while its Pod is replaced. */
function judgeReplicas(deployment: KubeObject): readonly JudgedFinding[] {
  const { replicas = 1 } = fieldsOf(deployment['spec']) as { readonly replicas?: number };
  const advice = 'Take SLIPWAY_LEADER_ELECT=false out of the Deployment of the manager';
  if (replicas <= 1) return [{ level: 'warning', message: 'One replica without an election: while a new Pod takes the place of the old one, both write', advice }]; // prettier-ignore
  return [{ level: 'error', message: `${replicas} replicas without an election: all of them write`, advice }];
}

/** Differences of clocks up to this are usual. */
const SLACK_SECONDS = 5;

/** When the API server stored the last renewal, by its own clock. */
function serverTimeOf({ metadata }: KubeObject): string | undefined {
  const entries = listOf((metadata as unknown as Readonly<Record<string, unknown>>)['managedFields']);
  const renewals = entries.filter(
    ({ fieldsV1 }) => fieldsOf(fieldsOf(fieldsV1)['f:spec'])['f:renewTime'] !== undefined,
  );
  return renewals
    .map(({ time }) => textOf(time))
    .sort()
    .at(-1);
}

/** The clocks of the leader and of this machine, compared with that of the API server; nothing without an election. */
export function judgeClocks(
  lease: KubeObject | undefined,
  { now }: DoctorOptions,
  deployment?: KubeObject,
): readonly JudgedFinding[] {
  if (deployment !== undefined && !hasElection(deployment)) return [];
  const server = lease && serverTimeOf(lease);
  const { renewTime } = fieldsOf(lease?.['spec']) as LeaseFields;
  const ofLeader = secondsBetween(server, renewTime);
  if (server === undefined || ofLeader === undefined)
    return [{ level: 'unknown', message: 'Clocks are compared by a Lease that a manager renews' }];
  const ahead = secondsBetween(now.toISOString(), server) ?? 0;
  const faults = [
    ...(Math.abs(ofLeader) > SLACK_SECONDS ? [`The leader's clock differs from that of the API server by ${describeDuration(Math.abs(ofLeader))}`] : []), // prettier-ignore
    ...(ahead > SLACK_SECONDS ? [`The clock of this machine is at least ${describeDuration(ahead)} behind that of the API server`] : []), // prettier-ignore
  ];
  if (faults.length === 0) return [{ level: 'ok', message: 'The clocks of leader, API server and this machine agree' }];
  const advice = 'Synchronize the clocks: certificates, windows and deadlines depend on them';
  return faults.map((message) => ({ level: 'warning', message, advice }));
}
