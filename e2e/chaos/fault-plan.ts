/** Which requests get which fault, and when nothing passes at all; drawn by a seed. Pure. */
import fc from 'fast-check';
import type { Asked, Fault } from '../lib/fault-proxy.ts';
import { drawOne } from '../fuzz/actors.ts';

/** A span of time without any connection to one side. */
export interface Partition {
  readonly side: 'api' | 'registry';
  /** Since the faults began. */
  readonly afterSeconds: number;
  readonly seconds: number;
}

export interface FaultPlan {
  /** The fault for the n-th request to the API server. */
  readonly api: (asked: Asked, n: number) => Fault | undefined;
  readonly registry: (n: number) => Fault | undefined;
  /** They do not overlap. */
  readonly partitions: readonly Partition[];
}

export interface Severity {
  readonly seed: number;
  /** How long the faults last. */
  readonly seconds: number;
  readonly longestPartitionSeconds: number;
}

/** Of a hundred requests, how many get a fault. */
const FAULTS_IN_HUNDRED = 8;
const STRIDE = 7919;

/** Equal seeds give equal plans. */
export function planFaults({ seed, seconds, longestPartitionSeconds }: Severity): FaultPlan {
  const draw = (faults: fc.Arbitrary<Fault>, n: number): Fault | undefined =>
    drawOne(rarely(faults), seed * 1_000_003 + n * STRIDE);
  return {
    api: (asked, n) => draw(faultsOf(asked), n),
    registry: (n) => draw(REGISTRY, n),
    partitions: planPartitions(drawOne(partitions(seconds, longestPartitionSeconds), seed), seconds),
  };
}

function rarely(faults: fc.Arbitrary<Fault>): fc.Arbitrary<Fault | undefined> {
  return fc.oneof(
    { weight: FAULTS_IN_HUNDRED, arbitrary: faults },
    { weight: 100 - FAULTS_IN_HUNDRED, arbitrary: fc.constant(undefined) },
  );
}

function faultsOf({ method, path }: Asked): fc.Arbitrary<Fault> {
  if (/[?&]watch=/.test(path)) return WATCHES;
  return method === 'GET' ? READS : method === 'POST' ? CREATIONS : CHANGES;
}

const refused = (status: number, reason: string, retryAfter?: number): Fault => ({
  kind: 'refuse',
  status,
  headers: {
    'content-type': 'application/json',
    ...(retryAfter !== undefined && { 'retry-after': String(retryAfter) }),
  },
  body: JSON.stringify({ kind: 'Status', apiVersion: 'v1', status: 'Failure', code: status, reason, message: 'chaos' }),
});

const REFUSALS = fc.constantFrom(
  refused(429, 'TooManyRequests'),
  refused(429, 'TooManyRequests', 1),
  refused(500, 'InternalError'),
  refused(503, 'ServiceUnavailable'),
);
const LATE = fc.integer({ min: 50, max: 3000 }).map((milliseconds): Fault => ({ kind: 'delay', milliseconds }));
/** Of a write, the effect is there and its answer is lost. */
const CUT = fc.integer({ min: 0, max: 400 }).map((afterBytes): Fault => ({ kind: 'cut', afterBytes }));
const READS = fc.oneof(REFUSALS, LATE, CUT);
/** No 409: for a creation it would say that the object exists, which a real API server says only if it does. */
const CREATIONS = READS;
const CHANGES = fc.oneof(READS, fc.constant(refused(409, 'Conflict')));
const ENDS = fc.integer({ min: 10, max: 5000 }).map((afterMilliseconds): Fault => ({ kind: 'end', afterMilliseconds }));
const WATCHES = fc.oneof({ weight: 1, arbitrary: REFUSALS }, { weight: 4, arbitrary: ENDS });
const REGISTRY = fc.oneof(
  REFUSALS,
  LATE,
  CUT,
  fc.constant<Fault>({ kind: 'alter' }),
  fc.constant<Fault>({ kind: 'stall', afterBytes: 100 }),
);

type Drawn = readonly (readonly [side: Partition['side'], pause: number, seconds: number])[];

function partitions(seconds: number, longest: number): fc.Arbitrary<Drawn> {
  const one = fc.tuple(
    fc.constantFrom<Partition['side']>('api', 'api', 'registry'),
    fc.integer({ min: 1, max: Math.max(2, Math.floor(seconds / 9)) }),
    fc.integer({ min: 1, max: longest }),
  );
  return fc.array(one, { minLength: 1, maxLength: 4 });
}

/** One after the other, each within the time of the faults. */
function planPartitions(drawn: Drawn, seconds: number): readonly Partition[] {
  const planned: Partition[] = [];
  let at = 0;
  for (const [side, pause, length] of drawn) {
    const afterSeconds = at + pause;
    if (afterSeconds >= seconds) break;
    planned.push({ side, afterSeconds, seconds: length });
    at = afterSeconds + length;
  }
  return planned;
}

/** The partitions as they were if the faults stopped that many seconds after they began: shorter, or not begun. */
export function happened(planned: readonly Partition[], stoppedAfterSeconds: number): readonly Partition[] {
  return planned
    .filter(({ afterSeconds }) => afterSeconds < stoppedAfterSeconds)
    .map((one) => ({ ...one, seconds: Math.min(one.seconds, stoppedAfterSeconds - one.afterSeconds) }));
}
