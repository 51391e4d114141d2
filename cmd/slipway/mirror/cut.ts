/** Cuts a catalog down to some bundles: the documents of their packages, and the channels with the entries that are left. Pure. */
import { formatJson } from '../../../api/json.ts';
import { isRecord, listOf, textOf } from '../../../api/untyped.ts';
import { CATALOG_FOLDER, CATALOG_LABEL } from '../../../bundles/image-labels.ts';
import { DEFAULT_LIMITS } from '../../../catalog/limits.ts';
import { parseDocuments, wholeValue, type RawDocument } from '../../../catalog/stream.ts';
import { catalogFilesOf } from '../../../catalog/tree.ts';
import { buildImage, type BuiltImage } from '../../../oci/build.ts';

/** Names of bundles by the names of their packages. */
export type KeptBundles = ReadonlyMap<string, ReadonlySet<string>>;

/** The image of the catalog that is left; the same input gives the same bytes. */
export function cutCatalog(files: ReadonlyMap<string, Uint8Array>, kept: KeptBundles): BuiltImage {
  const lines: string[] = [];
  // The bytes of a document are valid until the next one is taken.
  for (const document of documentsOf(files)) lines.push(...cutDocument(document, kept));
  const content = Buffer.from(lines.map((line) => `${line}\n`).join(''));
  const path = `${CATALOG_FOLDER.slice(1)}/catalog.json`;
  return buildImage({ files: new Map([[path, content]]), labels: { [CATALOG_LABEL]: CATALOG_FOLDER } });
}

/** The documents of a catalog in memory, without the files that it says to ignore. */
export function* documentsOf(files: ReadonlyMap<string, Uint8Array>): Generator<RawDocument> {
  for (const { path, content } of catalogFilesOf(files)) yield* parseDocuments(path, content, DEFAULT_LIMITS);
}

function cutDocument(document: RawDocument, kept: KeptBundles): readonly string[] {
  const { schema, name, package: owner } = document.value;
  const bundles = kept.get(textOf(schema === 'olm.package' ? name : owner));
  if (bundles === undefined) return [];
  const asPublished = (): string => Buffer.from(document.bytes).toString('utf8');
  switch (schema) {
    case 'olm.bundle':
      return bundles.has(textOf(name)) ? [asPublished()] : [];
    case 'olm.channel':
      return [formatJson(cutChannel(wholeValue(document), bundles))];
    case 'olm.deprecations':
      return [formatJson(cutDeprecations(wholeValue(document), bundles))];
    default:
      return [asPublished()];
  }
}

/** A channel without entries stays: the default channel of a package has to exist. */
function cutChannel(channel: RawDocument['value'], bundles: ReadonlySet<string>): object {
  return { ...channel, entries: listOf(channel['entries']).filter(({ name }) => bundles.has(textOf(name))) };
}

function cutDeprecations(document: RawDocument['value'], bundles: ReadonlySet<string>): object {
  const entries = listOf(document['entries']).filter(({ reference }) => {
    if (!isRecord(reference) || reference['schema'] !== 'olm.bundle') return true;
    return bundles.has(textOf(reference['name']));
  });
  return { ...document, entries };
}
