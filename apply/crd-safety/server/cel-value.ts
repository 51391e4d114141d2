/**
 * Converts a value to the form that expressions of its schema see: only fields that the schema names, under names valid
 * in an expression; times and bytes instead of texts; integers apart from other numbers. Pure.
 * @see https://github.com/kubernetes/apiserver/blob/master/pkg/cel/common/valuesunstructured.go
 */
import type { CelInput, CelResult } from '@bufbuild/cel';
import { loadCel } from '../../../api/cel/lazy-cel.ts';
import { type Fields, fieldsOf, textOf } from '../../../api/untyped.ts';
import { isSchema, type Schema } from '../schema.ts';
import { isEmbedded, itemsOf } from './node.ts';
import { listFields, readText, takeSteps } from './steps.ts';

/** The lists and objects that are converted already, by value and schema: rules may be at each level of a value. */
export type ConvertedValues = WeakMap<object, Map<Schema, CelInput>>;

interface Typed {
  readonly schema: Schema;
  readonly value: unknown;
  /** Whether the node is the root of a Kubernetes object, embedded ones included. */
  readonly isRoot?: boolean;
  readonly converted: ConvertedValues;
}

export function toCel(typed: Typed): CelInput {
  const { schema, value, converted } = typed;
  if (typeof value !== 'object' || value === null) return scalarToCel(schema, value);
  const bySchema = converted.get(value) ?? new Map<Schema, CelInput>();
  const known = bySchema.get(schema);
  if (known !== undefined) return known;
  const made = Array.isArray(value) ? listToCel(typed, value) : objectToCel(typed, value as Fields);
  converted.set(value, bySchema.set(schema, made));
  return made;
}

function scalarToCel(schema: Schema, value: unknown): CelInput {
  takeSteps(1);
  if (typeof value === 'string') return textToCel(schema, value);
  if (typeof value === 'number' || typeof value === 'bigint') return numberToCel(schema, value);
  return value as CelInput;
}

function listToCel({ schema, converted }: Typed, list: readonly unknown[]): CelInput {
  takeSteps(1);
  const items = itemsOf(schema) ?? {};
  return list.map((item) => fieldToCel(items, item, converted));
}

function objectToCel({ schema, isRoot = false, converted }: Typed, value: Fields): CelInput {
  takeSteps(1);
  const entries = Object.entries(value);
  listFields(entries.length);
  const values = schema['additionalProperties'];
  if (isSchema(values))
    return new Map(entries.map(([key, field]) => [key, fieldToCel(values, field, converted)] as const));
  return new Map<string, CelInput>([
    ...(isRoot ? metaOf(value) : []),
    ...entries.flatMap(([key, field]) => namedField(schema, { key, field }, converted)),
  ]);
}

function fieldToCel(schema: Schema, value: unknown, converted: ConvertedValues): CelInput {
  return toCel({ schema, value, isRoot: isEmbedded(schema), converted });
}

/** A null in a named field counts as an absent field. */
function namedField(
  schema: Schema,
  { key, field }: { readonly key: string; readonly field: unknown },
  converted: ConvertedValues,
): (readonly [string, CelInput])[] {
  const properties = fieldsOf(schema['properties']);
  if (field === null || !Object.hasOwn(properties, key)) return [];
  const name = escape(key);
  return name === undefined ? [] : [[name, fieldToCel(fieldsOf(properties[key]), field, converted)]];
}

function metaOf({ apiVersion, kind, metadata }: Fields): (readonly [string, CelInput])[] {
  const texts = Object.entries({ apiVersion, kind }).map(([key, text]) => [key, textOf(text)] as const);
  const { name, generateName } = fieldsOf(metadata);
  const named = Object.entries({ name, generateName }).filter(([, text]) => typeof text === 'string');
  return [...texts, ['metadata', new Map(named.map(([key, text]) => [key, textOf(text)] as const))]];
}

function numberToCel(schema: Schema, value: number | bigint): CelInput {
  if (schema['type'] === 'number') return Number(value);
  return typeof value === 'number' && Number.isInteger(value) ? BigInt(value) : value;
}

/** Converts a text whose format has a type of its own; a text that does not parse stays a text. */
function textToCel(schema: Schema, text: string): CelInput {
  if (schema['x-kubernetes-int-or-string'] === true) return text;
  readText(text.length);
  switch (schema['format']) {
    case 'byte':
      return Buffer.from(text, 'base64');
    case 'date':
      return convert('timestamp', `${text}T00:00:00Z`);
    case 'date-time':
      return convert('timestamp', text);
    case 'duration':
      return convert('duration', text);
    default:
      return text;
  }
}

const STEPS_OF_A_TIME = 20;

function convert(name: 'timestamp' | 'duration', text: string): CelInput {
  takeSteps(STEPS_OF_A_TIME);
  const value = timeConverter(name)({ text });
  return loadCel().isCelError(value) ? text : value;
}

type ConvertTime = (variables: { readonly text: string }) => CelResult;

const converters = new Map<string, ConvertTime>();

/** Parses and plans the expression once: that takes forty times as long as a conversion. */
function timeConverter(name: 'timestamp' | 'duration'): ConvertTime {
  const known = converters.get(name);
  if (known !== undefined) return known;
  const { parse, plan, celEnv, celError } = loadCel();
  const run = plan(celEnv(), parse(`${name}(text)`));
  const converter: ConvertTime = (variables) => {
    try {
      return run({ ...variables });
    } catch (error) {
      return celError(error);
    }
  };
  converters.set(name, converter);
  return converter;
}

const RESERVED: ReadonlySet<string> = new Set(
  (
    'true false null in as break const continue else for function if import let loop package namespace return var ' +
    'void while'
  ).split(' '),
);
const ESCAPED: Readonly<Record<string, string>> = {
  __: '__underscores__',
  '.': '__dot__',
  '-': '__dash__',
  '/': '__slash__',
};

/** The name of a field in an expression; undefined if no valid name exists. */
function escape(name: string): string | undefined {
  readText(name.length);
  if (!/^[a-zA-Z_./-][a-zA-Z0-9_./-]*$/.test(name)) return undefined;
  return RESERVED.has(name) ? `__${name}__` : name.replaceAll(/__|[-./]/g, (part) => ESCAPED[part] ?? part);
}
