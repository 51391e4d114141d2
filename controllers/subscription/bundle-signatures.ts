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

export interface BundleToCheck {
  /** Reference by digest. */
  readonly image: string;
  /** Undefined if the Catalog that offered the bundle is gone. */
  readonly catalog: Pick<Catalog, 'metadata' | 'spec'> | undefined;
  readonly pullSecret: string | undefined;
  readonly revisions: readonly Revision[];
}

/**
 * The result of the check; without the Catalog, that of the Revision that has the image already. Throws the errors of
 * CheckSignatures, to be retried after the Catalog's interval if they are about signatures.
 */
export async function checkBundle(
  check: CheckSignatures,
  { image, catalog, pullSecret, revisions }: BundleToCheck,
  signal: AbortSignal,
): Promise<Signature | undefined> {
  if (catalog === undefined) return revisions.find(({ spec }) => spec.image === image)?.spec.signature;
  try {
    return await check(catalog, { image, content: 'Bundles', pullSecret }, signal);
  } catch (error) {
    if (!(error instanceof ReasonedError) || !SIGNATURE_REASONS.has(error.reason)) throw error;
    const { reason, message, hint } = error;
    const afterSeconds = parseDuration(catalog.spec.interval ?? DEFAULT_INTERVAL, INTERVAL_BOUNDS);
    throw new ReasonedError({
      reason,
      retry: { afterSeconds },
      message,
      cause: error,
      ...(hint !== undefined && { hint }),
    });
  }
}

/** Reports a bundle that is used without a trusted signature, because the policy only warns. */
export function reportUntrusted(record: RecordEvent, subscription: Subscription, signature?: Signature): void {
  const { problem } = signature ?? {};
  if (problem === undefined) return;
  const note = `The bundle is installed without a trusted signature. ${problem}`;
  record(subscription, { type: 'Warning', reason: 'Unsigned', action: 'Verify', note });
}
