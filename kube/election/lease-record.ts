/**
 * Decides who leads, from a Lease's content and the time of its last change. Pure; leader-election.ts acts.
 * @see https://kubernetes.io/docs/reference/kubernetes-api/cluster-resources/lease-v1/
 */
import type { KubeObject } from '../../api/object.ts';

/** Durations in seconds. */
export interface LeaseTimings {
  /** Others wait this long after the last renewal before they take over. */
  readonly leaseSeconds: number;
  /** A holder that could not renew for this long stops writing; shorter than `leaseSeconds`. */
  readonly renewSeconds: number;
  /** Pause between attempts. */
  readonly retrySeconds: number;
}

/** The timings of client-go. */
export const DEFAULT_TIMINGS: LeaseTimings = leaseTimings(15);

/** Timings in the same proportion for a lease of any length. */
export function leaseTimings(leaseSeconds: number): LeaseTimings {
  return { leaseSeconds, renewSeconds: (leaseSeconds * 2) / 3, retrySeconds: (leaseSeconds * 2) / 15 };
}

/** A Lease as it was last read, and when its content was first seen, on this process's monotonic clock. */
export interface SeenLease {
  readonly lease: KubeObject | undefined;
  readonly since: number;
}

/** `create` and `take` make this replica the holder, `renew` keeps it, `wait` leaves it to another. */
export type LeaseDecision = 'create' | 'take' | 'renew' | 'wait';

/** The next action on the Lease at the moment `now`. Clocks of other machines play no part. */
export function decideLease({ lease, since }: SeenLease, identity: string, now: number): LeaseDecision {
  if (lease === undefined) return 'create';
  if (holderOf(lease) === identity) return 'renew';
  return secondsUntilFree({ lease, since }, now) === 0 ? 'take' : 'wait';
}

/** Seconds from `now` until an unrenewed Lease is free; 0 if it is. */
export function secondsUntilFree({ lease, since }: SeenLease, now: number): number {
  const { holderIdentity = '', leaseDurationSeconds = DEFAULT_TIMINGS.leaseSeconds } = lease ? specOf(lease) : {};
  return holderIdentity === '' ? 0 : Math.max(0, since + leaseDurationSeconds - now);
}

/** Keeps the time of the first sight if the content has not changed. */
export function observe(before: SeenLease | undefined, lease: KubeObject | undefined, now: number): SeenLease {
  const same = before?.lease?.metadata.resourceVersion === lease?.metadata.resourceVersion;
  return before !== undefined && same ? { lease, since: before.since } : { lease, since: now };
}

/** The holder that the Lease names; empty if none. */
export function holderOf(lease: KubeObject | undefined): string {
  return (lease && specOf(lease).holderIdentity) ?? '';
}

export interface LeaseWriter {
  readonly namespace: string;
  readonly name: string;
  readonly identity: string;
  readonly leaseSeconds: number;
  /** Milliseconds since 1970. */
  readonly wall: number;
}

/** The Lease with this replica as its holder; other fields stay. */
export function holdLease(lease: KubeObject | undefined, writer: LeaseWriter): KubeObject {
  const { namespace, name, identity, leaseSeconds, wall } = writer;
  const before = lease === undefined ? {} : specOf(lease);
  const taken = before.holderIdentity !== identity;
  const transitions = before.leaseTransitions ?? 0;
  return {
    apiVersion: 'coordination.k8s.io/v1',
    kind: 'Lease',
    metadata: lease?.metadata ?? { namespace, name },
    spec: {
      ...before,
      holderIdentity: identity,
      leaseDurationSeconds: leaseSeconds,
      renewTime: microTime(wall),
      acquireTime: taken ? microTime(wall) : before.acquireTime,
      leaseTransitions: lease !== undefined && taken ? transitions + 1 : transitions,
    },
  };
}

/** The Lease without a holder, so that others need not wait until it expires. */
export function releaseLease(lease: KubeObject, wall: number): KubeObject {
  const spec = { ...specOf(lease), holderIdentity: '', leaseDurationSeconds: 1, renewTime: microTime(wall) };
  return { ...lease, spec };
}

/** `2026-11-21T10:00:00.123000Z`: a time in the format of `v1.MicroTime`. */
export function microTime(wall: number): string {
  return new Date(wall).toISOString().replace('Z', '000Z');
}

interface LeaseSpec {
  readonly holderIdentity?: string;
  readonly leaseDurationSeconds?: number;
  readonly acquireTime?: string;
  readonly leaseTransitions?: number;
}

function specOf(lease: KubeObject): LeaseSpec {
  return lease['spec'] ?? {};
}
