/** Values of requirements with the names of fields as they are documented. */
import { foldCase } from '../../catalog/fields.ts';
import { isRecord } from '../../api/untyped.ts';

const NAMES: ReadonlyMap<string, string> = new Map(
  [
    'failureMessage',
    'gvk',
    'package',
    'all',
    'any',
    'not',
    'cel',
    'constraints',
    'group',
    'version',
    'kind',
    'packageName',
    'versionRange',
    'rule',
    'label',
  ].map((name) => [foldCase(name), name]),
);

/**
 * The value as Go reads it into structures, at all levels: names match without regard to case, a known field that is null
 * is absent, and an item that is null has no fields. The value must not be nested deep.
 */
export function asGoReads(value: unknown): unknown {
  if (Array.isArray(value)) return value.map((item) => asGoReads(item ?? {}));
  const fields = fieldsAsGoReads(value);
  if (!isRecord(fields)) return fields;
  return Object.fromEntries(Object.entries(fields).map(([name, child]) => [name, asGoReads(child)]));
}

/** The same at the first level alone. */
export function fieldsAsGoReads(value: unknown): unknown {
  if (!isRecord(value)) return value;
  const entries = Object.entries(value).map(([key, child]) => [NAMES.get(foldCase(key)), key, child] as const);
  const kept = entries.filter(([name, , child]) => name === undefined || child !== null);
  return Object.fromEntries(kept.map(([name, key, child]) => [name ?? key, child]));
}
