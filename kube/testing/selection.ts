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

/** Whether an object is in the selection: labels by equality, presence or absence, fields by equality. */
export function isSelected(selection: Selection, { resource, object }: Entry): boolean {
  const { metadata } = object;
  return (
    isSameKind(resource, selection.resource) &&
    (selection.namespace === undefined || metadata.namespace === selection.namespace) &&
    termsOf(selection.labelSelector).every((term) => matches(metadata.labels?.[term.key], term)) &&
    termsOf(selection.fieldSelector).every((term) => matches(fieldAt(object, term.key), term))
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

interface Term {
  readonly key: string;
  /** Undefined: any. */
  readonly value: string | undefined;
  readonly isAbsent: boolean;
}

/** `a=1,b,!c` → `a` has the value 1, `b` has any, and `c` is absent. */
function termsOf(selector: string | null | undefined): readonly Term[] {
  if (selector === null || selector === undefined || selector === '') return [];
  return selector.split(',').map((term) => {
    const [key = '', value] = term.split('=', 2);
    return key.startsWith('!') ? { key: key.slice(1), value, isAbsent: true } : { key, value, isAbsent: false };
  });
}

function matches(found: unknown, { value, isAbsent }: Term): boolean {
  if (isAbsent) return found === undefined;
  return value === undefined ? found !== undefined : found === value;
}

function fieldAt(object: KubeObject, path: string): unknown {
  return path
    .split('.')
    .reduce<unknown>((value, key) => (value as Readonly<Record<string, unknown>> | undefined)?.[key], object);
}
