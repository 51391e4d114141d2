/** Makes values that a schema takes, most likely, near to the limits of another one. */
import { isRecord } from '../../../api/untyped.ts';
import type { Chance } from './chance.ts';
import { NAMES, NUMBERS, WORDS, type Schema } from './generate-schema.ts';

/** A value that the old schema most likely accepts; free places hold values that the new one judges. */
export function valueOf(
  { old, next }: { readonly old: Schema | undefined; readonly next: Schema | undefined },
  chance: Chance,
): unknown {
  const schema = old ?? next ?? {};
  if (schema['nullable'] === true && chance.happens(0.2)) return null;
  if (Array.isArray(schema['enum'])) return chance.pick(schema['enum'] as unknown[]);
  if (schema['x-kubernetes-int-or-string'] === true)
    return chance.happens(0.5) ? chance.pick(NUMBERS) : chance.pick(WORDS);
  switch (schema['type']) {
    case 'string':
      return chance.pick(WORDS);
    case 'integer':
      return chance.pick(schema['format'] === 'int32' ? NUMBERS.slice(0, -1) : NUMBERS);
    case 'number':
      return chance.pick(schema['format'] === 'float' ? NUMBERS : [...NUMBERS, 0.5, 1e300]);
    case 'boolean':
      return chance.happens(0.5);
    case 'array':
      return Array.from({ length: chance.below(4) }, () =>
        valueOf({ old: childOf(schema, 'items'), next: childOf(next, 'items') }, chance),
      );
    case 'object':
      return fieldsOf({ old: schema, next }, chance);
    default:
      return chance.happens(0.7) && next !== undefined && next !== old
        ? valueOf({ old: next, next: undefined }, chance)
        : anyValue(chance, 2);
  }
}

function childOf(schema: Schema | undefined, keyword: string): Schema | undefined {
  return isRecord(schema?.[keyword]) ? schema[keyword] : undefined;
}

function fieldsOf({ old, next }: { readonly old: Schema; readonly next: Schema | undefined }, chance: Chance): Schema {
  const fields: Schema = {};
  if (old['x-kubernetes-embedded-resource'] === true) {
    Object.assign(fields, { apiVersion: 'v1', kind: 'Thing', ...(chance.happens(0.5) && { metadata: { name: 'a' } }) });
  }
  const known = (old['properties'] ?? {}) as Record<string, Schema>;
  const later = (next?.['properties'] ?? {}) as Record<string, Schema>;
  const required = (old['required'] ?? []) as readonly string[];
  for (const [name, schema] of Object.entries(known)) {
    if (required.includes(name) || chance.happens(0.6))
      fields[name] = valueOf({ old: schema, next: later[name] }, chance);
  }
  const values = childOf(old, 'additionalProperties');
  const isOpen = old['x-kubernetes-preserve-unknown-fields'] === true;
  if (values === undefined && !isOpen) return fields;
  for (const name of [...NAMES, 'z'].filter((each) => !Object.hasOwn(known, each) && chance.happens(0.4))) {
    const hint = later[name] ?? childOf(next, 'additionalProperties');
    fields[name] = values === undefined ? nearValue(hint, chance) : valueOf({ old: values, next: hint }, chance);
  }
  return fields;
}

/** What the schema takes, or something else. */
function nearValue(schema: Schema | undefined, chance: Chance): unknown {
  return schema !== undefined && chance.happens(0.7)
    ? valueOf({ old: schema, next: undefined }, chance)
    : anyValue(chance, 2);
}

function anyValue(chance: Chance, levels: number): unknown {
  const kind = chance.below(levels > 0 ? 6 : 4);
  if (kind === 0) return chance.pick(WORDS);
  if (kind === 1) return chance.pick(NUMBERS);
  if (kind === 2) return chance.happens(0.5);
  if (kind === 3) return null;
  if (kind === 4) return Array.from({ length: chance.below(3) }, () => anyValue(chance, levels - 1));
  return Object.fromEntries(
    [...NAMES, 'z'].filter(() => chance.happens(0.4)).map((name) => [name, anyValue(chance, levels - 1)]),
  );
}
