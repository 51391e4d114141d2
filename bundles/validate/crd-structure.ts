import { type Fields, fieldsOf, isRecord } from '../../api/untyped.ts';
import type { Bundle, Manifest } from '../bundle.ts';
import { at, duplicates, isLabel, isSubdomain, asText, type Check, type FoundBy } from './check.ts';

/**
 * Finds mistakes for which the API server refuses a CRD, except those in the fields of its schema and in its printer
 * columns.
 */
export const crdStructure: Check = {
  name: 'crd-structure',
  suite: 'install',
  *run(bundle) {
    const converted = convertedBy(bundle);
    for (const manifest of bundle.crds) {
      const found = (path: string, message: string, advice: string): FoundBy => ({
        ...at(manifest),
        level: 'error',
        path,
        message,
        advice,
      });
      yield* checkNames(manifest, found);
      yield* checkVersions(manifest, found);
      if (isBeta(manifest)) continue;
      yield* checkPruning(manifest, found);
      yield* checkSchemas(manifest, found);
      if (!converted.has(manifest.object.metadata.name)) yield* checkConversion(manifest, found);
    }
  },
};

type MakeFinding = (path: string, message: string, advice: string) => FoundBy;

/** Names of the CRDs whose conversion is rendered from the CSV, which replaces the conversion of the CRD. */
export function convertedBy({ csv }: Bundle): ReadonlySet<string> {
  const webhooks = (csv.spec.webhookdefinitions ?? []).filter(({ type }) => type === 'ConversionWebhook');
  return new Set(webhooks.flatMap(({ conversionCRDs = [] }) => conversionCRDs));
}

function specOf({ object }: Manifest): Fields {
  return fieldsOf(object['spec']);
}

function* checkNames(manifest: Manifest, found: MakeFinding): Iterable<FoundBy> {
  const { group, names, scope } = specOf(manifest);
  const { plural, kind, singular, listKind } = fieldsOf(names);
  for (const [path, value] of Object.entries({ group, 'names.plural': plural, 'names.kind': kind })) {
    if (typeof value !== 'string' || value === '') yield found(`spec.${path}`, `spec.${path} is missing`, 'Add it');
  }
  const { name } = manifest.object.metadata;
  const wanted = `${asText(plural)}.${asText(group)}`;
  if (name !== wanted) {
    const advice = `It must be ${wanted}, from spec.names.plural and spec.group`;
    yield found('metadata.name', `the CRD is named "${name}"`, advice);
  }
  if (typeof group === 'string' && group !== '' && !(isSubdomain(group) && group.includes('.'))) {
    yield found('spec.group', `"${group}" cannot be a group`, 'Use a domain, as in gadgets.example.com');
  }
  for (const [path, value] of Object.entries({ plural, kind, singular, listKind })) {
    if (typeof value !== 'string' || value === '' || isLabel(value.toLowerCase())) continue;
    yield found(`spec.names.${path}`, `"${value}" cannot be a name of the kind`, LABEL_ADVICE);
  }
  if (scope === 'Namespaced' || scope === 'Cluster' || (scope === undefined && isBeta(manifest))) return;
  yield found('spec.scope', `the scope ${asText(scope) || '""'} does not exist`, 'Use Namespaced or Cluster');
}

const LABEL_ADVICE = 'Use at most 63 letters, digits and "-", a letter first and no "-" last';

function isBeta({ object }: Manifest): boolean {
  return object.apiVersion === 'apiextensions.k8s.io/v1beta1';
}

function versionsOf(manifest: Manifest): readonly Fields[] {
  const { version, versions } = specOf(manifest);
  if (Array.isArray(versions) && versions.length > 0) return versions.map(fieldsOf);
  return isBeta(manifest) && version !== undefined ? [{ name: version, served: true, storage: true }] : [];
}

function* checkVersions(manifest: Manifest, found: MakeFinding): Iterable<FoundBy> {
  const versions = versionsOf(manifest);
  const path = 'spec.versions';
  const repeated = duplicates(versions.map(({ name }) => asText(name)));
  if (repeated.length > 0) {
    yield found(path, `the version ${repeated.join(' and ')} is there several times`, 'Keep one of each');
  }
  const stored = versions.filter(({ storage }) => storage === true);
  if (stored.length !== 1) {
    const advice = 'Set storage to true for exactly one version';
    yield found(path, `${stored.length} versions are marked as the one that is stored`, advice);
  }
  for (const [index, { name }] of versions.entries()) {
    if (isLabel(asText(name))) continue;
    yield found(`${path}[${index}].name`, `"${asText(name)}" cannot be the name of a version`, LABEL_ADVICE);
  }
}

function* checkPruning(manifest: Manifest, found: MakeFinding): Iterable<FoundBy> {
  if (specOf(manifest)['preserveUnknownFields'] !== true) return;
  const advice = 'Set x-kubernetes-preserve-unknown-fields in the schema if fields are not known';
  yield found('spec.preserveUnknownFields', 'a CRD may no longer keep all unknown fields', advice);
}

function* checkSchemas(manifest: Manifest, found: MakeFinding): Iterable<FoundBy> {
  for (const [index, { name, schema }] of versionsOf(manifest).entries()) {
    const path = `spec.versions[${index}].schema.openAPIV3Schema`;
    const { openAPIV3Schema } = fieldsOf(schema);
    if (!isRecord(openAPIV3Schema)) {
      yield found(path, `the version ${asText(name)} has no schema`, 'Add openAPIV3Schema');
    } else if (!isOfObject(openAPIV3Schema)) {
      yield found(`${path}.type`, 'a custom resource is an object, which its schema must say', 'Set it to object');
    }
  }
}

/** Whether objects fit a root schema: it says so, or keeps unknown fields and says nothing. */
function isOfObject(root: Fields): boolean {
  const type = root['type'] ?? '';
  if (type !== '') return type === 'object';
  return root['x-kubernetes-preserve-unknown-fields'] === true && root['x-kubernetes-embedded-resource'] !== true;
}

function* checkConversion(manifest: Manifest, found: MakeFinding): Iterable<FoundBy> {
  const { strategy, webhook } = fieldsOf(specOf(manifest)['conversion']);
  if (strategy === undefined || strategy === null || strategy === 'None') return;
  if (strategy !== 'Webhook') {
    yield found('spec.conversion.strategy', `the strategy ${asText(strategy)} does not exist`, 'Use None or Webhook');
    return;
  }
  const { clientConfig, conversionReviewVersions } = fieldsOf(webhook);
  const { url, service } = fieldsOf(clientConfig);
  if (isMissing(url) === isMissing(service)) {
    const advice = 'Name it in spec.webhookdefinitions of the CSV, or give clientConfig a url or a service';
    yield found('spec.conversion.webhook.clientConfig', 'it is not said where the conversion webhook is', advice);
  }
  if (Array.isArray(conversionReviewVersions) && conversionReviewVersions.length > 0) return;
  const path = 'spec.conversion.webhook.conversionReviewVersions';
  yield found(path, 'it is not said which versions of reviews the conversion webhook takes', 'Add ["v1"]');
}

function isMissing(value: unknown): boolean {
  return value === undefined || value === null;
}
