/**
 * Finds a file of `metadata/` by its content, as opm does, which reads all of them: publishers use names such as
 * `dependency.yaml` or `annotations.yml`. The usual name comes first; OLM v1 reads no other.
 */
import { parseYaml, YamlError } from './yaml.ts';

/**
 * Path of the file whose first document has a non-empty value in this field; of several, the first by name. If there is
 * none, the path of the file with the usual name, so that its defect can be reported.
 */
export function metadataFile(
  files: ReadonlyMap<string, Uint8Array>,
  field: 'annotations' | 'properties' | 'dependencies',
): string | undefined {
  const usual = `metadata/${field}.yaml`;
  const others = [...files.keys()].filter((path) => IN_METADATA.test(path) && path !== usual).sort();
  const candidates = files.has(usual) ? [usual, ...others] : others;
  return (
    candidates.find((path) => isFilled(metadataField(firstDocument(files.get(path)!), field))) ??
    candidates.find((path) => path === usual)
  );
}

const IN_METADATA = /^metadata\/[^/]+$/;

function firstDocument(bytes: Uint8Array): unknown {
  try {
    return parseYaml(bytes)[0]?.value;
  } catch (error) {
    if (error instanceof YamlError) return undefined;
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
