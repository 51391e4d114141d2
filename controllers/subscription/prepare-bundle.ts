/** From a bundle in a registry to objects that are ready to be stored: pull, parse, render, pack. */
import type { PodImageSignature, Signature } from '../../api/signature.ts';
import type { Subscription } from '../../api/subscription.ts';
import { ReasonedError } from '../../api/errors.ts';
import type { ObjectRef } from '../../api/object.ts';
import type { Bundle } from '../../bundles/bundle.ts';
import { refuseCatalogImage } from '../../bundles/image-labels.ts';
import { parseBundle } from '../../bundles/parse.ts';
import { renderBundle, type RenderOptions } from '../../bundles/render/render.ts';
import { requiredIn, type RequiredCertificate } from '../../bundles/render/required-certificates.ts';
import { leaveOutImpossible, type Impossible } from '../../apply/impossible.ts';
import { createSlots } from '../../apply/slots.ts';
import { BUNDLE_LIMITS, pullFiles } from '../../oci/image.ts';
import { formatReference, parseReference, withDigest } from '../../oci/reference.ts';
import type { ImageSource } from '../../oci/source.ts';
import { isOlder } from '../../resolver/cluster.ts';
import { imagesOf, type Images } from '../../plan/images.ts';
import { requireUsableConfig } from '../bounded-config.ts';
import { packManifests, type PackedManifests } from '../manifests.ts';
import { createPreparations } from '../preparations.ts';
import { wantsOperatorCondition } from '../wants-operator-condition.ts';

const FOLDERS = ['manifests/', 'metadata/'];

export interface BundleToPrepare {
  readonly subscription: Subscription;
  readonly image: string;
  /** Version of the API server; absent if it is not known. */
  readonly kubernetesVersion?: string;
  /** Whether the cluster serves OLM's OperatorConditions. */
  readonly servesOperatorConditions?: boolean;
  /** Checks the signatures of the image, by digest, before anything of it is parsed. */
  readonly checkSignatures?: (image: string) => Promise<Signature | undefined>;
  /** Called as soon as it is known that the manager issues certificates for the bundle. */
  readonly foreseeCertificates?: () => void;
  /** Checks the signatures of the images that its Pods run. */
  readonly checkImages?: (images: Images) => Promise<readonly PodImageSignature[]>;
}

export interface PreparedBundle {
  /** Reference by digest of the image that was pulled. */
  readonly image: string;
  readonly manifests: PackedManifests;
  /** The images that its Pods run. */
  readonly images: Images;
  /** The certificates that the manager issues for it. */
  readonly certificates: readonly RequiredCertificate[];
  /** Objects of the bundle that no API server accepts. */
  readonly leftOut: readonly Impossible[];
  /** Objects of the bundle that are too large to be judged before they are applied. */
  readonly notJudged: readonly ObjectRef[];
  /** Absent if the Catalog requires no signature. */
  readonly signature?: Signature;
  /** Of the images that its Pods run, for those over which a policy demands signatures. */
  readonly imageSignatures?: readonly PodImageSignature[];
}

/**
 * Pulls and renders a bundle as the Subscription configures it.
 *
 * @throws the errors of a registry and of the check of signatures; InvalidSpec, BundleInvalid, BundleUnsupported, BundleTooLarge, InstallModeUnsupported and
 * InvalidConfiguration, which are never retried
 */
export function prepareBundle(
  source: ImageSource,
  toPrepare: BundleToPrepare,
  signal: AbortSignal,
): Promise<PreparedBundle> {
  return PREPARATIONS(() => pullAndRender(source, toPrepare, signal));
}

const PREPARATIONS = createPreparations();

async function pullAndRender(
  source: ImageSource,
  toPrepare: BundleToPrepare,
  signal: AbortSignal,
): Promise<PreparedBundle> {
  requireUsableConfig(toPrepare.subscription);
  const reference = parseReference(toPrepare.image);
  const pulled = await pullFiles(source, reference, { folders: FOLDERS, limits: BUNDLE_LIMITS, signal });
  const image = formatReference(withDigest(reference, pulled.digest));
  const signature = await toPrepare.checkSignatures?.(image);
  refuseCatalogImage(pulled.labels);
  const rendered = await RENDERING(() => renderFiles(pulled.files, toPrepare));
  const imageSignatures = await toPrepare.checkImages?.(rendered.images);
  return {
    image,
    ...rendered,
    ...(signature !== undefined && { signature }),
    ...(imageSignatures !== undefined && { imageSignatures }),
  };
}

/** One bundle at a time: rendering blocks the only thread, and takes many times the bundle's size in memory. */
const RENDERING = createSlots(1);

async function renderFiles(
  files: ReadonlyMap<string, Uint8Array<ArrayBuffer>>,
  toPrepare: BundleToPrepare,
): Promise<Pick<PreparedBundle, 'manifests' | 'certificates' | 'leftOut' | 'notJudged' | 'images'>> {
  const { kept, certificates, ...judged } = renderAndRelease(files, toPrepare);
  return { manifests: await packManifests(kept), certificates, ...judged, images: imagesOf(kept) };
}

/** A function of its own, so that the documents of the files are garbage before the objects are packed. */
function renderAndRelease(
  files: ReadonlyMap<string, Uint8Array<ArrayBuffer>>,
  { subscription, kubernetesVersion, servesOperatorConditions = false, foreseeCertificates }: BundleToPrepare,
): ReturnType<typeof leaveOutImpossible> & Pick<PreparedBundle, 'certificates'> {
  const { watchNamespaces, config, certificates: issuer } = subscription.spec;
  const bundle = parseBundle(files);
  release(files);
  requireKubernetes(bundle, kubernetesVersion);
  const options: RenderOptions = {
    namespace: subscription.metadata.namespace ?? '',
    certificates: issuer === 'CertManager' ? 'cert-manager' : 'manager',
    ...(watchNamespaces !== undefined && { watchNamespaces }),
    ...(config !== undefined && { config }),
    operatorCondition: wantsOperatorCondition(subscription, bundle, servesOperatorConditions),
  };
  const objects = renderBundle(bundle, options);
  const certificates = options.certificates === 'manager' ? requiredIn(objects) : [];
  if (certificates.length > 0) foreseeCertificates?.();
  return { ...leaveOutImpossible(objects), certificates };
}

/** Gives the memory back at once: the collector would keep it until long after the objects are rendered. */
function release(files: ReadonlyMap<string, Uint8Array<ArrayBuffer>>): void {
  for (const { buffer } of files.values()) buffer.transfer(0);
}

/** Not every catalog contains the Kubernetes version that a bundle needs; the bundle itself does. */
function requireKubernetes({ csv }: Bundle, has: string | undefined): void {
  const { minKubeVersion: needs } = csv.spec;
  if (needs === undefined || has === undefined || !isOlder(has, needs)) return;
  throw new ReasonedError({
    reason: 'BundleUnsupported',
    retry: 'never',
    message: `${csv.name} needs Kubernetes ${needs} or later, and the cluster has ${has}`,
    hint: 'Ask for an older version by spec.version, or upgrade the cluster',
  });
}
