/** Reads the objects of an author's files: plain YAML, the output of kustomize, or the list of a cluster. */
import { isRecord } from '../../api/untyped.ts';
import { ReasonedError } from '../../api/errors.ts';
import { invalidInput } from '../../api/invalid-input.ts';
import type { KubeObject } from '../../api/object.ts';
import { parseYaml, YamlError } from '../yaml.ts';

/** One object with the place at which the author finds it. */
export interface SourceObject {
  readonly object: KubeObject;
  /** `config/rbac.yaml, document 2` */
  readonly place: string;
}

/**
 * The objects of files, in the order of files and documents; lists are split into their items.
 * @throws ReasonedError InputInvalid for a text that is no YAML, or a document that is no object; never worth a retry.
 */
export function readSource(files: ReadonlyMap<string, Uint8Array>): readonly SourceObject[] {
  return [...files].flatMap(([file, bytes]) =>
    parseFile(file, bytes).flatMap(({ index, value }) => [...objectsOf(value, `${file}, document ${index}`)]),
  );
}

function parseFile(file: string, bytes: Uint8Array): ReturnType<typeof parseYaml> {
  try {
    return parseYaml(bytes);
  } catch (error) {
    if (!(error instanceof YamlError)) throw error;
    throw invalidInput(`${file}: ${error.message}`, adviceFor(new TextDecoder().decode(bytes)), error);
  }
}

function adviceFor(text: string): string {
  return text.includes('{{')
    ? 'The file has "{{": if it is a template of a Helm chart, name the chart with --from chart'
    : 'Correct the YAML of the file, or keep files that are no manifests in another folder';
}

function* objectsOf(value: unknown, place: string): Iterable<SourceObject> {
  if (!isRecord(value)) throw noObject(place, 'it is a plain value or a list');
  if (isList(value)) {
    for (const item of value['items'] as readonly unknown[]) yield* objectsOf(item, place);
    return;
  }
  yield { object: checkObject(value, place), place };
}

function isList({ kind, items }: Readonly<Record<string, unknown>>): boolean {
  return typeof kind === 'string' && kind.endsWith('List') && Array.isArray(items);
}

function checkObject(value: Readonly<Record<string, unknown>>, place: string): KubeObject {
  const { apiVersion, kind, metadata } = value;
  if (typeof apiVersion !== 'string' || apiVersion === '') throw noObject(place, 'it has no apiVersion');
  if (typeof kind !== 'string' || kind === '') throw noObject(place, 'it has no kind');
  const name = isRecord(metadata) ? metadata['name'] : undefined;
  if (typeof name !== 'string' || name === '') throw noObject(place, `of the kind ${kind}, it has no metadata.name`);
  return value as unknown as KubeObject;
}

function noObject(place: string, why: string): ReasonedError {
  return invalidInput(
    `${place} is no Kubernetes object: ${why}`,
    'Correct the document, or keep files that are no manifests in another folder',
  );
}
