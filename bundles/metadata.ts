/** Reads the files of `metadata/`: annotations, properties, dependencies. */
import { isRecord } from '../api/untyped.ts';
import { ReasonedError } from '../api/errors.ts';
import { parseJson } from '../api/json.ts';
import type { Bundle, Manifest, Property } from './bundle.ts';
import { readFile } from './file.ts';
import { goJson, sortedKeys } from './go-json.ts';
import type { BundleLimits } from './limits.ts';
import { metadataField as field, metadataFile } from './metadata-file.ts';

type Files = ReadonlyMap<string, Uint8Array>;

const PROPERTIES = 'olm.properties';

/**
 * `annotations` of `metadata/annotations.yaml`, or of another file that has them. @throws ReasonedError BundleInvalid
 * if they are missing or no map.
 */
export function readAnnotations(files: Files, limits: BundleLimits): ReadonlyMap<string, string> {
  const file = metadataFile(files, 'annotations') ?? 'metadata/annotations.yaml';
  const bytes = files.get(file);
  if (bytes === undefined) throw invalid(file, 'the file is missing', 'Is it the image or folder of a bundle');
  const content = readFile(file, bytes, limits)[0]?.value;
  const annotations = field(content, 'annotations') ?? {};
  if (!isRecord(annotations)) throw invalid(file, '"annotations" must be a map', 'Correct the field');
  return new Map(Object.entries(annotations).map(([key, value]) => [key, annotationText(file, key, value)]));
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
export function readProperties(files: Files, limits: BundleLimits): readonly Property[] | undefined {
  const file = metadataFile(files, 'properties') ?? 'metadata/properties.yaml';
  const bytes = files.get(file);
  if (bytes === undefined || bytes.length === 0) return undefined;
  const content = readFile(file, bytes, limits)[0]?.value;
  return checkProperties(field(content, 'properties') ?? [], (what) => invalid(file, what, 'Correct the file'));
}

/**
 * `dependencies` of `metadata/dependencies.yaml`, or of whichever file has them. Unreadable ones count as none, as for
 * the other tools; why is kept for validation.
 */
export function readDependencies(
  files: Files,
  limits: BundleLimits,
): Pick<Bundle, 'dependencies' | 'dependenciesFile' | 'dependenciesError'> {
  const file = metadataFile(files, 'dependencies') ?? 'metadata/dependencies.yaml';
  const bytes = files.get(file);
  if (bytes === undefined) return { dependencies: [] };
  try {
    const content = readFile(file, bytes, limits)[0]?.value;
    const list = field(content, 'dependencies') ?? [];
    const dependencies = checkProperties(list, (what) => invalid(file, what, 'Correct the file'));
    return { dependencies, dependenciesFile: file };
  } catch (error) {
    if (!(error instanceof ReasonedError) || error.reason === 'BundleTooLarge') throw error;
    return { dependencies: [], dependenciesFile: file, dependenciesError: error.message };
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
    throw wrong('is not JSON');
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
