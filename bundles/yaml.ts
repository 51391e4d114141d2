/**
 * Turns YAML and JSON text into data the way the Kubernetes tools do (sigs.k8s.io/yaml), because publishers
 * tested their files with those: YAML 1.1 scalars but timestamps as strings, the last of duplicate keys, integers
 * beyond 2^53 as bigint, documents split at lines that start with `---`.
 * The parsers of bundles and catalogs and the CLI call it. It writes nothing and knows nothing of Kubernetes
 * objects. Everything read is hostile: size, depth, documents, and the nodes and characters after expansion of aliases
 * are bounded.
 */
import { YAMLException } from 'js-yaml';
import { buildDocuments, type FileCount } from './yaml/build.ts';
import { YamlError } from './yaml/error.ts';
import { checkGrowth, hasAliases, roomFor } from './yaml/growth.ts';
import { parseJsonObjects } from './yaml/json-objects.ts';
import { parseLenient } from './yaml/lenient.ts';
import { DEFAULT_YAML_LIMITS, checkDensity, tooDeep, type YamlLimits } from './yaml/limits.ts';
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
  return [...documentsOf(input, limits)];
}

/** The first of these documents; those behind it are not read, and may be wrong. @throws YamlError as parseYaml does. */
export function parseFirstYaml(input: string | Uint8Array, limits: Partial<YamlLimits> = {}): YamlDocument | undefined {
  const [first] = documentsOf(input, limits);
  return first;
}

function* documentsOf(input: string | Uint8Array, limits: Partial<YamlLimits>): Iterable<YamlDocument> {
  const bounds = { ...DEFAULT_YAML_LIMITS, ...limits };
  const text = decodeText(input, bounds);
  const objects = parseJsonObjects(text, bounds);
  if (objects !== undefined) {
    yield* objects.map((object, position) => ({ index: position + 1, ...object }));
    return;
  }
  const total: FileCount = { nodes: 0, growth: roomFor(text.length) };
  for (const document of splitDocuments(text, bounds.maxDocuments)) {
    yield* parseDocument(document, bounds, total).filter(({ value }) => value !== null);
  }
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

function parseDocument(document: DocumentText, bounds: YamlLimits, total: FileCount): readonly YamlDocument[] {
  const { index, line, text } = document;
  try {
    checkDensity(text, bounds);
    const parsed = parseLenient(text, bounds);
    const values = buildDocuments(parsed, total, bounds);
    if (hasAliases(parsed.events)) for (const value of values) checkGrowth(value, total.growth, bounds);
    return values.map((value) => ({ index, line, value }));
  } catch (error) {
    throw locate(error, document);
  }
}

function locate(error: unknown, { index, line }: DocumentText): unknown {
  if (error instanceof YamlError) return error.at(index, line);
  if (error instanceof RangeError) return tooDeep().at(index, line);
  if (!(error instanceof YAMLException)) return error;
  const kind = /maxDepth|nesting/i.test(error.reason) ? 'limit' : 'syntax';
  return new YamlError({ kind, what: error.reason, cause: error }).at(index, line + (error.mark?.line ?? 0));
}
