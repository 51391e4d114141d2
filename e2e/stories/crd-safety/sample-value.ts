/** Values that a published schema accepts: the required fields, and some of the others. */
import { type Fields, isRecord } from '../../../api/untyped.ts';
import { checkValue } from '../../../apply/crd-safety/server/check-value.ts';
import type { Chance } from './chance.ts';

const TEXTS = (
  'a 1 1h 10s 100m 1Gi http://example.com 10.0.0.1 1.2.3 A a-b a/b a.b 10.0.0.0/8 2020-02-29 2020-02-29T00:00:00Z ' +
  'v1.0.0 a:b a@b.example true abcdefghij 50% '
).split(' ');
const NUMBERS = [1, 0, 2, 10, 80, 1000, 30_000, -1, 0.5];
const MOST_LEVELS = 12;

/** Undefined if nothing was found that the schema takes. */
export function sampleValue(schema: Fields, chance: Chance, level = 0): unknown {
  if (Array.isArray(schema['enum'])) return chance.pick(schema['enum'] as readonly unknown[]);
  if (schema['x-kubernetes-int-or-string'] === true) return among([1, '50%', '100m', 'a'], schema, chance);
  switch (schema['type']) {
    case 'string':
      return among(TEXTS, schema, chance);
    case 'integer':
    case 'number':
      return among(NUMBERS, schema, chance);
    case 'boolean':
      return chance.happens(0.5);
    case 'array':
      return sampleList(schema, chance, level);
    case 'object':
      return sampleObject(schema, chance, level);
    default:
      return { any: 'thing' };
  }
}

function among(values: readonly unknown[], schema: Fields, chance: Chance): unknown {
  const fitting = values.filter((value) => fits(schema, value));
  return fitting.length === 0 ? undefined : chance.pick(fitting);
}

/** Whether the schema takes a value, expressions aside. */
export function fits(schema: Fields, value: unknown): boolean {
  let problems = 0;
  checkValue(schema, value, '^', () => (problems += 1));
  return problems === 0;
}

function sampleList(schema: Fields, chance: Chance, level: number): unknown {
  const items = schema['items'] as Fields;
  const least = Number(schema['minItems'] ?? 0);
  const count = Math.max(least, level < MOST_LEVELS && chance.happens(0.7) ? 1 : 0);
  const list = Array.from({ length: count }, () => sampleValue(items, chance, level + 1));
  return list.includes(undefined) ? undefined : list;
}

function sampleObject(schema: Fields, chance: Chance, level: number): unknown {
  const properties = (schema['properties'] ?? {}) as Readonly<Record<string, Fields>>;
  const required = (schema['required'] ?? []) as readonly string[];
  const odds = level < 3 ? 0.6 : level < MOST_LEVELS ? 0.2 : 0;
  const named = Object.entries(properties).flatMap(([name, property]): [string, unknown][] => {
    const isRequired = required.includes(name);
    if (!isRequired && !chance.happens(odds)) return [];
    const value = sampleValue(property, chance, level + 1);
    // A combination of schemas may not let an optional one be.
    return value === undefined || (!isRequired && !fits(property, value)) ? [] : [[name, value]];
  });
  const values = schema['additionalProperties'];
  const entry = isRecord(values) && chance.happens(odds) ? sampleValue(values, chance, level + 1) : undefined;
  const unknown =
    schema['x-kubernetes-preserve-unknown-fields'] === true && chance.happens(odds) ? { any: 'thing' } : undefined;
  return {
    ...Object.fromEntries(named),
    ...(entry !== undefined && { one: entry }),
    ...(unknown !== undefined && { unnamed: unknown }),
  };
}
