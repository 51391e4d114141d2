/**
 * Parses one document of a catalog: a package, channel, bundle or deprecations; a document of an unknown schema is kept
 * by its keys. Foreign data may be defective: values that cannot be parsed are left out and named in `problems`, so
 * that one bad entry does not make the whole catalog unusable. check.ts checks the rules of the format.
 */
import { BULKY_PROPERTIES } from './bulk.ts';
import {
  type CatalogBundle,
  type Channel,
  type ChannelEntry,
  type Deprecation,
  MIN_KUBE_VERSION,
  type Property,
} from './model.ts';
import { field, foldCase, listField, textField } from './fields.ts';
import { isRecord, type Fields } from '../api/untyped.ts';
import { invalidCatalog, type DocumentPlace } from './invalid.ts';

/** The three keys by which every document of a catalog is found; empty if the document has none. */
export interface BlobKeys {
  readonly schema: string;
  readonly package: string;
  readonly name: string;
}

/** The parsed content of a document. `problems` names values that were left out. */
export type Meaning = { readonly problems: readonly string[] } & (
  | { readonly kind: 'package'; readonly defaultChannel: string; readonly description?: string }
  | { readonly kind: 'channel'; readonly channel: Channel }
  | { readonly kind: 'bundle'; readonly bundle: CatalogBundle }
  | { readonly kind: 'deprecations'; readonly deprecations: readonly Deprecation[] }
  | { readonly kind: 'other' }
);

const KEYS = ['schema', 'package', 'name'] as const;
/** Twice the length of names in Kubernetes; the index holds keys several times. */
const MAX_KEY_LENGTH = 512;

/**
 * The keys of a document, matched without regard to case.
 *
 * Throws ReasonedError `CatalogInvalid` if two keys differ only in case, one of the three is no text, or the
 * schema is missing; the reference implementation refuses the whole catalog then, too. Nor may they be very long.
 */
export function parseKeys(document: Fields, place: DocumentPlace): BlobKeys {
  const found: Record<(typeof KEYS)[number], string> = { schema: '', package: '', name: '' };
  const spellings = new Map<string, string>();
  for (const key of Object.keys(document)) {
    const folded = foldCase(key);
    const other = spellings.get(folded);
    if (other !== undefined) throw invalidCatalog(place, `the keys "${other}" and "${key}" are the same`);
    spellings.set(folded, key);
  }
  for (const key of KEYS) {
    const spelling = spellings.get(key);
    if (spelling === undefined) continue;
    const value = document[spelling];
    if (typeof value !== 'string') throw invalidCatalog(place, `the value of "${spelling}" is not a text`);
    if (value.length > MAX_KEY_LENGTH) {
      throw invalidCatalog(place, `the value of "${spelling}" is longer than ${MAX_KEY_LENGTH} characters`);
    }
    found[key] = value;
  }
  if (found.schema === '') throw invalidCatalog(place, 'the document has no schema');
  return found;
}

/** Parses a document with these keys. Never throws. */
export function parseMeaning(keys: BlobKeys, document: Fields): Meaning {
  const problems: string[] = [];
  switch (keys.schema) {
    case 'olm.package': {
      const description = textField(document, 'description');
      reportNoText(document, ['defaultChannel', 'description'], { of: 'the package', problems });
      return {
        kind: 'package',
        defaultChannel: textField(document, 'defaultChannel') ?? '',
        ...(description !== undefined && description !== '' && { description }),
        problems,
      };
    }
    case 'olm.channel':
      return { kind: 'channel', channel: { name: keys.name, entries: parseEntries(document, problems) }, problems };
    case 'olm.bundle':
      return { kind: 'bundle', bundle: parseBundle(keys, document, problems), problems };
    case 'olm.deprecations':
      return { kind: 'deprecations', deprecations: parseDeprecations(document, problems), problems };
    default:
      return { kind: 'other', problems };
  }
}

function parseEntries(document: Fields, problems: string[]): ChannelEntry[] {
  const entries: ChannelEntry[] = [];
  for (const entry of objectsOf(document, 'entries', problems)) {
    const name = textField(entry, 'name');
    if (name === undefined || name === '') {
      report(problems, 'an entry has no name');
      continue;
    }
    for (const edge of malformedEdges(entry)) report(problems, edge);
    const replaces = textField(entry, 'replaces');
    const skipRange = textField(entry, 'skipRange');
    entries.push({
      name,
      ...(replaces !== undefined && replaces !== '' && { replaces }),
      skips: listField(entry, 'skips').filter((skip) => typeof skip === 'string'),
      ...(skipRange !== undefined && skipRange !== '' && { skipRange }),
    });
  }
  return entries;
}

