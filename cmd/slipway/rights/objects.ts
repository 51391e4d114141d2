/** The objects of an installation, as the manager applies them: their rights are counted. Pure. */
import type { KubeObject } from '../../../api/object.ts';
import { leaveOutImpossible } from '../../../apply/impossible.ts';
import { prepareObjects } from '../../../apply/prepare.ts';
import type { Bundle } from '../../../bundles/parse.ts';
import { renderBundle } from '../../../bundles/render/render.ts';

export interface InstallationPlace {
  /** Of the Subscription and the operator. */
  readonly namespace: string;
  /** Name of the Subscription; absent, that of the package. */
  readonly name?: string;
  /** Absent, as the bundle allows. */
  readonly watchNamespaces?: readonly string[] | undefined;
}

/** @throws ReasonedError if the bundle cannot be rendered for the place; never worth a retry */
export function objectsToInstall(
  bundle: Bundle,
  { namespace, name = bundle.package, watchNamespaces }: InstallationPlace,
): readonly KubeObject[] {
  const rendered = leaveOutImpossible(
    renderBundle(bundle, {
      namespace,
      certificates: 'manager',
      ...(watchNamespaces !== undefined && { watchNamespaces }),
    }),
  ).kept;
  return prepareObjects(rendered, {
    owner: { namespace, name },
    package: bundle.package,
    revision: '',
    installNamespace: namespace,
  });
}
