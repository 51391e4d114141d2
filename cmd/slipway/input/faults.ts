/** Words the faults of data that a schema refuses, so that readers need not know the schema's library. Pure. */
import * as z from 'zod';
import { formatJson } from '../../../api/json.ts';
import { isRecord } from '../../../api/untyped.ts';

/** All faults at once, each with its place: `env[0].name: must have at least 1 character`. None where data are right. */
export function faultsOf(schema: z.ZodType, data: unknown): readonly string[] {
  const result = schema.safeParse(data);
  const wrong = result.success ? [] : result.error.issues.map((issue) => describe(issue, data));
  return [...wrong, ...unknownFields(z.toJSONSchema(schema, { io: 'input', unrepresentable: 'any' }), data, '')];
}

function describe(issue: z.core.$ZodIssue, data: unknown): string {
  const place = issue.path.reduce<string>(join, '');
  const value = issue.path.reduce<unknown>((inner, key) => (inner as Record<PropertyKey, unknown>)[key], data);
  const what = value === undefined ? 'is missing' : rule(issue, value);
  return place === '' ? `the whole ${what}` : `${place}: ${what}`;
}

/** `env` and `0` are `env[0]`; that and `name` are `env[0].name`. */
function join(place: string, key: PropertyKey): string {
  if (typeof key === 'number') return `${place}[${key}]`;
  return place === '' ? String(key) : `${place}.${String(key)}`;
}

function rule(issue: z.core.$ZodIssue, value: unknown): string {
  switch (issue.code) {
    case 'invalid_type':
      return `must be ${nounOf(issue.expected)}, not ${shown(value)}`;
    case 'invalid_union': {
      const expected = issue.errors
        .flat()
        .flatMap((inner) => (inner.code === 'invalid_type' ? [nounOf(inner.expected)] : []));
      return `must be ${[...new Set(expected)].join(' or ')}, not ${shown(value)}`;
    }
    case 'too_small':
      return `must ${amount(issue.origin, 'at least', Number(issue.minimum))}`;
    case 'too_big':
      return `must ${amount(issue.origin, 'at most', Number(issue.maximum))}`;
    case 'invalid_value':
      return `must be one of ${issue.values.map(String).join(', ')}`;
    default:
      return issue.message;
  }
}

const NOUNS: ReadonlyMap<string, string> = new Map([
  ['string', 'a text'],
  ['number', 'a number'],
  ['int', 'a whole number'],
  ['boolean', 'true or false'],
  ['array', 'a list'],
  ['object', 'a map'],
  ['record', 'a map'],
]);

function nounOf(expected: string): string {
  return NOUNS.get(expected) ?? expected;
}

function shown(value: unknown): string {
  if (value === null) return 'nothing';
  if (Array.isArray(value)) return 'a list';
  if (typeof value === 'object') return 'a map';
  return typeof value === 'string' ? `the text ${JSON.stringify(value.slice(0, 60))}` : formatJson(value);
}

function amount(origin: string, bound: string, number: number): string {
  if (origin === 'string') return `have ${bound} ${number} ${number === 1 ? 'character' : 'characters'}`;
  if (origin === 'array') return `have ${bound} ${number} ${number === 1 ? 'entry' : 'entries'}`;
  return `be ${bound} ${number}`;
}

type JsonSchema = z.core.JSONSchema.BaseSchema;

/** Fields that the schema does not have, unless it keeps unknown fields. */
function unknownFields(schema: JsonSchema, data: unknown, place: string): readonly string[] {
  if (Array.isArray(data)) {
    const items = schemaOf(schema.items);
    return items === undefined ? [] : data.flatMap((item, index) => unknownFields(items, item, join(place, index)));
  }
  if (!isRecord(data)) return [];
  const { properties, additionalProperties } = schema;
  const keeps = properties === undefined || schema['x-kubernetes-preserve-unknown-fields'] === true;
  return Object.entries(data).flatMap(([name, value]) => {
    const here = join(place, name);
    const field = properties !== undefined && Object.hasOwn(properties, name) ? properties[name] : additionalProperties;
    const inner = schemaOf(field);
    if (inner !== undefined) return unknownFields(inner, value, here);
    return keeps ? [] : [`${here}: there is no such field`];
  });
}

/** Some places of a schema hold whether anything may be there. */
function schemaOf(schema: unknown): JsonSchema | undefined {
  return isRecord(schema) && Object.keys(schema).length > 0 ? schema : undefined;
}
