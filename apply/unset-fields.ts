/** The fields of a set, as `metadata.managedFields` has it, that an object does not set. Pure. */
import { isRecord } from '../api/untyped.ts';
import { parseKeys } from './taken-fields.ts';

/** Paths such as `spec.template.spec.volumes[cert]`; a list or an object that is absent as a whole is one path. */
export function unsetFields(fields: unknown, object: unknown, path = ''): readonly string[] {
  if (!isRecord(fields)) return [];
  return Object.entries(fields).flatMap(([key, below]) => {
    if (key === '.' || key.startsWith('v:')) return [];
    const { name, value } = stepTo(key, object);
    const next = path === '' ? name.replace(/^\./, '') : `${path}${name}`;
    return value === undefined ? leavesOf(below, next) : unsetFields(below, value, next);
  });
}

/** A path for each member of an absent map and for each entry of an absent list; of an entry, the rest goes with it. */
function leavesOf(fields: unknown, path: string): readonly string[] {
  const members = isRecord(fields) && !path.endsWith(']') ? Object.entries(fields) : [];
  const named = members.filter(([key]) => /^[fk]:/.test(key));
  if (named.length === 0) return [path];
  return named.flatMap(([key, below]) => leavesOf(below, `${path}${stepTo(key, undefined).name}`));
}

interface FieldValue {
  readonly name: string;
  readonly value: unknown;
}

/** `f:name` is a field, `k:{…}` the entry of a list by its keys. */
function stepTo(key: string, object: unknown): FieldValue {
  if (key.startsWith('f:')) {
    const name = key.slice(2);
    return { name: `.${name}`, value: isRecord(object) ? object[name] : undefined };
  }
  const keys = parseKeys(key.slice(2));
  const isMeant = (item: unknown): boolean =>
    isRecord(item) &&
    keys.every(([name, value]) => (item[name] ?? (name === 'protocol' ? 'TCP' : undefined)) === value);
  const value: unknown = Array.isArray(object) && keys.length > 0 ? object.find(isMeant) : undefined;
  return { name: `[${keys.map(([, text]) => String(text)).join(' ')}]`, value };
}
