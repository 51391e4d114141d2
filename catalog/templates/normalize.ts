/**
 * Writes hand-written documents of a catalog as the reference tools would: known fields under their right names,
 * without those that are unknown or empty. A document of an unknown schema stays as it is.
 */
import { field, listField, textField } from '../fields.ts';
import { isRecord, type Fields } from '../../api/untyped.ts';
import { type CatalogDocument, invalidTemplate } from './template.ts';

/** The document with the fields of its schema. Throws ReasonedError `CatalogInvalid` if it has no schema. */
export function normalizeDocument(document: Fields): CatalogDocument {
  const schema = textField(document, 'schema') ?? '';
  if (schema === '') throw invalidTemplate('an entry has no schema');
  switch (schema) {
    case 'olm.package':
      return {
        schema,
        ...texts(document, 'name', 'defaultChannel'),
        ...icon(document),
        ...texts(document, 'description'),
        ...properties(document),
      };
    case 'olm.channel':
      return { schema, ...texts(document, 'name', 'package'), entries: entries(document), ...properties(document) };
    case 'olm.deprecations':
      return {
        schema,
        ...texts(document, 'package'),
        entries: listField(document, 'entries').filter(isRecord).map(deprecation),
      };
    default:
      return { ...document, schema };
  }
}

function texts(document: Fields, ...names: readonly string[]): Fields {
  const found = names.map((name) => [name, textField(document, name) ?? ''] as const);
  return Object.fromEntries(found.filter(([, value]) => value !== ''));
}

function icon(document: Fields): Fields {
  const value = field(document, 'icon');
  return isRecord(value) ? { icon: texts(value, 'base64data', 'mediatype') } : {};
}

function properties(document: Fields): Fields {
  const list = listField(document, 'properties').filter(isRecord);
  if (list.length === 0) return {};
  return {
    properties: list.map((item) => ({ type: textField(item, 'type') ?? '', value: field(item, 'value') ?? null })),
  };
}

function entries(document: Fields): Fields[] {
  return listField(document, 'entries').filter(isRecord).map(channelEntry);
}

function channelEntry(entry: Fields): Fields {
  const skips = listField(entry, 'skips').filter((skip) => typeof skip === 'string');
  return { ...texts(entry, 'name', 'replaces'), ...(skips.length > 0 && { skips }), ...texts(entry, 'skipRange') };
}

function deprecation(entry: Fields): Fields {
  const reference = field(entry, 'reference');
  return { reference: isRecord(reference) ? texts(reference, 'schema', 'name') : {}, ...texts(entry, 'message') };
}
