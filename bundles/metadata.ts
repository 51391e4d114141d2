/** Reads the files of `metadata/`: annotations, properties, dependencies. */
import { isRecord } from '../api/untyped.ts';
import { ReasonedError } from '../api/errors.ts';
import { parseJson } from '../api/json.ts';
import { BUNDLE_ANNOTATION } from './annotations.ts';
import type { Bundle, Manifest, Property } from './bundle.ts';
import { unreadable } from './file.ts';
import { goJson, sortedKeys } from './go-json.ts';
import { metadataField as field, type FindMetadata, type MetadataFile } from './metadata-file.ts';

const PROPERTIES = 'olm.properties';

/**
 * `annotations` of `metadata/annotations.yaml`, or of another file that has them. A list or map in an annotation that no
 * tool reads is left out, as in opm and OLM v1. @throws ReasonedError BundleInvalid if they are missing or no map.
 */
export function readAnnotations(find: FindMetadata): ReadonlyMap<string, string> {
  const file = find('annotations');
  if (file === undefined) {
    throw invalid('metadata/annotations.yaml', 'the file is missing', 'Is it the image or folder of a bundle');
  }
  const { path } = file;
  const annotations = field(contentOf(file), 'annotations') ?? {};
  if (!isRecord(annotations)) throw invalid(path, '"annotations" must be a map', 'Correct the field');
  const read = Object.entries(annotations).filter(([key, value]) => READ.has(key) || typeof (value ?? '') !== 'object');
  return new Map(read.map(([key, value]) => [key, annotationText(path, key, value)]));
}

const READ: ReadonlySet<string> = new Set(Object.values(BUNDLE_ANNOTATION));

function contentOf({ path, content, error }: MetadataFile): unknown {
  if (error !== undefined) throw unreadable(path, error);
  return content;
}

/** Numbers and booleans are taken as text: a package may be named `1`. @throws ReasonedError BundleInvalid for lists and maps */
export function annotationText(file: string, key: string, value: unknown): string {
  if (typeof value === 'string') return value;
  if (value === null) return '';
  if (typeof value === 'number' || typeof value === 'bigint' || typeof value === 'boolean') return String(value);
  throw invalid(file, `the annotation ${key} must be a string`, 'Correct the field');
}

/**
 * `properties` of `metadata/properties.yaml`, or of another file that has them; undefined if no file has them, or the
 * file is empty.
 */
export function readProperties(find: FindMetadata): readonly Property[] | undefined {
  const file = find('properties');
  if (file === undefined || file.isEmpty) return undefined;
  const list = field(contentOf(file), 'properties') ?? [];
  return checkProperties(list, (what) => invalid(file.path, what, 'Correct the file'));
}

/**
 * `dependencies` of `metadata/dependencies.yaml`, or of whichever file has them. Unreadable ones count as none, as for
 * the other tools; why is kept for validation.
 */
export function readDependencies(
  find: FindMetadata,
): Pick<Bundle, 'dependencies' | 'dependenciesFile' | 'dependenciesError'> {
  const file = find('dependencies');
  if (file === undefined) return { dependencies: [] };
  const { path } = file;
  try {
    const list = field(contentOf(file), 'dependencies') ?? [];
    const dependencies = checkProperties(list, (what) => invalid(path, what, 'Correct the file'));
    return { dependencies, dependenciesFile: path };
  } catch (error) {
    if (!(error instanceof ReasonedError) || error.reason === 'BundleTooLarge') throw error;
    return { dependencies: [], dependenciesFile: path, dependenciesError: error.message };
  }
}

/**
 * The properties of the CSV's annotation followed by those of the file, and the CSV's annotations with the merged
 * list, as OLM puts them on the operator's Pods.
 */
export function mergeProperties(
  { file, document }: Manifest,
  annotations: Readonly<Record<string, string>>,
  published: readonly Property[] | undefined,
): { readonly properties: readonly Property[]; readonly annotations: Readonly<Record<string, string>> } {
  const own = Object.hasOwn(annotations, PROPERTIES)
    ? parsePropertiesText(annotations[PROPERTIES] ?? '', `${file}, document ${document}`)
    : [];
  if (published === undefined) return { properties: own, annotations };
  const properties = [...own, ...published.map(({ type, value }) => ({ type, value: sortedKeys(value) }))];
  const text = properties.length === 0 ? 'null' : goJson(properties.map(({ type, value }) => ({ type, value })));
  return { properties, annotations: { ...annotations, [PROPERTIES]: text } };
}

function parsePropertiesText(text: string, place: string): readonly Property[] {
  const wrong = (what: string): ReasonedError =>
    invalid(place, `the annotation ${PROPERTIES} ${what}`, 'It must be a JSON list of {"type": …, "value": …}');
  let parsed: unknown;
  try {
    parsed = parseJson(text);
  } catch {
    throw wrong('is not JSON, or has an integer of more than 400 digits');
  }
  return checkProperties(parsed ?? [], wrong);
}

function checkProperties(list: unknown, wrong: (what: string) => ReasonedError): readonly Property[] {
  if (!Array.isArray(list)) throw wrong('must hold a list');
  return list.map((item: unknown, index) => {
    const type = field(item, 'type');
    if (typeof type !== 'string' || type === '') throw wrong(`must have a "type" in entry ${index + 1}`);
    return { type, value: field(item, 'value') ?? null };
  });
}

function invalid(place: string, what: string, hint: string): ReasonedError {
  return new ReasonedError({ reason: 'BundleInvalid', retry: 'never', message: `${place}: ${what}`, hint });
}
