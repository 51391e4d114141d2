/** Prepares the bundle of a Revision: with the pull secret of its Catalog, and for a new Revision with its signatures checked. */
import type { PodImageSignature, Signature } from '../../api/signature.ts';
import type { Images } from '../../plan/images.ts';
import { checkBundle, retriedAtInterval } from './bundle-signatures.ts';
import type { Target } from './decide.ts';
import type { SubscriptionDeps } from './deps.ts';
import { planPull } from './images.ts';
import { checkPodImages } from './pod-images.ts';
import type { SubscriptionFacts } from './observe.ts';
import { withOtherVersions } from './other-versions.ts';
import { prepareBundle, type PreparedBundle } from './prepare-bundle.ts';

/**
 * Begins to pull while the status is written. Not if an account is named: if it does not exist, nothing may be pulled.
 */
export function prepareEarly(
  deps: SubscriptionDeps,
  facts: SubscriptionFacts,
  { target, signal }: { readonly target: Target; readonly signal: AbortSignal },
): Promise<PreparedBundle> | undefined {
  if (facts.subscription.spec.serviceAccountName !== undefined) return undefined;
  const prepared = prepareNew(deps, facts, { target, signal });
  // Awaited later: a rejection before that must not count as unhandled.
  prepared.catch(() => undefined);
  return prepared;
}

/** The bundle of a new Revision, whose signatures are checked. */
export async function prepareNew(
  deps: SubscriptionDeps,
  facts: SubscriptionFacts,
  { target, signal }: { readonly target: Target; readonly signal: AbortSignal },
): Promise<PreparedBundle> {
  const { catalog: catalogName } = target;
  const { revisions, subscription } = facts;
  const warn = (note: string): void =>
    deps.record(subscription, { type: 'Warning', reason: 'ImageNotPinned', action: 'Verify', note });
  // The policy of the moment of the check: the pull before it may take long.
  const checkSignatures: Preparation['checkSignatures'] = async (image, pullSecret) => {
    const catalog = deps.catalogOf(catalogName);
    return checkBundle(deps.checkSignatures, { image, catalogName, catalog, pullSecret, revisions }, signal);
  };
  const checkImages = (images: Images): Promise<readonly PodImageSignature[]> =>
    retriedAtInterval(deps.catalogOf(catalogName), () =>
      checkPodImages(deps.checkSignatures, { images, policies: deps.policies, warn }, signal),
    );
  return prepare(deps, facts, { target, image: target.bundle.image, checkSignatures, checkImages, signal });
}

interface Preparation {
  readonly target: Target;
  readonly image: string;
  /** Absent for the image of a Revision: it was checked when the Revision was made. */
  readonly checkSignatures?: (image: string, pullSecret: string | undefined) => Promise<Signature | undefined>;
  /** Absent likewise. */
  readonly checkImages?: (images: Images) => Promise<readonly PodImageSignature[]>;
  readonly signal: AbortSignal;
}

/** The bundle of a Revision that exists, or of a new one. */
export async function prepare(
  deps: SubscriptionDeps,
  facts: SubscriptionFacts,
  { target, image, checkSignatures, checkImages, signal }: Preparation,
): Promise<PreparedBundle> {
  const { secretOf } = planPull(facts, target);
  const pullSecret = secretOf === undefined ? undefined : deps.catalogOf(secretOf)?.spec.pullSecret?.name;
  const source = deps.bundles(pullSecret);
  const { subscription, cluster } = facts;
  const { kubernetesVersion } = cluster;
  const wanted = {
    subscription,
    image,
    ...(kubernetesVersion !== undefined && { kubernetesVersion }),
    ...(checkSignatures !== undefined && {
      checkSignatures: (pulled: string) => checkSignatures(pulled, pullSecret),
    }),
    ...(checkImages !== undefined && { checkImages }),
  };
  try {
    return await prepareBundle(source, wanted, signal);
  } catch (error) {
    throw withOtherVersions(error, facts, target);
  }
}
