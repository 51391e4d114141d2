/** Finds fields that a Go struct does not have: in a configuration they are mistakes, in a bundle they go unnoticed. */
import { goType, type GoType } from './types.ts';

/** Paths of the fields of the data that the named type does not have: `spec.template.spec.containers[0].ports[0].prot`. */
export function unknownFields(type: string, data: unknown): readonly string[] {
  const found: string[] = [];
  collect(goType(type), data, { path: '', found });
  return found;
}

function collect(type: GoType, data: unknown, at: { readonly path: string; readonly found: string[] }): void {
  if (data === null || typeof data !== 'object') return;
  const { path, found } = at;
  if (type.form === 'pointer') {
    collect(type.of, data, at);
  } else if (type.form === 'list' && Array.isArray(data)) {
    data.forEach((item, index) => collect(type.of, item, { path: `${path}[${index}]`, found }));
  } else if (type.form === 'map') {
    for (const [key, value] of Object.entries(data)) {
      collect(type.of, value, { path: `${path}[${key.slice(0, MAX_KEY)}]`, found });
    }
  } else if (type.form === 'struct' && !Array.isArray(data)) {
    collectFields(type.fields, data, at);
  } else if (type.form === 'basic' && type.type.startsWith('schemaOr')) {
    collect(goType(Array.isArray(data) ? '[]JSONSchemaProps' : 'JSONSchemaProps'), data, at);
  }
}

/** Of a key in a path, which all unknown fields below it repeat. */
const MAX_KEY = 100;

function collectFields(
  fields: Extract<GoType, { form: 'struct' }>['fields'],
  data: object,
  { path, found }: { readonly path: string; readonly found: string[] },
): void {
  for (const [key, value] of Object.entries(data)) {
    const field = fields.find(({ name }) => name === key);
    const inner = path === '' ? key : `${path}.${key}`;
    if (field === undefined) found.push(inner);
    else collect(field.type, value, { path: inner, found });
  }
}
