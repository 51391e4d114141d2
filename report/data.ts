/** Writes data as JSON and YAML. Integers beyond 2^53 stay as they are. Pure. */
import { defineScalarTag, dump, DUMP_SCHEMA, NOT_RESOLVED } from 'js-yaml';
import { formatJson } from '../api/json.ts';
import { isText } from '../bundles/yaml/scalar.ts';
import { escapeJson } from './clean.ts';

/** JSON of two spaces' indentation, with a line break at the end. */
export function formatData(data: unknown): string {
  return `${escapeJson(formatJson(data, 2))}\n`;
}

/**
 * Documents of YAML, each begun by `---`. One that YAML cannot hold so that it is harmless and read back the same
 * everywhere is written as JSON, which is YAML as well.
 */
export function formatYaml(documents: readonly unknown[]): string {
  return documents.map((document) => `---\n${formatDocument(document)}`).join('');
}

function formatDocument(document: unknown): string {
  const json = formatJson(document);
  if (escapeJson(json) !== json || hasLongInteger(document)) return formatData(document);
  const yaml = dump(document, { lineWidth: -1, noRefs: true, schema: QUOTING });
  return SEPARATOR.test(yaml) ? formatData(document) : yaml;
}

/** Quotes what the Kubernetes tools take for something else than text, too: to them `0X0` is a number. */
const QUOTING = DUMP_SCHEMA.withTags(
  defineScalarTag('tag:kubernetes.io:plain', {
    implicit: true,
    resolve: (source) => (isText(source) ? NOT_RESOLVED : source),
    identify: () => false,
  }),
);

/** Whether the data has an integer beyond 2^53, which the YAML writer would give a tag that no other reader knows. */
function hasLongInteger(data: unknown): boolean {
  if (typeof data === 'bigint') return true;
  return typeof data === 'object' && data !== null && Object.values(data).some(hasLongInteger);
}

/** Kubernetes' tools take any line that begins so for the end of a document. */
const SEPARATOR = /^(?:---|\.\.\.)/m;
