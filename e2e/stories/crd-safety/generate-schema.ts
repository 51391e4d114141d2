/** Makes schemas of a few levels that an API server takes. */
import type { Chance } from './chance.ts';

export type Schema = Record<string, unknown>;

export const NAMES = ['a', 'b', 'c', 'd'] as const;
export const WORDS: readonly string[] = [
  '',
  ...'a ab abc abcdef b 10.0.0.1 not-a-date 2020-02-30 2020-02-29 a.b.example ::1 10.0.0.0/8 aa:bb:cc:dd:ee:ff'.split(
    ' ',
  ),
  ...'1h30m http://x/y?z=1 #fff rgb(1,2,3) 123-45-6789 é 😀😀😀 x@y.z YWJj 2020-02-29T10:00:00Z /path urn:a:b'.split(
    ' ',
  ),
  ...'ABC 4111111111111111 0321751043'.split(' '),
  '5 days',
  'a b',
];
export const NUMBERS = [-1, 0, 1, 2, 3, 5, 10, 3_000_000_000];
export const PATTERNS = ['^a', 'b$', '^[a-z]*$', '^(a|b){1,3}$', '\\d+', '^[a-z]([-a-z0-9]{0,61}[a-z0-9])?$'];
export const FORMATS: readonly string[] = [
  ...'ipv4 ipv6 cidr mac date date-time duration hostname uri email uuid byte hexcolor rgbcolor ssn password'.split(
    ' ',
  ),
  ...'bsonobjectid k8s-short-name k8s-long-name of-no-program'.split(' '),
];

export function schemaOf(chance: Chance, levels: number): Schema {
  const kinds = levels > 0 ? [...SCALARS, ...CONTAINERS, ...CONTAINERS] : SCALARS;
  const schema = BUILD[chance.pick(kinds)](chance, levels);
  if (chance.happens(0.15)) schema['nullable'] = true;
  return schema;
}

const SCALARS = ['text', 'integer', 'number', 'boolean', 'intOrString'] as const;
const CONTAINERS = ['object', 'object', 'open', 'anything', 'map', 'list', 'embedded'] as const;

export const BUILD: Readonly<
  Record<(typeof SCALARS | typeof CONTAINERS)[number], (chance: Chance, levels: number) => Schema>
> = {
  text(chance) {
    const schema: Schema = { type: 'string', maxLength: 20 };
    if (chance.happens(0.2)) schema['enum'] = ['a', 'ab', 'abc'];
    if (chance.happens(0.15)) schema['pattern'] = chance.pick(PATTERNS);
    return schema;
  },
  integer: (chance) => ({ type: 'integer', ...(chance.happens(0.3) && { format: chance.pick(['int32', 'int64']) }) }),
  number: (chance) => ({ type: 'number', ...(chance.happens(0.3) && { format: chance.pick(['float', 'double']) }) }),
  boolean: () => ({ type: 'boolean' }),
  intOrString: () => ({ 'x-kubernetes-int-or-string': true }),
  object: (chance, levels) => {
    const names = NAMES.filter(() => chance.happens(0.6));
    const properties = Object.fromEntries(names.map((name) => [name, schemaOf(chance, levels - 1)]));
    return { type: 'object', properties };
  },
  open: (chance, levels) => ({
    ...(chance.happens(0.5) ? BUILD.object(chance, levels) : { type: 'object' }),
    'x-kubernetes-preserve-unknown-fields': true,
  }),
  anything: () => ({ 'x-kubernetes-preserve-unknown-fields': true }),
  map: (chance, levels) => ({ type: 'object', additionalProperties: schemaOf(chance, levels - 1) }),
  list: (chance, levels) => ({ type: 'array', maxItems: 5, items: schemaOf(chance, levels - 1) }),
  embedded: (chance, levels) => ({ ...BUILD.open(chance, levels), 'x-kubernetes-embedded-resource': true }),
};
