/**
 * Tells whether one object that exists is hurt by a change of its CRD: whether it has what would be lost, or a value
 * that would be refused. Pure; guard.ts asks it about every object. In doubt an object counts as hurt.
 */
import { canonicalJson } from '../../api/json.ts';
import type { KubeObject } from '../../api/object.ts';
import { fieldsOf, textOf, type Fields } from '../untyped.ts';
import type { Finding } from './compare.ts';
import { flattenSchema, isSchema, type Crd, type Schema } from './schema.ts';

/** Judges objects by one finding; made once for all objects, since it reads the schemas. */
export type Hurts = (object: KubeObject) => boolean;

/** What the API server refuses or breaks whether objects exist or not. */
const REGARDLESS: ReadonlySet<string> = new Set(['scope', 'kind', 'storedVersionRemoval']);

/** Whether a finding stands whatever objects there are. */
export function isRegardless({ rule }: Pick<Finding, 'rule'>): boolean {
  return REGARDLESS.has(rule);
}

/**
 * The judge of a finding about objects as the finding's version shows them. A finding without a path, or about two
 * versions at once, hurts every object.
 */
export function judgeOf({ rule, path, version }: Finding, old: Crd, next: Crd): Hurts {
  const before = old.versions.find(({ name }) => name === version)?.schema;
  const after = next.versions.find(({ name }) => name === version)?.schema;
  if (path === undefined || before === undefined || after === undefined) return () => true;
  const node = flattenSchema(after).get(path) ?? {};
  const refuses = REFUSES.get(rule) ?? (() => true);
  return (object) => valuesAt(before, object, path.slice(1)).some((value) => refuses(value, node));
}

/** The values that an object has at a path below a schema; `rest` begins with a dot, or is empty for the value itself. */
export function valuesAt(schema: Schema, value: unknown, rest: string): readonly unknown[] {
  if (rest === '') return [value];
  const named = Object.entries(fieldsOf(schema['properties'])).flatMap(([name, child]) => {
    const below = after(rest, name);
    if (below === undefined || !isSchema(value) || !Object.hasOwn(value, name)) return [];
    return valuesAt(fieldsOf(child), value[name], below);
  });
  return [...named, ...itemsAt(schema, value, rest), ...mapValuesAt(schema, value, rest)];
}

function itemsAt({ items }: Schema, value: unknown, rest: string): readonly unknown[] {
  const below = after(rest, 'items');
  if (below === undefined || !isSchema(items) || !Array.isArray(value)) return [];
  return value.flatMap((item) => valuesAt(items, item, below));
}

function mapValuesAt({ additionalProperties, properties }: Schema, value: unknown, rest: string): readonly unknown[] {
  const below = after(rest, 'additionalProperties');
  if (below === undefined || !isSchema(additionalProperties) || !isSchema(value)) return [];
  const named = fieldsOf(properties);
  const values = Object.entries(value).filter(([key]) => !Object.hasOwn(named, key));
  return values.flatMap(([, child]) => valuesAt(additionalProperties, child, below));
}

/** What is left of a path after a name, which may have dots of its own; undefined where the path goes elsewhere. */
function after(rest: string, name: string): string | undefined {
  const prefix = `.${name}`;
  if (!rest.startsWith(prefix)) return undefined;
  const below = rest.slice(prefix.length);
  return below === '' || below.startsWith('.') ? below : undefined;
}

type Refuses = (value: unknown, node: Schema) => boolean;

/** How single rules judge a value; of all others, every value counts as refused. */
const REFUSES: ReadonlyMap<string, Refuses> = new Map<string, Refuses>([
  ['type', (value, node) => value !== null && !hasType(value, node)],
  ['nullable', (value) => value === null],
  ['enum', (value, node) => value !== null && !listIn(node, 'enum').includes(canonicalJson(value))],
  ['required', lacksField],
  ['mapValues', (value, node) => node['additionalProperties'] !== undefined || hasUnknownKey(value, node)],
  ['unknownFields', hasUnknownKey],
  ['minimum', (value, node) => isBelow(value, node['minimum'], node['exclusiveMinimum'] === true)],
  ['maximum', (value, node) => isBelow(node['maximum'], value, node['exclusiveMaximum'] === true)],
  ['minLength', (value, node) => isBelow(lengthOf(value), node['minLength'], false)],
  ['maxLength', (value, node) => isBelow(node['maxLength'], lengthOf(value), false)],
  ['minItems', (value, node) => isBelow(countOf(value), node['minItems'], false)],
  ['maxItems', (value, node) => isBelow(node['maxItems'], countOf(value), false)],
  ['minProperties', (value, node) => isBelow(keysOf(value), node['minProperties'], false)],
  ['maxProperties', (value, node) => isBelow(node['maxProperties'], keysOf(value), false)],
]);

function hasType(value: unknown, node: Schema): boolean {
  const isInteger = typeof value === 'bigint' || Number.isInteger(value);
  if (node['x-kubernetes-int-or-string'] === true) return isInteger || typeof value === 'string';
  switch (textOf(node['type'])) {
    case 'integer':
      return isInteger;
    case 'number':
      return typeof value === 'number' || typeof value === 'bigint';
    case 'array':
      return Array.isArray(value);
    case 'object':
      return isSchema(value);
    case 'string':
    case 'boolean':
      return typeof value === node['type'];
    default:
      return textOf(node['type']) === '';
  }
}

function listIn(node: Schema, keyword: string): readonly string[] {
  const list = node[keyword];
  return Array.isArray(list) ? list.map(canonicalJson) : [];
}

function lacksField(value: unknown, node: Schema): boolean {
  if (!isSchema(value)) return false;
  const required = Array.isArray(node['required']) ? node['required'].map(textOf) : [];
  const properties = fieldsOf(node['properties']);
  return required.some((name) => !Object.hasOwn(value, name) && fieldsOf(properties[name])['default'] === undefined);
}

/** Every object has these at its root, whether its schema names them or not. */
const ALWAYS: ReadonlySet<string> = new Set(['apiVersion', 'kind', 'metadata']);

function hasUnknownKey(value: unknown, node: Schema): boolean {
  if (!isSchema(value)) return false;
  const known: Fields = fieldsOf(node['properties']);
  const isRoot = Object.hasOwn(value, 'apiVersion') && Object.hasOwn(value, 'metadata');
  return Object.keys(value).some((key) => !Object.hasOwn(known, key) && !(isRoot && ALWAYS.has(key)));
}

/** Whether one bound lies below another, or at it where that is excluded; what is no number is not bounded. */
function isBelow(low: unknown, high: unknown, excluded: boolean): boolean {
  if (!isNumber(low) || !isNumber(high)) return false;
  return low < high || (excluded && low === high);
}

function isNumber(value: unknown): value is number | bigint {
  return typeof value === 'number' || typeof value === 'bigint';
}

/** The API server counts characters, not units of UTF-16. */
function lengthOf(value: unknown): number | undefined {
  return typeof value === 'string' ? Array.from(value).length : undefined;
}

function countOf(value: unknown): number | undefined {
  return Array.isArray(value) ? value.length : undefined;
}

function keysOf(value: unknown): number | undefined {
  return isSchema(value) ? Object.keys(value).length : undefined;
}
