/** Compares two versions of one object field by field, for people to read. Values of secrets are never shown. Pure. */
import { ANNOTATION, LABEL } from '../api/names.ts';
import { canonicalJson, formatJson } from '../api/json.ts';
import { isRecord } from '../api/untyped.ts';
import { groupKind, type KubeObject } from '../api/object.ts';
import type { FieldChange } from './model.ts';

/** Longest list of fields for one object. */
const MOST_FIELDS = 40;
/** Longest value that is shown. */
const MOST_VALUE = 160;
/** Length that is shown of the equal text before the first difference. */
const CONTEXT = 40;

export const MASK = '(masked)';

export interface FieldChanges {
  readonly fields: readonly FieldChange[];
  /** Number of changed fields that are not listed. */
  readonly more: number;
}

/** The changed fields, in the order of their paths. Labels and annotations that each Revision changes are left out. */
export function diffFields(before: KubeObject, after: KubeObject): FieldChanges {
  const changes: FoundChanges = { fields: [], more: 0 };
  collect({ path: '', before: comparable(before), after: comparable(after), isMasked: false }, changes);
  return changes;
}

/** The changes so far. */
interface FoundChanges {
  readonly fields: FieldChange[];
  more: number;
}

/** An object without the marks of its Revision, and with a note at secrets. */
function comparable(object: KubeObject): unknown {
  const { [LABEL.revision]: _revision, ...labels } = object.metadata.labels ?? {};
  const { [ANNOTATION.ownerUid]: _uid, ...annotations } = object.metadata.annotations ?? {};
  return { ...object, metadata: { ...object.metadata, labels, annotations }, ...secretMark(object) };
}

/** The marked fields of a Secret hold the values that are masked. */
function secretMark(object: KubeObject): Readonly<Record<string, unknown>> {
  if (groupKind(object) !== 'Secret') return {};
  const fields = ['data', 'stringData'].filter((field) => isRecord(object[field]));
  return Object.fromEntries(
    fields.map((field) => [field, new Masked(object[field] as Readonly<Record<string, unknown>>)]),
  );
}

/** A map whose values are not shown. */
class Masked {
  readonly values: Readonly<Record<string, unknown>>;

  constructor(values: Readonly<Record<string, unknown>>) {
    this.values = values;
  }
}

interface Pair {
  readonly path: string;
  readonly before: unknown;
  readonly after: unknown;
  readonly isMasked: boolean;
}

function collect({ path, before, after, isMasked }: Pair, changes: FoundChanges): void {
  if (before instanceof Masked || after instanceof Masked) {
    const [old, next] = [unmask(before), unmask(after)];
    if (isRecord(old) || isRecord(next))
      collect({ path, before: old ?? {}, after: next ?? {}, isMasked: true }, changes);
    return;
  }
  if (isRecord(before) && isRecord(after)) return collectMap({ path, before, after, isMasked }, changes);
  if (Array.isArray(before) && Array.isArray(after)) return collectList({ path, before, after, isMasked }, changes);
  if (equal(before, after)) return;
  // An object may have hundreds of thousands of fields: beyond the limit they are counted only.
  if (changes.fields.length === MOST_FIELDS) changes.more += 1;
  else changes.fields.push(describeChange({ path, before, after, isMasked }));
}

function describeChange({ path, before, after, isMasked }: Pair): FieldChange {
  const { from, to } = isMasked ? { from: MASK, to: MASK } : shown(before, after);
  return { path, ...(before !== undefined && { from }), ...(after !== undefined && { to }) };
}

function unmask(value: unknown): unknown {
  return value instanceof Masked ? value.values : value;
}

function collectMap(
  {
    path,
    before,
    after,
    isMasked,
  }: Pair & { before: Readonly<Record<string, unknown>>; after: Readonly<Record<string, unknown>> },
  changes: FoundChanges,
): void {
  const hidden = isMasked || holdsSecret(before) || holdsSecret(after);
  for (const name of [...new Set([...Object.keys(before), ...Object.keys(after)])].sort()) {
    const isHidden = isMasked || (hidden && name === 'value');
    collect({ path: step(path, name), before: before[name], after: after[name], isMasked: isHidden }, changes);
  }
}

const SECRET_NAME = /passw|secret|token|credential|private.?key|api.?key/i;

/** Whether a map is a variable of a container whose name says that its value is secret. */
function holdsSecret({ name, value }: Readonly<Record<string, unknown>>): boolean {
  return typeof name === 'string' && value !== undefined && SECRET_NAME.test(name);
}

function collectList(
  { path, before, after, isMasked }: Pair & { before: readonly unknown[]; after: readonly unknown[] },
  changes: FoundChanges,
): void {
  const [old, next] = [byName(before), byName(after)];
  if (old !== undefined && next !== undefined) {
    for (const name of new Set([...old.keys(), ...next.keys()]))
      collect(
        {
          path: `${path}[${name}]`,
          before: old.get(name),
          after: next.get(name),
          isMasked: isMasked || (SECRET_NAME.test(name) && path.endsWith('env')),
        },
        changes,
      );
    return;
  }
  for (let at = 0; at < Math.max(before.length, after.length); at++)
    collect({ path: `${path}[${at}]`, before: before[at], after: after[at], isMasked }, changes);
}

/** The items of a list by their names; undefined if not every item has one of its own. */
function byName(list: readonly unknown[]): ReadonlyMap<string, unknown> | undefined {
  const named = new Map<string, unknown>();
  for (const item of list) {
    const name = isRecord(item) ? item['name'] : undefined;
    if (typeof name !== 'string' || named.has(name)) return undefined;
    named.set(name, item);
  }
  return named;
}

function step(path: string, name: string): string {
  const isPlain = /^[\w-]+$/.test(name);
  if (!isPlain) return `${path}[${JSON.stringify(name)}]`;
  return path === '' ? name : `${path}.${name}`;
}

/** Of two values that are neither two maps nor two lists. */
function equal(before: unknown, after: unknown): boolean {
  if (isRecord(before) || isRecord(after) || Array.isArray(before) || Array.isArray(after)) return false;
  return before === after || canonicalJson(before ?? null) === canonicalJson(after ?? null);
}

/** Both values, cut before their first difference if that is far behind: a file in a ConfigMap is one value. */
function shown(before: unknown, after: unknown): { readonly from: string; readonly to: string } {
  const [from = '', to = ''] = [before, after].map((value) => (value === undefined ? '' : formatJson(value)));
  let same = 0;
  while (same < Math.min(from.length, to.length) && from[same] === to[same]) same++;
  const start = same < MOST_VALUE / 2 ? 0 : same - CONTEXT;
  return { from: cut(from, start), to: cut(to, start) };
}

function cut(text: string, start: number): string {
  const end = start + MOST_VALUE;
  return `${start > 0 ? '…' : ''}${text.slice(start, end)}${text.length > end ? '…' : ''}`;
}
