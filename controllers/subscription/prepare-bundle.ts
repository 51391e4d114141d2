/** From a bundle in a registry to objects that are ready to be stored: pull, parse, render, pack. */
import type { Subscription } from '../../api/subscription.ts';
import { parseBundle } from '../../bundles/parse.ts';
import { renderBundle } from '../../bundles/render/render.ts';
import { BUNDLE_LIMITS, pullFiles } from '../../oci/image.ts';
import { formatReference, parseReference, withDigest } from '../../oci/reference.ts';
import type { Registry } from '../../oci/registry.ts';
import { packManifests, type PackedManifests } from '../manifests.ts';

const FOLDERS = ['manifests/', 'metadata/'];

export interface PreparedBundle {
  /** Reference by digest of what was pulled. */
  readonly image: string;
  readonly manifests: PackedManifests;
}

/**
 * Pulls and renders a bundle as the Subscription configures it.
 *
 * @throws what a registry throws; BundleInvalid, BundleUnsupported, BundleTooLarge, InstallModeUnsupported and
 *   InvalidConfiguration, which are never retried
 */
export async function prepareBundle(
  registry: Registry,
  { subscription, image }: { readonly subscription: Subscription; readonly image: string },
  signal: AbortSignal,
): Promise<PreparedBundle> {
  const reference = parseReference(image);
  const pulled = await pullFiles(registry, reference, { folders: FOLDERS, limits: BUNDLE_LIMITS, signal });
  const { watchNamespaces, config, certificates } = subscription.spec;
  const objects = renderBundle(parseBundle(pulled.files), {
    namespace: subscription.metadata.namespace ?? '',
    certificates: certificates === 'CertManager' ? 'cert-manager' : 'manager',
    ...(watchNamespaces !== undefined && { watchNamespaces }),
    ...(config !== undefined && { config }),
  });
  return { image: formatReference(withDigest(reference, pulled.digest)), manifests: await packManifests(objects) };
}
