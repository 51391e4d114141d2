/**
 * Ownership of fields as server-side apply keeps it in `metadata.managedFields`, with lists taken as a whole. Pure.
 * @see https://kubernetes.io/docs/reference/using-api/server-side-apply/#field-management
 */
import { canonicalJson, mergePatch } from '../../api/json.ts';
import type { KubeObject } from '../../api/object.ts';
import { isRecord } from '../../api/untyped.ts';
import { Refusal } from './refusal.ts';

/** `{ 'f:data': { 'f:x': {} } }`: the fields of an object that one manager owns; a leaf is empty. */
type Fields = { readonly [field: string]: Fields };

/** One entry of `metadata.managedFields`. */
export interface ManagedFields {
  readonly manager?: string;
  readonly operation?: string;
  readonly subresource?: string;
  readonly fieldsV1?: Fields;
}

/** The writer of a change, as `managedFields` names it. */
export type Writer = Required<Pick<ManagedFields, 'manager' | 'operation'>> & Pick<ManagedFields, 'subresource'>;

export function managedFieldsOf({ metadata }: KubeObject): readonly ManagedFields[] {
  return (metadata as { managedFields?: readonly ManagedFields[] }).managedFields ?? [];
}

/** The live object after an apply; throws the Refusal 409 for a field of another manager, unless the apply is forced. */
export function applyFields(
  live: KubeObject,
  object: KubeObject,
  { manager, force }: { readonly manager: string; readonly force: boolean },
): KubeObject {
  const writer: Writer = { manager, operation: 'Apply' };
  const named = fieldsOf(contentOf(object));
  const others = managedFieldsOf(live).filter((entry) => !isBy(entry, writer));
  const disputed = differing(named, live, object);
  if (!force) refuseDisputed(others, disputed);
  const before = managedFieldsOf(live).find((entry) => isBy(entry, writer))?.fieldsV1 ?? {};
  const left = others.reduce((rest, { fieldsV1 = {} }) => without(rest, fieldsV1), without(before, named));
  const merged = mergePatch(removeFields(live, left), contentOf(object)) as KubeObject;
  const entries = [...others.map((entry) => giveUp(entry, disputed)), { ...writer, fieldsV1: named }];
  return withManagedFields(merged, entries);
}

/** The object after a plain write: the fields that it changed belong to its writer alone. */
export function ownChanges(before: KubeObject | undefined, after: KubeObject, writer: Writer): KubeObject {
  const now = fieldsOf(contentOf(after));
  const changed = before === undefined ? now : differing(now, before, after);
  const gone = before === undefined ? {} : without(fieldsOf(contentOf(before)), now);
  const mine = managedFieldsOf(after).find((entry) => isBy(entry, writer))?.fieldsV1 ?? {};
  const others = managedFieldsOf(after).filter((entry) => !isBy(entry, writer));
  const entries = others.map((entry) => giveUp(giveUp(entry, changed), gone));
  return withManagedFields(after, [...entries, { ...writer, fieldsV1: union(without(mine, gone), changed) }]);
}

function withManagedFields(object: KubeObject, entries: readonly ManagedFields[]): KubeObject {
  const managedFields = entries.filter(({ fieldsV1 }) => fieldsV1 === undefined || Object.keys(fieldsV1).length > 0);
  return { ...object, metadata: { ...object.metadata, managedFields } as KubeObject['metadata'] };
}

function isBy({ manager, operation, subresource = '' }: ManagedFields, writer: Writer): boolean {
  return manager === writer.manager && operation === writer.operation && subresource === (writer.subresource ?? '');
}

function giveUp(entry: ManagedFields, fields: Fields): ManagedFields {
  return entry.fieldsV1 === undefined ? entry : { ...entry, fieldsV1: without(entry.fieldsV1, fields) };
}

function refuseDisputed(others: readonly ManagedFields[], disputed: Fields): void {
  const causes = others.flatMap(({ manager, fieldsV1 = {} }) =>
    pathsOf(common(fieldsV1, disputed)).map((field) => ({
      reason: 'FieldManagerConflict',
      message: `conflict with "${manager}"`,
      field,
    })),
  );
  if (causes.length > 0) throw new Refusal(409, 'Conflict', `Apply failed with ${causes.length} conflict(s)`, causes);
}

/** The part of an object that has owners: all but its identity and the fields that the API server sets. */
function contentOf({
  apiVersion: _apiVersion,
  kind: _kind,
  metadata,
  ...rest
}: KubeObject): Readonly<Record<string, unknown>> {
  const { labels, annotations, finalizers, ownerReferences } = metadata;
  const named = Object.entries({ labels, annotations, finalizers, ownerReferences }).filter(
    ([, value]) => value !== undefined,
  );
  return { ...rest, ...(named.length > 0 && { metadata: Object.fromEntries(named) }) };
}

function fieldsOf(value: unknown): Fields {
  if (!isRecord(value)) return {};
  const defined = Object.entries(value).filter(([, child]) => child !== undefined);
  return Object.fromEntries(defined.map(([key, child]) => [`f:${key}`, fieldsOf(child)]));
}

/** Those of the fields whose values differ between two objects. */
function differing(fields: Fields, one: unknown, other: unknown): Fields {
  return pick(fields, ([field, children]) => {
    const [before, after] = [childOf(one, field), childOf(other, field)];
    if (!isLeaf(children)) return differing(children, before, after);
    return canonicalJson(before ?? null) === canonicalJson(after ?? null) ? undefined : {};
  });
}

function without(fields: Fields, taken: Fields): Fields {
  return pick(fields, ([field, children]) => {
    const other = taken[field];
    if (other === undefined) return children;
    return isLeaf(children) ? undefined : without(children, other);
  });
}

function common(fields: Fields, others: Fields): Fields {
  return pick(fields, ([field, children]) => {
    const other = others[field];
    if (other === undefined) return undefined;
    return isLeaf(children) ? {} : common(children, other);
  });
}

function union(one: Fields, other: Fields): Fields {
  return mergePatch(one, other) as Fields;
}

/** The fields for which `keep` answers a leaf, or a set of fields that is not empty. */
function pick(fields: Fields, keep: (entry: [string, Fields]) => Fields | undefined): Fields {
  const kept = Object.entries(fields).map((entry) => {
    const left = keep(entry);
    return [entry[0], left !== undefined && isLeaf(left) && !isLeaf(entry[1]) ? undefined : left] as const;
  });
  return Object.fromEntries(kept.filter((entry): entry is [string, Fields] => entry[1] !== undefined));
}

/** The object without fields; a field that only held such fields goes with them. */
function removeFields<Value>(value: Value, fields: Fields): Value {
  if (!isRecord(value)) return value;
  const left = Object.entries(value).flatMap(([key, child]) => {
    const taken = fields[`f:${key}`];
    if (taken === undefined) return [[key, child]];
    if (isLeaf(taken)) return [];
    const rest = removeFields(child, taken);
    return isRecord(rest) && Object.keys(rest).length === 0 ? [] : [[key, rest]];
  });
  return Object.fromEntries(left) as Value;
}

function isLeaf(fields: Fields): boolean {
  return Object.keys(fields).length === 0;
}

function childOf(value: unknown, field: string): unknown {
  return isRecord(value) ? value[field.slice(2)] : undefined;
}

/** `.data.x`, as the API server names fields. */
function pathsOf(fields: Fields, prefix = ''): readonly string[] {
  return Object.entries(fields).flatMap(([field, children]) => {
    const path = `${prefix}.${field.slice(2)}`;
    return isLeaf(children) ? [path] : pathsOf(children, path);
  });
}
