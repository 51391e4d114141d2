/**
 * Reads data as a Go struct and returns it as Go would write that struct: without fields that the type does not have
 * and without empty optional fields, with all required fields, and with quantities in canonical form. OLM treats the
 * Deployments of a CSV and CRDs in the same way, and server-side apply refuses the fields that are left out here.
 */
import { canonicalQuantity } from './quantity.ts';
import { goType, type BasicType, type GoField, type GoType } from './types.ts';

type GoStruct = Record<string, unknown>;

/** Data that does not have the type that a field wants. */
export class DecodeError extends Error {
  override readonly name = 'DecodeError';
  /** `spec.install.spec.deployments[0].name` */
  readonly path: string;
  readonly what: string;

  constructor(path: string, what: string) {
    super(`${path === '' ? 'the object' : path} ${what}`);
    this.path = path;
    this.what = what;
  }
}

/**
 * The data as a value of the named Go type, keys in the order of the struct's fields.
 * `decode('PolicyRule', { resources: ['pods'], extra: 1 })` is `{ verbs: null, resources: ['pods'] }`.
 * @throws DecodeError for the first field whose data has another type.
 */
export function decode(type: string, data: unknown): unknown {
  return decodeAs(goType(type), data, undefined);
}

/** The path of a value, innermost part first; it becomes text only in an error. */
interface GoPath {
  readonly key: string | number;
  readonly outer: GoPath | undefined;
}

function decodeAs(type: GoType, data: unknown, place: GoPath | undefined): unknown {
  if (data === undefined || data === null) return zero(type);
  switch (type.form) {
    case 'basic':
      return decodeBasic(type.type, data, place);
    case 'struct':
      return decodeStruct(type.fields, asObject(data, place), place);
    case 'pointer':
      return decodeAs(type.of, data, place);
    case 'list':
      if (!Array.isArray(data)) throw mismatch(place, 'a list', data);
      return data.map((item, index) => decodeAs(type.of, item, { key: index, outer: place }));
    default:
      return decodeMap(type.of, asObject(data, place), place);
  }
}

function decodeStruct(fields: readonly GoField[], data: GoStruct, place: GoPath | undefined): GoStruct {
  const result: GoStruct = {};
  for (const field of fieldsFor(fields, data)) {
    const present = Object.hasOwn(data, field.name) ? data[field.name] : undefined;
    if ((present === undefined || present === null) && isOptional(field)) continue;
    const value = decodeAs(field.type, present, { key: field.name, outer: place });
    if (field.omitEmpty && isEmpty(field, value)) continue;
    result[field.name] = value;
  }
  return result;
}

/** The fields that the data has, and those that Go writes without data. Of forty fields a schema has three. */
function fieldsFor(fields: readonly GoField[], data: GoStruct): readonly GoField[] {
  const { required, optional } = positionsIn(fields);
  const positions = [...required];
  for (const name of Object.keys(data)) {
    const position = optional.get(name);
    if (position !== undefined) positions.push(position);
  }
  return positions.sort((a, b) => a - b).map((position) => fields[position]!);
}

interface Positions {
  readonly required: readonly number[];
  readonly optional: ReadonlyMap<string, number>;
}

const positionsOfStruct = new WeakMap<readonly GoField[], Positions>();

function positionsIn(fields: readonly GoField[]): Positions {
  const known = positionsOfStruct.get(fields);
  if (known !== undefined) return known;
  const found = {
    required: fields.flatMap((field, position) => (isOptional(field) ? [] : [position])),
    optional: new Map(fields.flatMap((field, position) => (isOptional(field) ? [[field.name, position]] : []))),
  };
  positionsOfStruct.set(fields, found);
  return found;
}

/** Whether Go writes nothing of it if there is no data. */
function isOptional({ type, omitEmpty, omitZero }: GoField): boolean {
  return omitEmpty && (omitZero || !isStructLike(type));
}

/** Go never leaves out a struct, only a nil pointer. */
function isStructLike(type: GoType): boolean {
  if (type.form === 'struct') return true;
  return type.form === 'basic' && (type.type === 'quantity' || type.type === 'intstr' || type.type === 'time');
}

function isEmpty({ type }: GoField, value: unknown): boolean {
  if (type.form === 'pointer' || isStructLike(type)) return false;
  if (value === null || value === '' || value === 0 || value === false) return true;
  if (type.form === 'list') return (value as unknown[]).length === 0;
  return type.form === 'map' && Object.keys(value as GoStruct).length === 0;
}

