/**
 * Checks the signatures of a bundle before a Revision is made of it. An image that is refused is checked again as often
 * as its Catalog is refreshed: it may be signed later.
 */
import { DEFAULT_INTERVAL, INTERVAL_BOUNDS, type Catalog } from '../../api/catalog.ts';
import { parseDuration } from '../../api/duration.ts';
import { ReasonedError } from '../../api/errors.ts';
import type { Revision } from '../../api/revision.ts';
import type { Signature } from '../../api/signature.ts';
import type { Subscription } from '../../api/subscription.ts';
import { SIGNATURE_REASONS } from '../../signatures/flaw.ts';
import type { RecordEvent } from '../events.ts';
import type { CheckSignatures } from '../signature-checks.ts';
import type { PreparedBundle } from './prepare-bundle.ts';

export interface BundleToCheck {
  /** Reference by digest. */
  readonly image: string;
  readonly catalogName: string;
  /** Undefined if the Catalog that offered the bundle is gone. */
  readonly catalog: Pick<Catalog, 'metadata' | 'spec'> | undefined;
  readonly pullSecret: string | undefined;
  readonly revisions: readonly Revision[];
}

/**
 * The result of the check. Without the Catalog an image is taken only if a Revision has it already; the policies over it
 * count as before, and if they demand nothing, the result of that Revision does. Throws the errors of CheckSignatures, to
 * be retried after the Catalog's interval if they are about signatures; and CatalogNotFound (retried) for a new image,
 * since its demands went with the Catalog.
 */
export async function checkBundle(
  check: CheckSignatures,
  { image, catalogName, catalog, pullSecret, revisions }: BundleToCheck,
  signal: AbortSignal,
): Promise<Signature | undefined> {
  const known = catalog === undefined ? recorded(revisions, { image, catalogName }) : undefined;
  const checked = await retriedAtInterval(catalog, () =>
    check(catalog, { image, content: 'Bundles', pullSecret }, signal),
  );
  return checked ?? known;
}

/** Runs a check of signatures; one that fails is repeated after the Catalog's interval, since signatures may be added. */
export async function retriedAtInterval<Checked>(
  catalog: Pick<Catalog, 'spec'> | undefined,
  check: () => Promise<Checked>,
): Promise<Checked> {
  try {
    return await check();
  } catch (error) {
    if (!(error instanceof ReasonedError) || !SIGNATURE_REASONS.has(error.reason)) throw error;
    const afterSeconds = parseDuration(catalog?.spec.interval ?? DEFAULT_INTERVAL, INTERVAL_BOUNDS);
    throw error.withRetry({ afterSeconds });
  }
}

function recorded(
  revisions: readonly Revision[],
  { image, catalogName }: Pick<BundleToCheck, 'image' | 'catalogName'>,
): Signature | undefined {
  const revision = revisions.find(({ spec }) => spec.image === image);
  if (revision !== undefined) return revision.spec.signature;
  throw new ReasonedError({
    reason: 'CatalogNotFound',
    retry: 'backoff',
    message: `Catalog ${catalogName} was deleted before the signatures of ${image} could be checked against its spec.verify`,
  });
}

/** Reports a bundle, and images of its Pods, that are used without a trusted signature, because the policy only warns. */
export function reportUntrusted(
  record: RecordEvent,
  subscription: Subscription,
  { signature, imageSignatures = [] }: Pick<PreparedBundle, 'signature' | 'imageSignatures'>,
): void {
  const untrusted = [
    { what: 'The bundle', ...signature },
    ...imageSignatures.map((one) => ({ what: one.image, ...one })),
  ];
  for (const { what, problem } of untrusted) {
    if (problem === undefined) continue;
    const note = `${what} is installed without a trusted signature. ${problem}`;
    record(subscription, { type: 'Warning', reason: 'Unsigned', action: 'Verify', note });
  }
}
