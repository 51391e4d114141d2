/** Makes one side of a plan from a bundle, exactly as the manager renders it for a Subscription. Pure. */
import type { Subscription } from '../../../api/subscription.ts';
import { leaveOutImpossible } from '../../../apply/impossible.ts';
import { prepareObjects } from '../../../apply/prepare.ts';
import type { Bundle, Property } from '../../../bundles/bundle.ts';
import { renderBundle } from '../../../bundles/render/render.ts';
import { wantsOperatorCondition } from '../../../controllers/wants-operator-condition.ts';
import type { PlannedSide } from '../../../plan/input.ts';

export interface BundleOfSide {
  readonly bundle: Bundle;
  readonly image?: string;
  /** As the catalog has it; absent: that of the bundle. */
  readonly version?: string;
  /** As the catalog has them; absent: those of the bundle. */
  readonly properties?: readonly Property[];
}

/** @throws ReasonedError as renderBundle does */
export function sideOf(subscription: Subscription, { bundle, image, version, properties }: BundleOfSide): PlannedSide {
  const { name } = subscription.metadata;
  const { namespace = '' } = subscription.metadata;
  const { watchNamespaces, config, certificates } = subscription.spec;
  const rendered = renderBundle(bundle, {
    namespace,
    certificates: certificates === 'CertManager' ? 'cert-manager' : 'manager',
    ...(watchNamespaces !== undefined && { watchNamespaces }),
    ...(config !== undefined && { config }),
    // Without a cluster it is not known whether the kind is served.
    operatorCondition: wantsOperatorCondition(subscription, bundle, false),
  });
  const { kept } = leaveOutImpossible(rendered);
  const options = {
    owner: { namespace, name },
    package: subscription.spec.package,
    revision: name,
    installNamespace: namespace,
  };
  return {
    bundle: bundle.csv.name,
    version: version ?? bundle.csv.spec.version ?? '',
    ...(image !== undefined && { image }),
    objects: prepareObjects(kept, options),
    properties: properties ?? propertiesOf(bundle),
  };
}

const REQUIRED = new Map([
  ['olm.package', 'olm.package.required'],
  ['olm.gvk', 'olm.gvk.required'],
]);

/** The dependencies of a bundle, under the types that a catalog gives them. */
function propertiesOf({ properties, dependencies }: Bundle): readonly Property[] {
  const required = dependencies.map(({ type, value }) => ({
    type: REQUIRED.get(type) ?? type,
    value: type === 'olm.package' ? renamed(value) : value,
  }));
  return [...properties, ...required];
}

function renamed(value: unknown): unknown {
  const { packageName, version } = value as { readonly packageName?: unknown; readonly version?: unknown };
  return { packageName, versionRange: version };
}
