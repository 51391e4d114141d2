/**
 * Checks the signatures of a Revision once more before it becomes active for the first time: it may have waited for a
 * person, a window or a dependency, and other demands may be in force by then. A check that was made under the same
 * demand is not repeated. An image that has worked is never checked: a rollback and the repair of lost manifests depend
 * neither on a registry nor on a policy that was changed since.
 */
import { ReasonedError } from '../../api/errors.ts';
import { hasWorked, type Revision } from '../../api/revision.ts';
import type { PodImageSignature, Signature } from '../../api/signature.ts';
import { imagesOf, type Images } from '../../plan/images.ts';
import { useManifests } from '../loads.ts';
import { demandsHash, demandsOn } from '../signature-demands.ts';
import { reportUntrusted, retriedAtInterval } from './bundle-signatures.ts';
import type { SubscriptionDeps } from './deps.ts';
import { planPull } from './images.ts';
import { bundleOf } from './installed-version.ts';
import type { SubscriptionFacts } from './observe.ts';
import { checkPodImages } from './pod-images.ts';

/**
 * Reports images that are used although they are not trusted. Throws the errors of CheckSignatures and of the check of
 * Pod images, to be retried after the Catalog's interval if they are about signatures, and ManifestsMissing (retried).
 */
export async function checkFirstActivation(
  deps: SubscriptionDeps,
  facts: SubscriptionFacts,
  { revision, signal }: { readonly revision: Revision; readonly signal: AbortSignal },
): Promise<void> {
  if (facts.revisions.some((one) => hasWorked(one) && one.spec.image === revision.spec.image)) return;
  const found = await retriedAtInterval(deps.catalogOf(revision.spec.catalog), async () => {
    const signature = await checkBundleImage(deps, facts, { revision, signal });
    const imageSignatures = await checkImages(deps, facts, { revision, signal });
    return { ...(signature !== undefined && { signature }), imageSignatures };
  });
  reportUntrusted(deps.record, facts.subscription, found);
}

interface WaitingRevision {
  readonly revision: Revision;
  readonly signal: AbortSignal;
}

/** Undefined also if the bundle was checked under the same demands when the Revision was made. */
async function checkBundleImage(
  deps: SubscriptionDeps,
  facts: SubscriptionFacts,
  { revision, signal }: WaitingRevision,
): Promise<Signature | undefined> {
  const { image, signature, catalog: name } = revision.spec;
  const catalog = deps.catalogOf(name);
  const asked = { image, content: 'Bundles' } as const;
  const demanded = demandsHash(demandsOn(catalog?.spec, asked, deps.policies));
  if (demanded === undefined || demanded === signature?.policy) return undefined;
  return deps.checkSignatures(catalog, { ...asked, pullSecret: secretFor(deps, facts, revision) }, signal);
}

/** The pull secret of the Catalog, if the image may be pulled with it; without it, the policy's counts. */
function secretFor({ catalogOf }: SubscriptionDeps, facts: SubscriptionFacts, revision: Revision): string | undefined {
  const { catalog, channel = '', configHash } = revision.spec;
  try {
    const { secretOf } = planPull(facts, { bundle: bundleOf(revision), catalog, channel, configHash });
    return secretOf === undefined ? undefined : catalogOf(secretOf)?.spec.pullSecret?.name;
  } catch (error) {
    if (error instanceof ReasonedError) return undefined;
    throw error;
  }
}

/** The results for the images that were not checked under the same demand when the Revision was made. */
async function checkImages(
  { policies, cluster, checkSignatures, record }: SubscriptionDeps,
  { subscription }: SubscriptionFacts,
  { revision, signal }: WaitingRevision,
): Promise<readonly PodImageSignature[]> {
  if (!policies.demandSignatures()) return [];
  const images = await imagesIn({ cluster, signal }, revision);
  const checked = new Map(revision.spec.imageSignatures?.map(({ image, policy }) => [image, policy]));
  const warn = (note: string): void =>
    record(subscription, { type: 'Warning', reason: 'ImageNotPinned', action: 'Verify', note });
  return checkPodImages(
    async (catalog, toCheck, aborted) => {
      const demanded = demandsHash(demandsOn(catalog?.spec, toCheck, policies));
      return demanded === checked.get(toCheck.image) ? undefined : checkSignatures(catalog, toCheck, aborted);
    },
    { images, policies, warn },
    signal,
  );
}

/** Nothing renders the manifests of a Revision again that was never active. */
async function imagesIn(reading: Parameters<typeof useManifests>[0], revision: Revision): Promise<Images> {
  try {
    return await useManifests(reading, revision, imagesOf);
  } catch (error) {
    if (!(error instanceof ReasonedError) || error.reason !== 'ManifestsMissing') throw error;
    const { reason, retry, message } = error;
    const hint = 'Delete the Revision: the manager makes its own';
    throw new ReasonedError({ reason, retry, message, hint, cause: error });
  }
}
