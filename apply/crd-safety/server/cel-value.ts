/**
 * Converts a value to the form that expressions of its schema see: only fields that the schema names, under names valid
 * in an expression; times and bytes instead of texts; integers apart from other numbers. Pure.
 * @see https://github.com/kubernetes/apiserver/blob/master/pkg/cel/common/valuesunstructured.go
 */
import type { CelInput } from '@bufbuild/cel';
import { loadCel } from '../../../api/cel/lazy-cel.ts';
import { type Fields, fieldsOf, isRecord, textOf } from '../../../api/untyped.ts';
import { isSchema, type Schema } from '../schema.ts';
import { isEmbedded, itemsOf } from './node.ts';

interface Typed {
  readonly schema: Schema;
  readonly value: unknown;
  /** Whether the node is the root of a Kubernetes object, embedded ones included. */
  readonly isRoot?: boolean;
}

export function toCel({ schema, value, isRoot = false }: Typed): CelInput {
  if (typeof value === 'string') return textToCel(schema, value);
  if (typeof value === 'number' || typeof value === 'bigint') return numberToCel(schema, value);
  if (Array.isArray(value)) {
    const items = itemsOf(schema) ?? {};
    return value.map((item) => toCel({ schema: items, value: item, isRoot: isEmbedded(items) }));
  }
  if (!isRecord(value)) return value as CelInput;
  const values = schema['additionalProperties'];
  if (isSchema(values)) {
    const entries = Object.entries(value).map(([key, field]) => [key, fieldToCel(values, field)] as const);
    return new Map<string, CelInput>(entries);
  }
  return new Map<string, CelInput>([...(isRoot ? metaOf(value) : []), ...namedFields(schema, value)]);
}

function fieldToCel(schema: Schema, value: unknown): CelInput {
  return toCel({ schema, value, isRoot: isEmbedded(schema) });
}

/** A null in a named field counts as an absent field. */
function namedFields(schema: Schema, value: Fields): (readonly [string, CelInput])[] {
  const properties = fieldsOf(schema['properties']);
  return Object.entries(value).flatMap(([key, field]) => {
    const name = escape(key);
    if (name === undefined || field === null || !Object.hasOwn(properties, key)) return [];
    return [[name, fieldToCel(fieldsOf(properties[key]), field)] as const];
  });
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

function convert(name: 'timestamp' | 'duration', text: string): CelInput {
  const { run, isCelError } = loadCel();
  const value = run(`${name}(text)`, { text });
  return isCelError(value) ? text : value;
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
  if (!/^[a-zA-Z_./-][a-zA-Z0-9_./-]*$/.test(name)) return undefined;
  return RESERVED.has(name) ? `__${name}__` : name.replaceAll(/__|[-./]/g, (part) => ESCAPED[part] ?? part);
}
