/**
 * Turns a Bundle into the Kubernetes objects that install it, in the order in which they are to be applied, exactly as
 * OLM v1's renderer makes them, for all four install modes. Same bundle and options, same bytes.
 * Controllers and the CLI call it. It adds no labels of Slipway and looks at no cluster.
 */
import type { KubeObject } from '../api/object.ts';
import type { Bundle } from './bundle.ts';
import { renderAdditionalObjects } from './render/additional-objects.ts';
import { renderApiServices } from './render/api-services.ts';
import { renderCertificates } from './render/certificates.ts';
import { checkConfigNames } from './render/config/configure.ts';
import { renderClusterRoles } from './render/cluster-roles.ts';
import { renderCrds } from './render/crds.ts';
import { renderDeployments } from './render/deployments.ts';
import { pickTargets } from './render/install-mode.ts';
import type { RenderContext, RenderOptions } from './render/options.ts';
import { renderRoles } from './render/roles.ts';
import { renderServiceAccounts } from './render/service-accounts.ts';
import { renderServices } from './render/services.ts';
import { renderMutatingWebhooks, renderValidatingWebhooks } from './render/webhooks.ts';

export { injectCaBundles, requiredCertificates, type RequiredCertificate } from './render/certificates.ts';
export { INSTALL_MODES, supportedModes, type InstallMode } from './render/install-mode.ts';
export type { Certificates, RenderOptions } from './render/options.ts';

/** In the order of application. */
export const GENERATORS: readonly ((context: RenderContext) => readonly KubeObject[])[] = [
  renderServiceAccounts,
  renderRoles,
  renderClusterRoles,
  renderCrds,
  renderAdditionalObjects,
  renderDeployments,
  renderValidatingWebhooks,
  renderMutatingWebhooks,
  renderServices,
  renderCertificates,
  renderApiServices,
];

/**
 * The objects of an installation.
 * @throws ReasonedError InstallModeUnsupported, InvalidConfiguration, BundleInvalid or BundleUnsupported; not worth a
 * retry with the same bundle and options.
 */
export function renderBundle(bundle: Bundle, options: RenderOptions): readonly KubeObject[] {
  checkConfigNames(bundle, options.config);
  const context = { bundle, options, targets: pickTargets(bundle, options) };
  return GENERATORS.flatMap((generate) => generate(context));
}
