import { fieldsOf, textOf } from '../../../api/untyped.ts';
import type { Change, NodePair, NodeRule } from '../rule.ts';
import { hasDefault, type Schema } from '../schema.ts';
import { META_FIELDS } from '../server/node.ts';

function requiredOf(schema: Schema): readonly string[] {
  return Array.isArray(schema['required']) ? schema['required'].map(textOf) : [];
}

function isFilledIn(schema: Schema, property: string): boolean {
  return hasDefault(fieldsOf(fieldsOf(schema['properties'])[property]));
}

/** An object without the field is rejected, unless a default fills it in. */
export const requiredRule: NodeRule = {
  name: 'required',
  meaning: 'A field has to be there that did not have to.',
  keywords: ['required'],
  compare({ old, next, isRoot = false }: NodePair): Change[] {
    const before = new Set(requiredOf(old));
    return requiredOf(next).flatMap((field): Change[] => {
      const filled = isFilledIn(next, field) || (isRoot && META_FIELDS.has(field));
      const isNew = !before.has(field);
      // A required field may be absent from the stored object if a default stood in for it.
      if (!isNew && !filled && isFilledIn(old, field)) {
        return [{ effect: 'rejects', message: `the required field "${field}" is no longer filled in by a default` }];
      }
      return isNew ? [{ effect: filled ? 'none' : 'rejects', message: `the field "${field}" is required now` }] : [];
    });
  },
};
