/** Prepares the bundle of a Revision: with the pull secret of its Catalog, and for a new Revision with its signatures checked. */
import { awaitedLater } from '../../api/awaited-later.ts';
import { ReasonedError } from '../../api/errors.ts';
import { canonicalJson } from '../../api/json.ts';
import { keyOfObject } from '../../api/object.ts';
import type { PodImageSignature, Signature } from '../../api/signature.ts';
import type { Images } from '../../plan/images.ts';
import { configHash } from '../config-hash.ts';
import { servesOperatorConditions } from '../wants-operator-condition.ts';
import type { BundlesAhead } from './ahead.ts';
import { checkBundle, retriedAtInterval } from './bundle-signatures.ts';
import type { Target } from './action.ts';
import type { SubscriptionDeps } from './deps.ts';
import { planPull } from './images.ts';
import { checkPodImages } from './pod-images.ts';
import type { SubscriptionFacts } from './observe.ts';
import { withOtherVersions } from './other-versions.ts';
import { prepareBundle, type BundleToPrepare, type PreparedBundle } from './prepare-bundle.ts';

/**
 * Begins to pull while the status is written. Not if an account is named: if it does not exist, nothing may be pulled.
 */
export function prepareEarly(
  deps: SubscriptionDeps,
  facts: SubscriptionFacts,
  { target, signal }: { readonly target: Target; readonly signal: AbortSignal },
): Promise<PreparedBundle> | undefined {
  if (facts.subscription.spec.serviceAccountName !== undefined) return undefined;
  return awaitedLater(prepareNew(deps, facts, { target, signal }));
}

/** The bundle of a new Revision, whose signatures are checked. */
export async function prepareNew(
  deps: SubscriptionDeps,
  facts: SubscriptionFacts,
  { target, signal }: { readonly target: Target; readonly signal: AbortSignal },
): Promise<PreparedBundle> {
  const { image } = target.bundle;
  return prepare(deps, facts, { target, image, signal, ...checksOf(deps, facts, { target, signal }) });
}

/** The checks by the policies of the moment when they are called: the pull before them may take long. */
function checksOf(
  deps: SubscriptionDeps,
  { revisions, subscription }: SubscriptionFacts,
  { target, signal }: { readonly target: Target; readonly signal: AbortSignal },
): Required<Pick<Preparation, 'checkSignatures' | 'checkImages'>> {
  const { catalog: catalogName } = target;
  const warn = (note: string): void =>
    deps.record(subscription, { type: 'Warning', reason: 'ImageNotPinned', action: 'Verify', note });
  return {
    checkSignatures: async (image, pullSecret) => {
      const catalog = deps.catalogOf(catalogName);
      return checkBundle(deps.checkSignatures, { image, catalogName, catalog, pullSecret, revisions }, signal);
    },
    checkImages: (images) =>
      retriedAtInterval(deps.catalogOf(catalogName), () =>
        checkPodImages(deps.checkSignatures, { images, policies: deps.policies, warn }, signal),
      ),
  };
}

interface Preparation {
  readonly target: Target;
  readonly image: string;
  /** Absent for the image of a Revision: it was checked when the Revision was made. */
  readonly checkSignatures?: (image: string, pullSecret: string | undefined) => Promise<Signature | undefined>;
  /** Absent for the image of a Revision: its Pod images were checked when the Revision was made. */
  readonly checkImages?: (images: Images) => Promise<readonly PodImageSignature[]>;
  readonly signal: AbortSignal;
}

/** The bundle of a Revision that exists, or of a new one. */
export async function prepare(
  deps: SubscriptionDeps,
  facts: SubscriptionFacts,
  preparation: Preparation,
): Promise<PreparedBundle> {
  const { key, check, run } = planPreparation(deps, facts, preparation);
  const ahead = await deps.ahead?.take(key);
  try {
    return ahead === undefined ? await run() : await checkAgain(ahead, check, preparation.checkImages);
  } catch (error) {
    throw withOtherVersions(error, facts, preparation.target);
  }
}

/** Begins to prepare the bundle that is likely to be requested next; nothing waits for it. */
export function prepareAhead(
  deps: SubscriptionDeps,
  facts: SubscriptionFacts,
  { target, signal }: { readonly target: Target; readonly signal: AbortSignal },
): void {
  const { image } = target.bundle;
  // A tag may name another image by then. If an account is named and does not exist, nothing may be pulled.
  if (!image.includes('@sha256:') || facts.subscription.spec.serviceAccountName !== undefined)
    return deps.ahead?.drop(keyOfObject(facts.subscription));
  // The images of its Pods are checked when it is used.
  const { checkSignatures } = checksOf(deps, facts, { target, signal });
  try {
    const { key, run } = planPreparation(deps, facts, { target, image, signal, checkSignatures });
    deps.ahead?.begin(key, run);
  } catch (error) {
    // It is reported when the bundle is requested.
    if (!(error instanceof ReasonedError)) throw error;
  }
}

/** The policies may be others since: the signatures of a bundle are checked when it is used. */
async function checkAgain(
  ahead: PreparedBundle,
  check: BundleToPrepare['checkSignatures'],
  checkImages: BundleToPrepare['checkImages'],
): Promise<PreparedBundle> {
  const { signature: _signature, ...bundle } = ahead;
  const signature = await check?.(bundle.image);
  const imageSignatures = await checkImages?.(bundle.images);
  return {
    ...bundle,
    ...(signature !== undefined && { signature }),
    ...(imageSignatures !== undefined && { imageSignatures }),
  };
}

interface PlannedPreparation {
  readonly key: Parameters<BundlesAhead['begin']>[0];
  readonly check: BundleToPrepare['checkSignatures'];
  readonly run: () => Promise<PreparedBundle>;
}

/** Throws as planPull does. */
function planPreparation(
  deps: SubscriptionDeps,
  facts: SubscriptionFacts,
  { target, image, checkSignatures, checkImages, signal }: Preparation,
): PlannedPreparation {
  const { secretOf } = planPull(facts, target);
  const pullSecret = secretOf === undefined ? undefined : deps.catalogOf(secretOf)?.spec.pullSecret?.name;
  const { subscription, cluster } = facts;
  const { kubernetesVersion } = cluster;
  const hasConditions = servesOperatorConditions(cluster.providedKinds);
  const check = checkSignatures && ((pulled: string) => checkSignatures(pulled, pullSecret));
  const wanted = {
    subscription,
    image,
    servesOperatorConditions: hasConditions,
    ...(kubernetesVersion !== undefined && { kubernetesVersion }),
    ...(deps.foreseeCertificates !== undefined && { foreseeCertificates: deps.foreseeCertificates }),
    ...(check !== undefined && { checkSignatures: check }),
    ...(checkImages !== undefined && { checkImages }),
  };
  const content = canonicalJson([image, configHash(subscription), kubernetesVersion, hasConditions, pullSecret]);
  return {
    key: { owner: keyOfObject(subscription), content },
    check,
    run: () => prepareBundle(deps.bundles(pullSecret), wanted, signal),
  };
}
