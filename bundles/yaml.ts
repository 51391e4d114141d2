/**
 * Turns YAML and JSON text into data the way the Kubernetes tools do (sigs.k8s.io/yaml), because publishers
 * tested their files with those: YAML 1.1 scalars but timestamps as strings, the last of duplicate keys, integers
 * beyond 2^53 as bigint, documents split at lines that start with `---`.
 * The parsers of bundles and catalogs and the CLI call it. It writes nothing and knows nothing of Kubernetes
 * objects. Everything read is hostile: size, depth, nodes after expansion of aliases and documents are bounded.
 */
import { YAMLException } from 'js-yaml';
import { parseJson } from '../api/json.ts';
import { buildDocuments } from './yaml/build.ts';
import { YamlError } from './yaml/error.ts';
import { parseLenient } from './yaml/lenient.ts';
import { DEFAULT_YAML_LIMITS, checkDensity, checkShape, type YamlLimits } from './yaml/limits.ts';
import { splitDocuments, type DocumentText } from './yaml/split.ts';

export { YamlError } from './yaml/error.ts';
export { DEFAULT_YAML_LIMITS, type YamlLimits } from './yaml/limits.ts';

/** One document of a file, empty ones left out. */
export interface YamlDocument {
  /** Position in the file, from 1; documents of comments count, those without any line do not. */
  readonly index: number;
  /** Line of the file at which the document starts, from 1. */
  readonly line: number;
  readonly value: unknown;
}

/**
 * All documents of a text or file that hold a value; a document of white space and comments, or `null`, is left out.
 * @throws YamlError with the document and line; `kind` says whether the text is wrong or too large.
 * @see https://yaml.org/spec/1.1/
 */
export function parseYaml(input: string | Uint8Array, limits: Partial<YamlLimits> = {}): readonly YamlDocument[] {
  const bounds = { ...DEFAULT_YAML_LIMITS, ...limits };
  const text = decodeText(input, bounds);
  const json = parseWholeJson(text, bounds);
  if (json !== undefined) return [{ index: 1, line: 1, value: json.value }];
  const found = splitDocuments(text, bounds.maxDocuments).flatMap((document) => parseDocument(document, bounds));
  return found.filter(({ value }) => value !== null);
}

function decodeText(input: string | Uint8Array, { maxBytes }: YamlLimits): string {
  if (input.length > maxBytes) throw tooLarge(maxBytes);
  if (typeof input === 'string') return input.startsWith('\uFEFF') ? input.slice(1) : input;
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(input);
  } catch {
    throw new YamlError({ kind: 'syntax', what: 'is not valid UTF-8' });
  }
}

function tooLarge(maxBytes: number): YamlError {
  return new YamlError({ kind: 'limit', what: `has more than ${maxBytes} bytes` });
}

/** A text that is one JSON object is read as JSON, as the Kubernetes decoder does; anything else is YAML. */
function parseWholeJson(text: string, bounds: YamlLimits): { readonly value: unknown } | undefined {
  if (!/^\s*\{/.test(text.slice(0, 4096))) return undefined;
  checkDensity(text, bounds);
  let value: unknown;
  try {
    value = parseJson(text);
  } catch (error) {
    if (error instanceof RangeError) throw new YamlError({ kind: 'limit', what: 'is nested too deeply' });
    return undefined;
  }
  checkShape(value, bounds);
  return { value };
}

function parseDocument(document: DocumentText, bounds: YamlLimits): readonly YamlDocument[] {
  const { index, line, text } = document;
  try {
    checkDensity(text, bounds);
    const { source, events } = parseLenient(text, bounds);
    return buildDocuments(source, events, bounds).map((value) => ({ index, line, value }));
  } catch (error) {
    throw locate(error, document);
  }
}

function locate(error: unknown, { index, line }: DocumentText): unknown {
  if (error instanceof YamlError) return error.at(index, line);
  if (error instanceof RangeError)
    return new YamlError({ kind: 'limit', what: 'is nested too deeply' }).at(index, line);
  if (!(error instanceof YAMLException)) return error;
  const kind = /maxDepth|nesting/i.test(error.reason) ? 'limit' : 'syntax';
  return new YamlError({ kind, what: error.reason, cause: error }).at(index, line + (error.mark?.line ?? 0));
}
