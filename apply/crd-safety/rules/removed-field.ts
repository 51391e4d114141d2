import { textOf } from '../../../api/untyped.ts';
import type { Change, FlatPair, VersionRule } from '../rule.ts';
import { isAbsent, parentOf } from '../schema.ts';

/**
 * A field that the schema no longer names is dropped from every object at its next write, unless a node above preserves
 * unknown fields. Only the topmost field of a removed tree is named.
 */
export const removedFieldRule: VersionRule = {
  name: 'existingFieldRemoval',
  meaning: 'A field is gone.',
  compare(_pair, flat: FlatPair): (Change & { readonly path: string })[] {
    const removed = [...flat.old.keys()].filter((path) => isRemoved(path, flat) && !isRemoved(parentOf(path), flat));
    return removed.map((path) => ({
      path,
      effect: isKept(path, flat) ? 'none' : 'loses',
      message: isKept(path, flat) ? 'the field is no longer described' : 'the field is gone',
    }));
  },
};

/** Every object has these, whether its schema names them or not. */
const ALWAYS: ReadonlySet<string> = new Set(['^.apiVersion', '^.kind', '^.metadata']);

function isRemoved(path: string | undefined, { old, next }: FlatPair): boolean {
  return path !== undefined && !ALWAYS.has(path) && old.has(path) && !next.has(path);
}

/**
 * Whether the nearest remaining node above accepts fields that it does not name. A map of any values keeps values that
 * are no objects; a schema for its values now decides about the field.
 */
function isKept(path: string, { old, next }: FlatPair): boolean {
  for (let above = parentOf(path); above !== undefined; above = parentOf(above)) {
    const schema = next.get(above);
    if (schema === undefined) continue;
    const values = schema['additionalProperties'];
    if (isAbsent(values)) return schema['x-kubernetes-preserve-unknown-fields'] === true;
    return values === true && SCALARS.has(textOf(old.get(path)?.['type']));
  }
  return false;
}

const SCALARS: ReadonlySet<string> = new Set(['string', 'integer', 'number', 'boolean']);
