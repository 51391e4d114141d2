/**
 * Which operators of a namespace require each other, as OLM v0 resolves them: by packages, kinds and constraints of their
 * bundles, which OLM keeps in an annotation, and by CRDs and APIServices of their ClusterServiceVersions. As long as an
 * operator requires another one, OLM would install the other again. Pure.
 */
import type { KubeObject } from '../../api/object.ts';
import { fieldsOf, listOf, textOf, type Fields } from '../../api/untyped.ts';
import { dependentsOf } from '../../resolver/dependencies/removal.ts';
import { propertiesIn, type BundleProperty } from './properties.ts';

type Package = Parameters<typeof dependentsOf>[1][number];

/** The others of the namespace that require a ClusterServiceVersion; those that are deleted count no longer. */
export function dependentsIn(csv: KubeObject, csvs: readonly KubeObject[]): readonly KubeObject[] {
  return othersOf(csv, csvs).filter((one) => requires(one, csv));
}

/** The others of the namespace that a ClusterServiceVersion requires. */
export function requiredIn(csv: KubeObject, csvs: readonly KubeObject[]): readonly KubeObject[] {
  return othersOf(csv, csvs).filter((one) => requires(csv, one));
}

function othersOf(csv: KubeObject, csvs: readonly KubeObject[]): readonly KubeObject[] {
  const { name } = csv.metadata;
  return csvs.filter(({ metadata }) => metadata.name !== name && metadata.deletionTimestamp === undefined);
}

/** Of two alone, the resolver finds no circle that it would break by names. */
function requires(one: KubeObject, other: KubeObject): boolean {
  const provider = { ...packageOf(other), properties: packageOf(other).properties.filter(isOffer) };
  return dependentsOf(provider, [provider, packageOf(one)]).length > 0;
}

function isOffer({ type }: BundleProperty): boolean {
  return !type.endsWith('.required') && type !== 'olm.constraint';
}

function packageOf(csv: KubeObject): Package {
  const properties = [...propertiesIn(csv), ...definedBy(csv, 'customresourcedefinitions'), ...definedBy(csv, 'apiservicedefinitions')]; // prettier-ignore
  const own = fieldsOf(properties.find(({ type }) => type === 'olm.package')?.value);
  const version = textOf(own['version']) || textOf(fieldsOf(csv['spec'])['version']);
  const name = csv.metadata.name;
  const names = { bundle: name, package: textOf(own['packageName']) || name, catalog: '', image: '' };
  return { ...names, version, properties, dependency: false };
}

/** Whatever version is named: a CRD serves more of them than the one that its owner names. */
const ANY_VERSION = '*';

function definedBy(
  csv: KubeObject,
  list: 'customresourcedefinitions' | 'apiservicedefinitions',
): readonly BundleProperty[] {
  const definitions = fieldsOf(fieldsOf(csv['spec'])[list]);
  return ['owned', 'required'].flatMap((which) =>
    listOf(definitions[which]).map((one) => ({
      type: which === 'owned' ? 'olm.gvk' : 'olm.gvk.required',
      value: { group: groupIn(one, list), version: ANY_VERSION, kind: textOf(one['kind']) },
    })),
  );
}

/** The name of a CRD is `<plural>.<group>`. */
function groupIn({ name, group }: Fields, list: string): string {
  return list === 'apiservicedefinitions' ? textOf(group) : textOf(name).split('.').slice(1).join('.');
}