/** The fields of an entry whose edges are left out. */
function malformedEdges(entry: Fields): readonly string[] {
  const skips = field(entry, 'skips') ?? [];
  const isText = (value: unknown): boolean => typeof value === 'string';
  return [
    ...(isText(field(entry, 'replaces') ?? '') ? [] : ['the replaces of an entry is not a text']),
    ...(isText(field(entry, 'skipRange') ?? '') ? [] : ['the skipRange of an entry is not a text']),
    ...(Array.isArray(skips) ? [] : ['the skips of an entry are not a list']),
    ...(!Array.isArray(skips) || skips.every((skip) => isText(skip ?? '')) ? [] : ['a skip of an entry is not a text']),
  ];
}

function parseBundle(keys: BlobKeys, document: Fields, problems: string[]): CatalogBundle {
  const properties: Property[] = [];
  let identity: Fields | undefined;
  let inlined = false;
  for (const property of objectsOf(document, 'properties', problems)) {
    const type = textField(property, 'type') ?? '';
    inlined ||= type === 'olm.bundle.object';
    const value = field(property, 'value') ?? null;
    if (BULKY_PROPERTIES.has(type)) {
      const version = isRecord(value) ? textField(value, 'minKubeVersion') : undefined;
      if (version !== undefined && version !== '') properties.push({ type: MIN_KUBE_VERSION, value: version });
      continue;
    }
    if (type === 'olm.package' && isRecord(value)) identity ??= value;
    properties.push({ type, value });
  }
  if (identity === undefined) report(problems, 'the bundle has no property olm.package, so no version');
  else reportNoText(identity, ['version', 'release', 'packageName'], { of: 'the property olm.package', problems });
  reportNoText(document, ['image'], { of: 'the bundle', problems });
  const release = identity === undefined ? undefined : textField(identity, 'release');
  return {
    name: keys.name,
    package: keys.package,
    version: (identity === undefined ? undefined : textField(identity, 'version')) ?? '',
    ...(release !== undefined && release !== '' && { release }),
    image: textField(document, 'image') ?? '',
    ...(inlined && { inlined }),
    properties,
    relatedImages: objectsOf(document, 'relatedImages', problems).map((related) => ({
      name: textField(related, 'name') ?? '',
      image: textField(related, 'image') ?? '',
    })),
  };
}

function parseDeprecations(document: Fields, problems: string[]): Deprecation[] {
  const deprecations: Deprecation[] = [];
  for (const entry of objectsOf(document, 'entries', problems)) {
    const reference = field(entry, 'reference');
    const schema = isRecord(reference) ? textField(reference, 'schema') : undefined;
    if (!isRecord(reference) || !isDeprecatable(schema)) {
      report(problems, 'a deprecation refers to neither a package, a channel nor a bundle');
      continue;
    }
    const name = schema === 'olm.package' ? undefined : textField(reference, 'name');
    const message = textField(entry, 'message') ?? '';
    deprecations.push({ schema, ...(name !== undefined && name !== '' && { name }), message });
  }
  return deprecations;
}

function isDeprecatable(schema: string | undefined): schema is Deprecation['schema'] {
  return schema === 'olm.package' || schema === 'olm.channel' || schema === 'olm.bundle';
}

interface TextOwner {
  /** `the bundle` */
  readonly of: string;
  readonly problems: string[];
}

/** Names the fields that have another value than a text: YAML reads 4.10 without quotes as the number 4.1. */
function reportNoText(object: Fields, names: readonly string[], { of, problems }: TextOwner): void {
  for (const name of names) {
    const value = field(object, name);
    if (value === undefined || typeof value === 'string') continue;
    const advice = typeof value === 'number' ? '; put the number in quotes' : '';
    report(problems, `${name} of ${of} is not a text${advice}`);
  }
}

/** A problem counts once, however often it occurs. */
function report(problems: string[], problem: string): void {
  if (!problems.includes(problem)) problems.push(problem);
}

/** The objects in a list; every other item is a problem. */
function objectsOf(document: Fields, name: string, problems: string[]): Fields[] {
  const value = field(document, name);
  if (value === undefined) return [];
  if (!Array.isArray(value)) {
    report(problems, `${name} is not a list`);
    return [];
  }
  const objects = value.filter(isRecord);
  if (objects.length < value.length) report(problems, `${name} has an item that is not an object`);
  return objects;
}
