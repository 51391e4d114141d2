/**
 * Turns a Bundle into the Kubernetes objects that install it, in the order in which they are to be applied, as OLM v1's
 * renderer makes them but for docs/deviations.md, for all four install modes; with an OperatorCondition if that is asked for.
 * Same bundle and options, same bytes.
 * Controllers and the CLI call it. It adds no labels of Slipway and reads no cluster.
 */
import type { KubeObject } from '../../api/object.ts';
import type { Bundle } from '../bundle.ts';
import { renderAdditionalObjects } from './additional-objects.ts';
import { renderApiServices } from './api-services.ts';
import { renderCertificates } from './certificates.ts';
import { checkConfigNames } from './config/configure.ts';
import { renderClusterRoles } from './cluster-roles.ts';
import { renderCrds } from './crds.ts';
import { renderDeployments } from './deployments.ts';
import { pickTargets } from './install-mode.ts';
import type { RenderContext, RenderOptions } from './options.ts';
import { orOnlyDependencies } from './only-dependencies.ts';
import { renderOperatorCondition } from './operator-condition.ts';
import { checkCopies, checkRenderedSize, checkRoleCount } from './rendered-size.ts';
import { renderRoles } from './roles.ts';
import { renderServiceAccounts } from './service-accounts.ts';
import { renderServices } from './services.ts';
import { oneOfEach } from './one-of-each.ts';
import { renderMutatingWebhooks, renderValidatingWebhooks } from './webhooks.ts';
import { refuseBundle } from '../validate/validate.ts';

export { injectCaBundles } from './certificates.ts';
export { supportedModes, type InstallMode } from './install-mode.ts';
export { usesOperatorCondition } from './operator-condition.ts';
export type { Certificates, RenderOptions } from './options.ts';

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
  renderOperatorCondition,
];

/**
 * The objects of an installation.
 * @throws ReasonedError InstallModeUnsupported, InvalidConfiguration, BundleInvalid, BundleUnsupported or BundleTooLarge;
 * not worth a retry with the same bundle and options.
 */
export function renderBundle(bundle: Bundle, options: RenderOptions): readonly KubeObject[] {
  refuseBundle(bundle);
  checkConfigNames(bundle, options.config);
  const context = { bundle, options, targets: pickTargets(bundle, options) };
  checkRoleCount(context);
  checkCopies(context);
  const rendered = oneOfEach(GENERATORS.flatMap((generate) => generate(context)));
  const objects = orOnlyDependencies(rendered, context);
  checkRenderedSize(objects);
  return objects;
}
