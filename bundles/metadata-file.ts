/**
 * Finds a file of `metadata/` by its content, as opm does, which reads all of them: publishers use names such as
 * `dependency.yaml` or `annotations.yml`. The usual name comes first; OLM v1 reads no other. Of each file only the first
 * document is read, and once.
 */
import { DEFAULT_YAML_LIMITS, parseFirstYaml, YamlError, type YamlLimits } from './yaml.ts';

/** A file of `metadata/`, as far as it can be read. */
export interface MetadataFile {
  readonly path: string;
  readonly isEmpty: boolean;
  /** The first document. */
  readonly content?: unknown;
  /** Why there is none. */
  readonly error?: YamlError;
}

/**
 * The file whose first document has a non-empty value in this field; of several, the first by name. If there is
 * none, the file with the usual name, so that its defect can be reported.
 */
export type FindMetadata = (field: 'annotations' | 'properties' | 'dependencies') => MetadataFile | undefined;

/** Nothing is read until a field is searched for. */
export function openMetadata(
  files: ReadonlyMap<string, Uint8Array>,
  limits: YamlLimits = DEFAULT_YAML_LIMITS,
): FindMetadata {
  const paths = [...files.keys()].filter((path) => IN_METADATA.test(path)).sort();
  const bounds = { ...limits, maxBytes: Math.min(limits.maxBytes, MAX_BYTES) };
  const known = new Map<string, MetadataFile>();
  const read = (path: string): MetadataFile => {
    const file = known.get(path) ?? readMetadataFile(path, files.get(path)!, bounds);
    known.set(path, file);
    return file;
  };
  return (field) => {
    const usual = `metadata/${field}.yaml`;
    const candidates = files.has(usual) ? [usual, ...paths.filter((path) => path !== usual)] : paths;
    const found = candidates.find((path) => isFilled(metadataField(read(path).content, field)));
    if (found !== undefined) return read(found);
    return files.has(usual) ? read(usual) : undefined;
  };
}

const IN_METADATA = /^metadata\/[^/]+$/;

/** The largest published file of that folder has 1,439 bytes. */
const MAX_BYTES = 1 << 20;

function readMetadataFile(path: string, bytes: Uint8Array, limits: YamlLimits): MetadataFile {
  const isEmpty = bytes.length === 0;
  try {
    return { path, isEmpty, content: parseFirstYaml(bytes, limits)?.value };
  } catch (error) {
    if (error instanceof YamlError) return { path, isEmpty, error };
    throw error;
  }
}

/** A field of these files, whose names are matched without regard to case by the other tools: `Annotations:`. */
export function metadataField(value: unknown, name: string): unknown {
  if (value === null || typeof value !== 'object' || Array.isArray(value)) return undefined;
  const fields = value as Readonly<Record<string, unknown>>;
  if (Object.hasOwn(fields, name)) return fields[name];
  const key = Object.keys(fields).find((candidate) => candidate.toLowerCase() === name);
  return key === undefined ? undefined : fields[key];
}

function isFilled(value: unknown): boolean {
  return value !== null && typeof value === 'object' && Object.keys(value).length > 0;
}
