/**
 * Waits for the deletion of CRDs, which can hang in the API server until the CRD is written to: writes to those that
 * hang, and to no other, because a write puts a CRD that waits for its turn back in the queue.
 */
import { isCrd } from '../api/crd-kind.ts';
import type { Cluster } from '../api/cluster.ts';
import { describeRef, type KubeObject, type ObjectRef } from '../api/object.ts';
import { fieldsOf, listOf, textOf } from '../api/untyped.ts';
import { explainFailure } from './api-failure.ts';
import type { Unready } from './apply-result.ts';
import { identityOf } from './identity.ts';
import { waitUntilGone, type Leaving, type Observe } from './wait.ts';

export interface StuckCrdsOptions {
  /** Three times as long is waited for CRDs. */
  readonly stepSeconds: number;
  readonly observe: Observe;
  /** Reads an object, or takes a watch's copy. */
  readonly look: (ref: ObjectRef) => Promise<KubeObject | undefined>;
  /** The API server's clock, roughly. */
  readonly now: () => Date;
  readonly signal: AbortSignal;
}

/** The API server deletes CRDs a few at a time, so this can take long, and starting over would cost more. */
const CRD_STEPS = 3;
/** The deletion of a new CRD can hang in Terminating until the CRD is written to. */
const CRD_PATIENCE_SECONDS = 3;
const YOUNG_SECONDS = 10;
const FORGOTTEN_SECONDS = 60;
const TOUCHED = 'slipway.dev/touched';

/** Waits until all objects are gone, CRDs among them; returns those that remain. Throws as waitUntilGone. */
export async function waitUntilCrdsGone(
  cluster: Pick<Cluster, 'patch'>,
  refs: readonly Leaving[],
  { stepSeconds, observe, look, now, signal }: StuckCrdsOptions,
): Promise<readonly Unready[]> {
  const patience = Math.min(stepSeconds, CRD_PATIENCE_SECONDS);
  const first = await waitUntilGone(refs, { deadlineSeconds: patience, observe, signal });
  await touchCrds(cluster, first, { look, isMeant: isLikelyStuck, signal });
  const pending = new Set(first.map(({ ref }) => identityOf(ref)));
  const left = await waitUntilGone(
    refs.filter((ref) => pending.has(identityOf(ref))),
    { deadlineSeconds: stepSeconds * CRD_STEPS - patience, observe, signal },
  );
  const time = now().getTime();
  await touchCrds(cluster, left, { look, isMeant: (crd) => isLikelyStuck(crd) || isForgotten(crd, time), signal });
  return left;
}

interface TouchOptions extends Pick<StuckCrdsOptions, 'look' | 'signal'> {
  readonly isMeant: (crd: KubeObject) => boolean;
}

async function touchCrds(
  cluster: Pick<Cluster, 'patch'>,
  left: readonly Unready[],
  options: TouchOptions,
): Promise<void> {
  const crds = left.map(({ ref }) => ref).filter(isCrd);
  await Promise.all(crds.map((ref) => touchCrd(cluster, ref, options)));
}

/** Any write makes the API server process a CRD again. It may be gone already. */
async function touchCrd(
  cluster: Pick<Cluster, 'patch'>,
  ref: ObjectRef,
  { look, isMeant, signal }: TouchOptions,
): Promise<void> {
  const crd = await look(ref);
  if (crd?.metadata.deletionTimestamp === undefined || !isMeant(crd)) return;
  const { resourceVersion = '' } = crd.metadata;
  const patch = { metadata: { resourceVersion, annotations: { [TOUCHED]: resourceVersion } } };
  try {
    await cluster.patch(ref, patch, undefined, signal);
  } catch (error) {
    explainFailure(error, describeRef(ref)); // throws a defect; a refusal means that another writer touched it
  }
}

/**
 * Whether a deletion hangs in the API server: it does if it came soon after the creation, and it is retried with
 * growing pauses if it failed. Any other CRD waits for its turn, and a write puts it back in the queue.
 */
function isLikelyStuck({ metadata, status }: KubeObject): boolean {
  const { creationTimestamp = '', deletionTimestamp = '' } = metadata;
  const seconds = (Date.parse(deletionTimestamp) - Date.parse(creationTimestamp)) / 1000;
  const conditions = listOf(fieldsOf(status)['conditions']);
  const failed = conditions.some(({ type, reason }) => type === 'Terminating' && STUCK_REASONS.has(textOf(reason)));
  return failed || !(seconds > YOUNG_SECONDS);
}

const STUCK_REASONS: ReadonlySet<string> = new Set(['InstanceDeletionFailed', 'InstanceDeletionCheck']);

/** Whether a deletion takes so long that one write can do no harm. */
function isForgotten({ metadata }: KubeObject, now: number): boolean {
  const { deletionTimestamp = '', annotations } = metadata;
  return annotations?.[TOUCHED] === undefined && !(now - Date.parse(deletionTimestamp) < FORGOTTEN_SECONDS * 1000);
}
