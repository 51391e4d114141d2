/**
 * Makes the `olm.bundle` document of a bundle out of its directory: its identity, the kinds that it provides and
 * requires, its images, and its manifests or their excerpt. `slipway catalog` and the templates call it. The result
 * equals the output of the reference tool for the same directory.
 */
import { ReasonedError } from '../api/errors.ts';
import { parseJson } from '../api/json.ts';
import { BUNDLE_ANNOTATION } from '../bundles/annotations.ts';
import { openMetadata, type FindMetadata } from '../bundles/metadata-file.ts';
import { readAnnotations } from '../bundles/metadata.ts';
import { checkBundleSize } from '../bundles/size.ts';
import { DEFAULT_YAML_LIMITS, YamlError, parseFirstYaml } from '../bundles/yaml.ts';
import { checkShape } from '../bundles/yaml/limits.ts';
import { buildCsvMetadata } from './csv-metadata.ts';
import { field, listField, objectField, textField } from './fields.ts';
import { isRecord, type Fields } from '../api/untyped.ts';
import { compareBytes, formatGoJson } from './go-json.ts';
import type { Property } from './model.ts';

export type BundleBlob = {
  readonly schema: 'olm.bundle';
  readonly name: string;
  readonly package: string;
  readonly image: string;
  readonly properties: readonly Property[];
  readonly relatedImages: readonly { readonly name: string; readonly image: string }[];
};

export interface BlobOptions {
  /** Reference of the bundle's image, by tag or digest. */
  readonly image: string;
  /**
   * How the document carries the manifests: whole, as the properties `olm.bundle.object` (clusters before OLM v1 may
   * need them), or as the excerpt `olm.csv.metadata`.
   */
  readonly manifests: 'objects' | 'excerpt';
}

/** The directory of a bundle, parsed. */
export interface BundleDirectory extends Declared {
  readonly packageName: string;
  /** Of metadata/. */
  readonly annotations: ReadonlyMap<string, string>;
  readonly csv: Fields;
  /** Of manifests/, the ClusterServiceVersion among them. */
  readonly objects: readonly Fields[];
}

/**
 * Parses a directory, given as its files by path (`manifests/…`, `metadata/…`). As in the reference, only the first
 * document of a file counts; hidden files and deeper folders do not count.
 *
 * Throws ReasonedError `BundleInvalid`, not retried, if the directory has no ClusterServiceVersion or no package name,
 * or if a manifest cannot be parsed; `BundleTooLarge` if a file exceeds a limit, or all of them together do.
 */
export function parseBundleDirectory(files: ReadonlyMap<string, Uint8Array>): BundleDirectory {
  checkBundleSize(files);
  const objects = parseManifests(files);
  const csv = objects.findLast((object) => textField(object, 'kind') === 'ClusterServiceVersion');
  if (csv === undefined) throw invalidBundle('manifests/', 'there is no ClusterServiceVersion');
  const find = openMetadata(files);
  const annotations = readAnnotations(find);
  const packageName = annotations.get(BUNDLE_ANNOTATION.package) ?? '';
  if (packageName === '') throw invalidBundle('metadata/annotations.yaml', `there is no ${BUNDLE_ANNOTATION.package}`);
  return { packageName, annotations, csv, objects, ...declaredProperties(find, csv) };
}

/**
 * The entry of the bundle in that directory.
 * @see https://olm.operatorframework.io/docs/reference/file-based-catalogs/#olmbundle
 */
export function buildBundleBlob(directory: BundleDirectory, { image, manifests }: BlobOptions): BundleBlob {
  const { packageName, csv, objects } = directory;
  return {
    schema: 'olm.bundle',
    name: textField(objectField(csv, 'metadata'), 'name') ?? '',
    package: packageName,
    image,
    properties: [
      ...sortProperties(bundleProperties(directory)),
      ...(manifests === 'objects' ? sortProperties(objects.map(inlined)) : [excerpt(csv)]),
    ],
    relatedImages: relatedImages(csv, image),
  };
}