function decodeMap(of: GoType, data: GoStruct, place: GoPath | undefined): GoStruct {
  return Object.fromEntries(
    Object.entries(data).map(([key, value]) => [key, decodeAs(of, value, { key, outer: place })]),
  );
}

function zero(type: GoType): unknown {
  if (type.form === 'struct') return decodeStruct(type.fields, {}, undefined);
  return type.form === 'basic' ? ZEROS[type.type] : null;
}

const ZEROS: Readonly<Record<BasicType, unknown>> = {
  string: '',
  int: 0,
  float: 0,
  bool: false,
  bytes: null,
  json: null,
  quantity: '0',
  intstr: 0,
  time: null,
  schemaOrBool: false,
  schemaOrArray: null,
  schemaOrStrings: null,
};

function decodeBasic(type: BasicType, data: unknown, place: GoPath | undefined): unknown {
  switch (type) {
    case 'string':
    case 'bytes':
      if (typeof data !== 'string') throw mismatch(place, 'a string', data);
      return data;
    case 'bool':
      if (typeof data !== 'boolean') throw mismatch(place, 'true or false', data);
      return data;
    case 'int':
      if (!isWhole(data, INT64)) throw mismatch(place, 'a whole number of 64 bits', data);
      return data;
    case 'float':
      if (typeof data !== 'bigint' && typeof data !== 'number') throw mismatch(place, 'a number', data);
      return Number(data);
    case 'json':
      return data;
    case 'intstr':
      if (typeof data !== 'string' && !isWhole(data, INT32))
        throw mismatch(place, 'a whole number of 32 bits or a string', data);
      return data;
    case 'quantity':
      return decodeQuantity(data, place);
    case 'time':
      return decodeTime(data, place);
    default:
      return decodeSchemaOr(type, data, place);
  }
}

/** Where the numbers end that have so many bits, one of which is the sign. */
const INT32 = 2n ** 31n;
const INT64 = 2n ** 63n;

function isWhole(data: unknown, end: bigint): boolean {
  if (typeof data !== 'bigint' && !Number.isInteger(data)) return false;
  const whole = BigInt(data as bigint | number);
  return -end <= whole && whole < end;
}

function decodeQuantity(data: unknown, place: GoPath | undefined): string {
  const text = typeof data === 'number' || typeof data === 'bigint' ? String(data) : data;
  const quantity = typeof text === 'string' ? canonicalQuantity(text.trim()) : undefined;
  if (quantity === undefined) throw mismatch(place, 'a quantity', data);
  return quantity;
}

function decodeTime(data: unknown, place: GoPath | undefined): string {
  const time = typeof data === 'string' ? Date.parse(data) : NaN;
  if (Number.isNaN(time)) throw mismatch(place, 'a time', data);
  return new Date(time).toISOString().replace(/\.\d+Z$/, 'Z');
}

type SchemaOr = Extract<BasicType, `schemaOr${string}`>;

/** Places of a CRD's schema that hold a schema or something else. */
function decodeSchemaOr(type: SchemaOr, data: unknown, place: GoPath | undefined): unknown {
  if (type === 'schemaOrBool' && typeof data === 'boolean') return data;
  if (type === 'schemaOrStrings' && Array.isArray(data)) return decodeAs(goType('[]string'), data, place);
  if (type === 'schemaOrArray' && Array.isArray(data)) {
    return data.length === 0 ? null : decodeAs(goType('[]JSONSchemaProps'), data, place);
  }
  return decodeAs(goType('JSONSchemaProps'), data, place);
}

function asObject(data: unknown, place: GoPath | undefined): GoStruct {
  if (typeof data !== 'object' || data === null || Array.isArray(data)) throw mismatch(place, 'a map', data);
  return data as GoStruct;
}

function mismatch(place: GoPath | undefined, wanted: string, data: unknown): DecodeError {
  return new DecodeError(pathOf(place), `must be ${wanted}, not ${describe(data)}`);
}

function describe(data: unknown): string {
  if (Array.isArray(data)) return 'a list';
  if (typeof data === 'string') return `the string ${JSON.stringify(data.slice(0, 60))}`;
  return typeof data === 'number' || typeof data === 'bigint' || typeof data === 'boolean' ? String(data) : 'a map';
}

function pathOf(place: GoPath | undefined): string {
  if (place === undefined) return '';
  const outer = pathOf(place.outer);
  if (typeof place.key === 'number') return `${outer}[${place.key}]`;
  return outer === '' ? place.key : `${outer}.${place.key}`;
}
