/**
 * Checks the objects in the manifests of a Revision. The digest proves that they belong to the Revision, but not that the
 * manager rendered them, so their shape is checked before they are used. Pure.
 */
import { ReasonedError } from '../api/errors.ts';
import { isCrd } from '../api/crd-kind.ts';
import { isRecord, textOf } from '../api/untyped.ts';
import { groupKind, type KubeObject } from '../api/object.ts';
import { MAX_OBJECTS, type Revision } from '../api/revision.ts';
import { kindsDefinedIn } from '../apply/phases.ts';
import { isRendered } from '../bundles/render/rendered-kinds.ts';

/**
 * The items as objects. Throws RevisionInvalid, never retried, for objects that no bundle renders to: the items are the same
 * at every try.
 *
 * @param items Undefined if the manifests are no list of at most as many objects as a Revision may have.
 */
export function checkManifests(
  items: readonly unknown[] | undefined,
  revision: Pick<Revision, 'metadata'>,
): readonly KubeObject[] {
  if (items === undefined) throw invalid(revision, `are not a list in JSON of at most ${MAX_OBJECTS} objects`);
  const objects = items as readonly KubeObject[];
  const defined = kindsDefinedIn(objects.filter(definesKind));
  items.forEach((object, index) => {
    const problem = problemOfObject(object, defined);
    if (problem !== undefined) throw invalid(revision, `have as number ${index + 1} ${problem}`);
  });
  return objects;
}

/** A bundle may bring objects of the kinds that its CRDs define. */
function definesKind(object: unknown): boolean {
  return isRecord(object) && isCrd({ apiVersion: textOf(object['apiVersion']), kind: textOf(object['kind']) });
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

/** Objects that are heavier than a bundle may render to. */
export function tooHeavy(revision: Pick<Revision, 'metadata'>): ReasonedError {
  return invalid(revision, 'have more values than the objects of a bundle may have');
}

function invalid({ metadata }: Pick<Revision, 'metadata'>, what: string): ReasonedError {
  return new ReasonedError({
    reason: 'RevisionInvalid',
    retry: 'never',
    message: `The stored manifests of Revision ${metadata.namespace}/${metadata.name} ${what}`,
    hint: 'The manager did not write them. Delete the Revision: the manager makes its own',
  });
}