function parseManifests(files: ReadonlyMap<string, Uint8Array>): Fields[] {
  const objects: Fields[] = [];
  for (const path of [...files.keys()].sort(compareBytes)) {
    if (!/^manifests\/[^./][^/]*$/.test(path)) continue;
    const first = parseFirst(path, files.get(path)!);
    if (first !== undefined) objects.push(first);
  }
  return objects;
}

function parseMetadata(find: FindMetadata, name: Parameters<FindMetadata>[0]): Fields {
  const file = find(name);
  if (file?.error !== undefined) throw unreadable(file.path, file.error);
  return isRecord(file?.content) ? file.content : {};
}

function parseFirst(path: string, content: Uint8Array): Fields | undefined {
  try {
    const first = parseFirstYaml(content)?.value;
    return isRecord(first) ? first : undefined;
  } catch (error) {
    throw error instanceof YamlError ? unreadable(path, error) : error;
  }
}

function unreadable(path: string, error: YamlError): ReasonedError {
  if (error.kind === 'limit') return tooLarge(path, error);
  return invalidBundle(path, `the YAML cannot be read: ${error.message}`);
}

/** The properties that metadata/ and the annotation `olm.properties` state. */
interface Declared {
  readonly declared: readonly Property[];
  readonly dependencies: readonly Property[];
}

function declaredProperties(find: FindMetadata, csv: Fields): Declared {
  const annotation = textField(objectField(objectField(csv, 'metadata'), 'annotations'), 'olm.properties');
  return {
    declared: [
      ...propertiesIn(listField(parseMetadata(find, 'properties'), 'properties')),
      ...propertiesIn(annotation === undefined ? [] : parseAnnotation(annotation)),
    ],
    dependencies: propertiesIn(listField(parseDependencies(find), 'dependencies')),
  };
}

/** Dependencies that cannot be parsed count as none, as in the reference; those beyond a limit do not. */
function parseDependencies(find: FindMetadata): Fields {
  try {
    return parseMetadata(find, 'dependencies');
  } catch (error) {
    if (error instanceof ReasonedError && error.reason !== 'BundleTooLarge') return {};
    throw error;
  }
}

function parseAnnotation(text: string): readonly unknown[] {
  try {
    const value = parseJson(text);
    checkShape(value, DEFAULT_YAML_LIMITS);
    return Array.isArray(value) ? value : [];
  } catch {
    throw invalidBundle('manifests/', 'the annotation olm.properties is not JSON');
  }
}

function propertiesIn(list: readonly unknown[]): Property[] {
  return list.filter(isRecord).map((item) => ({ type: textField(item, 'type') ?? '', value: field(item, 'value') }));
}

/** All but the manifests. An API counts once, however many places state it. */
function bundleProperties({ csv, objects, packageName, declared, dependencies }: BundleDirectory): Property[] {
  const spec = objectField(csv, 'spec');
  const apis = new Map<string, Property>();
  const others: Property[] = [];
  const stated = [...declared, ...dependencies.map(requirement), ...statedApis(spec, objects)];
  for (const property of stated) {
    if (API_TYPES.has(property.type)) apis.set(formatGoJson([property.type, property.value]), property);
    else others.push(property);
  }
  const identity = { type: 'olm.package', value: { packageName, version: textField(spec, 'version') ?? '' } };
  return [...(declared.some(({ type }) => type === 'olm.package') ? [] : [identity]), ...others, ...apis.values()];
}

const API_TYPES: ReadonlySet<string> = new Set(['olm.gvk', 'olm.gvk.required']);

/** A dependency as the property that a catalog has for it. */
function requirement({ type, value }: Property): Property {
  if (!isRecord(value)) return { type, value };
  if (type === 'olm.gvk') return { type: 'olm.gvk.required', value: gvk(value) };
  if (type !== 'olm.package') return { type, value };
  const [packageName, versionRange] = ['packageName', 'version'].map((name) => textField(value, name) ?? '');
  return { type: 'olm.package.required', value: { packageName, versionRange } };
}

