/** Gathers the parts of documents that the checks need, so that a large catalog fits in memory. */
import { field, listField, textField } from '../fields.ts';
import { isRecord, type Fields } from '../../api/untyped.ts';
import type { DocumentPlace } from '../invalid.ts';
import type { ChannelEntry } from '../model.ts';
import { parseKeys, parseMeaning } from '../parse.ts';
import { formProblems, type Forms } from './form.ts';
import { propertyProblem } from './properties.ts';

export interface SeenPackage {
  readonly name: string;
  readonly defaultChannel: string;
  readonly malformed: readonly string[];
  readonly place: DocumentPlace;
}

export interface SeenChannel {
  readonly name: string;
  readonly package: string;
  readonly entries: readonly ChannelEntry[];
  readonly emptySkips: readonly string[];
  readonly malformed: readonly string[];
  readonly place: DocumentPlace;
}

export interface SeenBundle {
  readonly name: string;
  readonly package: string;
  readonly image: string;
  readonly inlined: boolean;
  readonly relatedImages: readonly string[];
  /** Values of the properties `olm.package`. */
  readonly identities: readonly { readonly packageName: string; readonly version: string; readonly release?: string }[];
  /** Of its properties. */
  readonly problems: readonly string[];
  readonly malformed: readonly string[];
  readonly place: DocumentPlace;
}

export interface SeenDeprecations {
  readonly package: string;
  readonly entries: readonly { readonly schema: string; readonly name: string; readonly message: string }[];
  readonly malformed: readonly string[];
  readonly place: DocumentPlace;
}

/** A catalog as far as the checks need it, in the order of its documents. */
export interface Collected {
  readonly packages: SeenPackage[];
  readonly channels: SeenChannel[];
  readonly bundles: SeenBundle[];
  readonly deprecations: SeenDeprecations[];
}

/** An empty collection. */
export function newCollection(): Collected {
  return { packages: [], channels: [], bundles: [], deprecations: [] };
}

/** Adds a document. Throws ReasonedError `CatalogInvalid` if it has no proper keys. */
export function collect(into: Collected, document: Fields, place: DocumentPlace): void {
  const keys = parseKeys(document, place);
  const meaning = parseMeaning(keys, document);
  const malformed = malformedParts(keys.schema, document);
  const common = { name: keys.name, package: keys.package, malformed, place };
  if (meaning.kind === 'package') into.packages.push({ ...common, defaultChannel: meaning.defaultChannel });
  else if (meaning.kind === 'channel') {
    const { entries } = meaning.channel;
    into.channels.push({
      ...common,
      entries,
      emptySkips: emptySkips(entries),
      malformed: [...malformed, ...nameless(document)],
    });
  } else if (meaning.kind === 'bundle') {
    const { image, inlined = false, relatedImages } = meaning.bundle;
    into.bundles.push({
      ...common,
      image,
      inlined,
      relatedImages: relatedImages.map((related) => related.image),
      identities: identitiesOf(document),
      problems: listField(document, 'properties').flatMap((property, index) => propertyProblem(property, index) ?? []),
    });
  } else if (meaning.kind === 'deprecations') {
    into.deprecations.push({ package: keys.package, entries: deprecationsOf(document), malformed, place });
  }
}

/**
 * The fields that the reference tools read from a document, by its schema; the properties of bundles have rules of
 * their own.
 */
const DOCUMENTS: Readonly<Record<string, Forms>> = {
  'olm.package': {
    defaultChannel: 'text',
    icon: { base64data: 'bytes', mediatype: 'text' },
    description: 'text',
    properties: [{ type: 'text' }],
  },
  'olm.channel': {
    entries: [{ name: 'text', replaces: 'text', skips: 'texts', skipRange: 'text' }],
    properties: [{ type: 'text' }],
  },
  'olm.bundle': { image: 'text', properties: 'list', relatedImages: [{ name: 'text', image: 'text' }] },
  'olm.deprecations': { entries: [{ reference: { schema: 'text', name: 'text' }, message: 'text' }] },
};

function malformedParts(schema: string, document: Fields): readonly string[] {
  const form = Object.hasOwn(DOCUMENTS, schema) ? DOCUMENTS[schema] : undefined;
  return form === undefined ? [] : [...formProblems(document, form, '')];
}

function nameless(document: Fields): readonly string[] {
  return listField(document, 'entries').flatMap((entry, index) =>
    (entry === null || isRecord(entry)) && (field(entry ?? {}, 'name') ?? '') === ''
      ? [`entries[${index}] has no name`]
      : [],
  );
}

function emptySkips(entries: readonly ChannelEntry[]): string[] {
  return entries.filter(({ skips }) => skips.includes('')).map(({ name }) => name);
}

function identitiesOf(document: Fields): SeenBundle['identities'] {
  return listField(document, 'properties')
    .filter(isRecord)
    .filter((property) => textField(property, 'type') === 'olm.package')
    .map(identityOf);
}

function identityOf(property: Fields): SeenBundle['identities'][number] {
  const value = field(property, 'value');
  if (!isRecord(value)) return { packageName: '', version: '' };
  const release = textField(value, 'release') ?? '';
  return {
    packageName: textField(value, 'packageName') ?? '',
    version: textField(value, 'version') ?? '',
    ...(release !== '' && { release }),
  };
}

function deprecationsOf(document: Fields): SeenDeprecations['entries'] {
  return listField(document, 'entries').map((item) => {
    const entry = isRecord(item) ? item : {};
    const reference = field(entry, 'reference');
    return {
      schema: isRecord(reference) ? (textField(reference, 'schema') ?? '') : '',
      name: isRecord(reference) ? (textField(reference, 'name') ?? '') : '',
      message: textField(entry, 'message') ?? '',
    };
  });
}
