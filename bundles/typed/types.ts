/**
 * A notation for Go's structs, and its reader. One line a struct: `Name: field Type; field? Type`.
 *   `?` left out of JSON when empty (`omitempty`), `?z` also when it is a zero struct
 *   `*T` pointer, `[]T` list, `{}T` map, else a struct or one of the basic types
 */
import { CSV_TYPES } from './csv-types.ts';
import { KUBERNETES_TYPES } from './kubernetes-types.ts';

const BASIC_TYPES = [
  'string',
  'int',
  'float',
  'bool',
  'bytes',
  'json',
  'quantity',
  'intstr',
  'time',
  'schemaOrBool',
  'schemaOrArray',
  'schemaOrStrings',
] as const;
export type BasicType = (typeof BASIC_TYPES)[number];

export type GoType =
  | { readonly form: 'basic'; readonly type: BasicType }
  | { readonly form: 'struct'; readonly name: string; readonly fields: readonly GoField[] }
  | { readonly form: 'pointer' | 'list' | 'map'; readonly of: GoType };

export interface GoField {
  readonly name: string;
  readonly type: GoType;
  readonly omitEmpty: boolean;
  readonly omitZero: boolean;
}

/** The type of a name: `goType('DeploymentSpec')`. @throws Error for a name that the tables do not have. */
export function goType(notation: string): GoType {
  const known = cache.get(notation);
  if (known !== undefined) return known;
  const type = read(notation);
  cache.set(notation, type);
  return type;
}

const cache = new Map<string, GoType>();

function read(notation: string): GoType {
  if (notation.startsWith('*')) return { form: 'pointer', of: goType(notation.slice(1)) };
  if (notation.startsWith('[]')) return { form: 'list', of: goType(notation.slice(2)) };
  if (notation.startsWith('{}')) return { form: 'map', of: goType(notation.slice(2)) };
  const basic = BASIC_TYPES.find((type) => type === notation);
  return basic === undefined ? readStruct(notation) : { form: 'basic', type: basic };
}

/** A struct may contain itself, so it is known before its fields are read. */
function readStruct(name: string): GoType {
  const line = lines.get(name);
  if (line === undefined) throw new Error(`no Go type "${name}" in the tables`);
  const fields: GoField[] = [];
  const type: GoType = { form: 'struct', name, fields };
  cache.set(name, type);
  for (const text of line.split('; ')) if (text !== '') fields.push(readField(text));
  return type;
}

const lines = new Map(
  `${KUBERNETES_TYPES}${CSV_TYPES}`
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => {
      const colon = line.indexOf(':');
      return [line.slice(0, colon), line.slice(colon + 1).trim()] as const;
    }),
);

function readField(text: string): GoField {
  const space = text.indexOf(' ');
  const [name = '', options] = text.slice(0, space).split('?');
  const type = goType(text.slice(space + 1));
  return { name, type, omitEmpty: options !== undefined, omitZero: options === 'z' };
}