/** The APIs that the CRDs and the ClusterServiceVersion provide and require. */
function* statedApis(spec: Fields, objects: readonly Fields[]): Generator<Property> {
  for (const object of objects) if (textField(object, 'kind') === 'CustomResourceDefinition') yield* crdApis(object);
  const services = objectField(spec, 'apiservicedefinitions');
  for (const api of listField(services, 'owned').filter(isRecord)) yield { type: 'olm.gvk', value: gvk(api) };
  for (const api of listField(services, 'required').filter(isRecord))
    yield { type: 'olm.gvk.required', value: gvk(api) };
  for (const crd of listField(objectField(spec, 'customresourcedefinitions'), 'required').filter(isRecord)) {
    const name = textField(crd, 'name') ?? '';
    yield { type: 'olm.gvk.required', value: { ...gvk(crd), group: name.slice(name.indexOf('.') + 1) } };
  }
}

function* crdApis(object: Fields): Generator<Property> {
  const spec = objectField(object, 'spec');
  const kind = textField(objectField(spec, 'names'), 'kind') ?? '';
  const group = textField(spec, 'group') ?? '';
  for (const version of listField(spec, 'versions').filter(isRecord)) {
    yield { type: 'olm.gvk', value: { group, kind, version: textField(version, 'name') ?? '' } };
  }
  const single = textField(spec, 'version') ?? ''; // of v1beta1
  if (single !== '') yield { type: 'olm.gvk', value: { group, kind, version: single } };
}

function gvk(api: Fields): Fields {
  const [group, kind, version] = ['group', 'kind', 'version'].map((name) => textField(api, name) ?? '');
  return { group, kind, version };
}

function sortProperties(properties: readonly Property[]): Property[] {
  return properties
    .map((property) => ({ property, text: formatGoJson(property.value) }))
    .sort((a, b) => compareBytes(a.property.type, b.property.type) || compareBytes(a.text, b.text))
    .map(({ property }) => property);
}

function inlined(object: Fields): Property {
  return { type: 'olm.bundle.object', value: { data: Buffer.from(formatGoJson(object)).toString('base64') } };
}

function excerpt(csv: Fields): Property {
  return { type: 'olm.csv.metadata', value: buildCsvMetadata(csv) };
}

/** Those that the ClusterServiceVersion names, the bundle's own and those of its Deployments, sorted by image. */
function relatedImages(csv: Fields, image: string): BundleBlob['relatedImages'] {
  const spec = objectField(csv, 'spec');
  const found = listField(spec, 'relatedImages')
    .filter(isRecord)
    .map((related) => ({ name: textField(related, 'name') ?? '', image: textField(related, 'image') ?? '' }));
  const known = new Set(found.map((related) => related.image));
  for (const further of [image, ...operatorImages(spec)]) {
    if (known.has(further)) continue;
    known.add(further);
    found.push({ name: '', image: further });
  }
  return found.sort((a, b) => compareBytes(a.image, b.image));
}

function* operatorImages(spec: Fields): Generator<string> {
  for (const deployment of listField(objectField(objectField(spec, 'install'), 'spec'), 'deployments').filter(
    isRecord,
  )) {
    const pod = objectField(objectField(objectField(deployment, 'spec'), 'template'), 'spec');
    for (const container of [...listField(pod, 'containers'), ...listField(pod, 'initContainers')].filter(isRecord)) {
      yield textField(container, 'image') ?? '';
    }
  }
}

function invalidBundle(path: string, what: string): ReasonedError {
  return new ReasonedError({ reason: 'BundleInvalid', retry: 'never', message: `bundle file ${path}: ${what}` });
}

function tooLarge(path: string, { message, cause }: YamlError): ReasonedError {
  return new ReasonedError({
    reason: 'BundleTooLarge',
    retry: 'never',
    message: `bundle file ${path}: the YAML cannot be read: ${message}`,
    hint: 'Split the file, use fewer aliases, or leave out unneeded values',
    cause,
  });
}
