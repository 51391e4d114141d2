/**
 * Reads the objects out of the manifests of a Revision. The digest proves that they belong to the Revision, but not
 * that the manager rendered them, so their shape is checked before they are used. Pure.
 */
import { ReasonedError } from '../api/errors.ts';
import { parseJson } from '../api/json.ts';
import { isRecord } from '../api/untyped.ts';
import { groupKind, type KubeObject } from '../api/object.ts';
import { MAX_OBJECTS, type Revision } from '../api/revision.ts';
import { kindsDefinedIn } from '../apply/phases.ts';
import { isRendered } from '../bundles/render/rendered-kinds.ts';

/**
 * The objects in JSON text. Throws RevisionInvalid, never retried, for objects that no bundle renders to: the text is
 * the same at every try.
 */
export function parseManifests(json: string, revision: Pick<Revision, 'metadata'>): readonly KubeObject[] {
  const value = parseOrUndefined(json);
  if (!Array.isArray(value)) throw invalid(revision, 'are not a list in JSON that can be read');
  if (value.length > MAX_OBJECTS) throw invalid(revision, `are more than ${MAX_OBJECTS} objects`);
  const defined = kindsDefinedIn(value.filter(isCrd));
  value.forEach((object: unknown, index) => {
    const problem = problemOfObject(object, defined);
    if (problem !== undefined) throw invalid(revision, `have as number ${index + 1} ${problem}`);
  });
  return value as KubeObject[];
}

/** A bundle may bring objects of the kinds that its CRDs define. */
function isCrd(object: unknown): boolean {
  return isRecord(object) && object['kind'] === 'CustomResourceDefinition';
}

function parseOrUndefined(json: string): unknown {
  try {
    return parseJson(json);
  } catch {
    return undefined;
  }
}

function problemOfObject(object: unknown, defined: ReadonlySet<string>): string | undefined {
  if (!isRecord(object)) return 'a value that is no object';
  const { apiVersion, kind, metadata } = object;
  if (!isRecord(metadata) || ![apiVersion, kind, metadata['name']].every(isNonEmptyText))
    return 'an object without apiVersion, kind or metadata.name';
  const ref = object as unknown as KubeObject;
  return isRendered(ref.kind) || defined.has(groupKind(ref))
    ? undefined
    : `a ${ref.kind.slice(0, 63)}, which no bundle renders to`;
}

function isNonEmptyText(value: unknown): boolean {
  return typeof value === 'string' && value !== '';
}

function invalid({ metadata }: Pick<Revision, 'metadata'>, what: string): ReasonedError {
  return new ReasonedError({
    reason: 'RevisionInvalid',
    retry: 'never',
    message: `The stored manifests of Revision ${metadata.namespace}/${metadata.name} ${what}`,
    hint: 'The manager did not write them. Delete the Revision: the manager makes its own',
  });
}
