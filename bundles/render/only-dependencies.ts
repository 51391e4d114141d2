/**
 * The object of a bundle that has none of its own: some packages consist of their dependencies. An installed
 * version is known by its objects: without any, it would look like one that never was.
 */
import { ReasonedError } from '../../api/errors.ts';
import type { KubeObject } from '../../api/object.ts';
import type { Bundle } from '../bundle.ts';
import { isSubdomain } from '../validate/check.ts';
import { uniqueName } from './names.ts';
import type { RenderContext } from './options.ts';

/**
 * The objects, or if there are none a ConfigMap that stands for them. @throws ReasonedError BundleInvalid, never retried,
 * for a bundle that has no dependencies either: as an upgrade it would delete the operator.
 */
export function orOnlyDependencies(objects: readonly KubeObject[], { bundle, options }: RenderContext): typeof objects {
  if (objects.length > 0) return objects;
  const { name } = bundle.csv;
  if (!hasDependencies(bundle)) throw isEmpty(name);
  const metadata = {
    name: isSubdomain(name) ? name : uniqueName('dependencies', name),
    namespace: options.namespace,
  };
  const content = `${name} of the package ${bundle.package} has no objects of its own, only dependencies`;
  return [{ apiVersion: 'v1', kind: 'ConfigMap', metadata, data: { content } }];
}

function hasDependencies({ dependencies, properties, csv: { spec } }: Bundle): boolean {
  const kinds = [spec.customresourcedefinitions.required, spec.apiservicedefinitions.required];
  const isStated = properties.some(({ type }) => type.endsWith('.required') || type === 'olm.constraint');
  return isStated || dependencies.length > 0 || kinds.some((required = []) => required.length > 0);
}

function isEmpty(name: string): ReasonedError {
  return new ReasonedError({
    reason: 'BundleInvalid',
    retry: 'never',
    message: `${name} has neither objects nor dependencies`,
    hint: 'To uninstall the operator, delete the Subscription; the author of the bundle may have left out its manifests',
  });
}
