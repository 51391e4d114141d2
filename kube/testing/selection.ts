/** Which objects a list or a watch of the fake API server shows. Pure. */
import { groupOf, type KubeObject } from '../../api/object.ts';
import type { Resource } from '../client/resource-path.ts';

/** The selection of a request. */
export interface Selection {
  readonly resource: Resource;
  readonly namespace?: string | undefined;
  readonly labelSelector?: string | null;
  readonly fieldSelector?: string | null;
}

/** One change; `old` is the previous object. */
export interface Change {
  readonly version: number;
  readonly type: 'ADDED' | 'MODIFIED' | 'DELETED';
  readonly resource: Resource;
  readonly object: KubeObject;
  readonly old: KubeObject | undefined;
}

interface Entry {
  readonly resource: Resource;
  readonly object: KubeObject;
}

/** Whether an object is in the selection: labels by equality or presence, fields by equality. */
export function isSelected(selection: Selection, { resource, object }: Entry): boolean {
  const { metadata } = object;
  return (
    isSameKind(resource, selection.resource) &&
    (selection.namespace === undefined || metadata.namespace === selection.namespace) &&
    termsOf(selection.labelSelector).every(([label, value]) => matches(metadata.labels?.[label], value)) &&
    termsOf(selection.fieldSelector).every(([path, value]) => matches(fieldAt(object, path), value))
  );
}

/** The event that a watch sees: an object that becomes selected is ADDED, one that no longer is is DELETED. */
export function viewOf(selection: Selection, { type, resource, object, old }: Change): Change['type'] | undefined {
  const before = type !== 'ADDED' && old !== undefined && isSelected(selection, { resource, object: old });
  const now = type !== 'DELETED' && isSelected(selection, { resource, object });
  if (before) return now ? 'MODIFIED' : 'DELETED';
  return now ? 'ADDED' : undefined;
}

function isSameKind(one: Resource, other: Resource): boolean {
  return one.plural === other.plural && groupOf(one.apiVersion) === groupOf(other.apiVersion);
}

/** `a=1,b` → `a` has the value 1, and `b` has any. */
function termsOf(selector: string | null | undefined): readonly (readonly [string, string | undefined])[] {
  if (selector === null || selector === undefined || selector === '') return [];
  return selector.split(',').map((term) => {
    const [key = '', value] = term.split('=', 2);
    return [key, value];
  });
}

function matches(found: unknown, wanted: string | undefined): boolean {
  return wanted === undefined ? found !== undefined : found === wanted;
}

function fieldAt(object: KubeObject, path: string): unknown {
  return path
    .split('.')
    .reduce<unknown>((value, key) => (value as Readonly<Record<string, unknown>> | undefined)?.[key], object);
}
