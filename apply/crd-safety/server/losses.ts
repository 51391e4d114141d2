/**
 * Finds the parts of an object that are gone after it was read under another schema, by their old schema node. Pure.
 */
import type { Schema } from '../schema.ts';
import { isRecord } from '../../../api/untyped.ts';
import { itemsOf, META_FIELDS, stepTo } from './node.ts';
import type { Problem, Report } from './problem.ts';
import { listFields, takeSteps, VISIT } from './steps.ts';
import { cutName } from './texts.ts';

/** Reports the topmost fields that `before` has and `after` lacks; `schema` describes `before`. */
export function findLosses(schema: Schema, before: unknown, after: unknown, report: Report): void {
  collect({ schema, path: '^', report }, before, after);
}

interface SchemaPlace {
  readonly schema: Schema | undefined;
  readonly path: string;
  readonly report: Report;
}

function collect({ schema, path, report }: SchemaPlace, before: unknown, after: unknown): void {
  takeSteps(VISIT);
  if (Array.isArray(before) && Array.isArray(after)) {
    const place = { schema: itemsOf(schema), path: `${path}.items`, report };
    for (const [index, item] of before.entries()) collect(place, item, after[index]);
    return;
  }
  if (!isRecord(before) || !isRecord(after)) return;
  const fields = Object.entries(before);
  listFields(fields.length);
  for (const [key, field] of fields) {
    if (path === '^' && META_FIELDS.has(key)) continue;
    const step = stepTo(schema, key);
    const below = `${path}.${step?.name ?? key}`;
    if (Object.hasOwn(after, key)) collect({ schema: step?.schema, path: below, report }, field, after[key]);
    else report({ path: below, ...lossOf(step?.name, key, field) });
  }
}

function lossOf(name: string | undefined, key: string, field: unknown): Pick<Problem, 'rule' | 'message'> {
  const shown = cutName(key);
  if (field === null) return { rule: 'nullable', message: `the null of "${shown}" is dropped` };
  if (name === undefined) return { rule: 'unknownFields', message: `"${shown}" is dropped` };
  return name === key
    ? { rule: 'existingFieldRemoval', message: `"${shown}" is dropped` }
    : { rule: 'mapValues', message: `the key "${shown}" is dropped` };
}
