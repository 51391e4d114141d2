import type { Manifest } from '../bundle.ts';
import { at, duplicates, type Check, type FoundBy } from './check.ts';

/** What the API server refuses in a CRD besides its schema. */
export const crdStructure: Check = {
  name: 'crd-structure',
  suite: 'format',
  *run({ crds }) {
    for (const manifest of crds) {
      const found = (path: string, message: string, advice: string): FoundBy => ({
        ...at(manifest),
        level: 'error',
        path,
        message,
        advice,
      });
      yield* checkNames(manifest, found);
      yield* checkVersions(manifest, found);
      yield* checkConversion(manifest, found);
    }
  },
};

type Found = (path: string, message: string, advice: string) => FoundBy;
type Fields = Readonly<Record<string, unknown>>;

function specOf({ object }: Manifest): Fields {
  return map(object['spec']);
}

function map(value: unknown): Fields {
  return value !== null && typeof value === 'object' && !Array.isArray(value) ? (value as Fields) : {};
}

function* checkNames(manifest: Manifest, found: Found): Iterable<FoundBy> {
  const { group, names, scope } = specOf(manifest);
  const { plural, kind } = map(names);
  const { name } = manifest.object.metadata;
  for (const [path, value] of Object.entries({ group, 'names.plural': plural, 'names.kind': kind })) {
    if (typeof value !== 'string' || value === '') yield found(`spec.${path}`, `spec.${path} is missing`, 'Add it');
  }
  const wanted = `${String(plural)}.${String(group)}`;
  if (name !== wanted) {
    yield found(
      'metadata.name',
      `the CRD is named "${name}"`,
      `It must be ${wanted}, from spec.names.plural and spec.group`,
    );
  }
  if (scope === 'Namespaced' || scope === 'Cluster' || (scope === undefined && isBeta(manifest))) return;
  yield found('spec.scope', `the scope ${JSON.stringify(scope) ?? '""'} does not exist`, 'Use Namespaced or Cluster');
}

function isBeta({ object }: Manifest): boolean {
  return object.apiVersion === 'apiextensions.k8s.io/v1beta1';
}

function versionsOf(manifest: Manifest): readonly Fields[] {
  const { version, versions } = specOf(manifest);
  if (Array.isArray(versions) && versions.length > 0) return versions.map(map);
  return isBeta(manifest) && version !== undefined ? [{ name: version, served: true, storage: true }] : [];
}

function* checkVersions(manifest: Manifest, found: Found): Iterable<FoundBy> {
  const versions = versionsOf(manifest);
  const path = 'spec.versions';
  const repeated = duplicates(versions.map(({ name }) => String(name)));
  if (repeated.length > 0) {
    yield found(path, `the version ${repeated.join(' and ')} is there several times`, 'Keep one of each');
  }
  const stored = versions.filter(({ storage }) => storage === true);
  if (stored.length !== 1) {
    const advice = 'Set storage to true for exactly one version';
    yield found(path, `${stored.length} versions are marked as the one that is stored`, advice);
  }
  if (isBeta(manifest)) return;
  for (const [index, { name, schema }] of versions.entries()) {
    if (Object.keys(map(schema)).length > 0) continue;
    const finding = found(
      `${path}[${index}].schema`,
      `the version ${String(name)} has no schema`,
      'Add openAPIV3Schema',
    );
    yield { ...finding, level: 'warning' };
  }
}

function* checkConversion(manifest: Manifest, found: Found): Iterable<FoundBy> {
  const { strategy, webhook } = map(specOf(manifest)['conversion']);
  if (strategy === undefined || strategy === 'None' || isBeta(manifest)) return;
  if (strategy !== 'Webhook') {
    yield found(
      'spec.conversion.strategy',
      `the strategy ${JSON.stringify(strategy)} does not exist`,
      'Use None or Webhook',
    );
    return;
  }
  const { conversionReviewVersions } = map(webhook);
  if (Array.isArray(conversionReviewVersions) && conversionReviewVersions.length > 0) return;
  const path = 'spec.conversion.conversionReviewVersions';
  yield found(path, 'it is not said which versions of reviews the conversion webhook takes', 'Add ["v1"]');
}
