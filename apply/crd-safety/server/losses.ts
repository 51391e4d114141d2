/**
 * Finds the parts of an object that are gone after it was read under another schema, by their old schema node. Pure.
 */
import type { Schema } from '../schema.ts';
import { isRecord } from '../../../api/untyped.ts';
import { itemsOf, META_FIELDS, stepTo } from './node.ts';
import type { Problem } from './problem.ts';

/** The topmost fields that `before` has and `after` lacks; `schema` describes `before`. */
export function lossesOf(schema: Schema, before: unknown, after: unknown): readonly Problem[] {
  const found: Problem[] = [];
  collect({ schema, path: '^', found }, before, after);
  return found;
}

interface SchemaPlace {
  readonly schema: Schema | undefined;
  readonly path: string;
  readonly found: Problem[];
}

function collect({ schema, path, found }: SchemaPlace, before: unknown, after: unknown): void {
  if (Array.isArray(before) && Array.isArray(after)) {
    const place = { schema: itemsOf(schema), path: `${path}.items`, found };
    for (const [index, item] of before.entries()) collect(place, item, after[index]);
    return;
  }
  if (!isRecord(before) || !isRecord(after)) return;
  for (const [key, field] of Object.entries(before)) {
    if (path === '^' && META_FIELDS.has(key)) continue;
    const step = stepTo(schema, key);
    const below = `${path}.${step?.name ?? key}`;
    if (Object.hasOwn(after, key)) collect({ schema: step?.schema, path: below, found }, field, after[key]);
    else found.push({ path: below, ...lossOf(step?.name, key, field) });
  }
}

function lossOf(name: string | undefined, key: string, field: unknown): Pick<Problem, 'rule' | 'message'> {
  if (field === null) return { rule: 'nullable', message: `the null of "${key}" is dropped` };
  if (name === undefined) return { rule: 'unknownFields', message: `"${key}" is dropped` };
  return name === key
    ? { rule: 'existingFieldRemoval', message: `"${key}" is dropped` }
    : { rule: 'mapValues', message: `the key "${key}" is dropped` };
}
