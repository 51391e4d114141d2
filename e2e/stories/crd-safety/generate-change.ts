/** Changes a schema along every rule that there is about changes of CRDs. */
import { isRecord } from '../../../api/untyped.ts';
import type { Chance } from './chance.ts';
import { BUILD, FORMATS, NAMES, PATTERNS, schemaOf, type Schema } from './generate-schema.ts';

/** Every node of a schema that is about a value of the object, with a way to put another one in its place. */
interface Slot {
  readonly schema: Schema;
  readonly replace: (schema: Schema) => void;
}

function slotsOf(schema: Schema, replace: (schema: Schema) => void): Slot[] {
  const slots: Slot[] = [{ schema, replace }];
  const properties = schema['properties'] as Record<string, Schema> | undefined;
  for (const name of Object.keys(properties ?? {})) {
    slots.push(...slotsOf(properties![name] as Schema, (other) => (properties![name] = other)));
  }
  for (const keyword of ['items', 'additionalProperties']) {
    if (isRecord(schema[keyword])) slots.push(...slotsOf(schema[keyword], (other) => (schema[keyword] = other)));
  }
  return slots;
}

/** Changes one node; another one is tried if a change does not apply to it. */
export function change(root: Schema, chance: Chance): void {
  const holder = { root };
  for (let tries = 0; tries < 30; tries += 1) {
    const slot = chance.pick(slotsOf(holder.root, (other) => replaceIn(holder.root, other)));
    const before = JSON.stringify(holder.root);
    chance.pick(CHANGES)(slot, chance);
    if (JSON.stringify(holder.root) !== before) return;
  }
}

function replaceIn(target: Schema, other: Schema): void {
  for (const key of Object.keys(target)) delete target[key];
  Object.assign(target, other);
}

type ChangeOf = (slot: Slot, chance: Chance) => void;

function propertiesIn(schema: Schema): Record<string, Schema> | undefined {
  return schema['type'] === 'object' && schema['additionalProperties'] === undefined
    ? ((schema['properties'] ??= {}) as Record<string, Schema>)
    : undefined;
}

/** The keyword set or, if it is present, removed or replaced. */
function toggle(schema: Schema, keyword: string, value: unknown, chance: Chance): void {
  if (schema[keyword] !== undefined && chance.happens(0.5)) delete schema[keyword];
  else schema[keyword] = value;
}

function ofType(types: readonly string[], act: (schema: Schema, chance: Chance) => void): ChangeOf {
  return ({ schema }, chance) => {
    if (types.includes(schema['type'] as string)) act(schema, chance);
  };
}

function ofProperties(act: (named: Named, chance: Chance) => void): ChangeOf {
  return ({ schema }, chance) => {
    const properties = propertiesIn(schema);
    if (properties !== undefined) act({ schema, properties, names: Object.keys(properties) }, chance);
  };
}

interface Named {
  readonly schema: Schema;
  readonly properties: Record<string, Schema>;
  readonly names: readonly string[];
}

/** Two names of properties, if there are two. */
function two({ names }: Named, act: (a: string, b: string) => void): void {
  const [a, b] = names;
  if (a !== undefined && b !== undefined) act(a, b);
}

const CHANGES: readonly ChangeOf[] = [
  ({ replace }, chance) => replace(schemaOf(chance, 2)),
  ({ schema }, chance) => toggle(schema, 'nullable', true, chance),
  ({ schema }, chance) => {
    if (schema['type'] === 'object') toggle(schema, 'x-kubernetes-preserve-unknown-fields', true, chance);
  },
  ({ schema, replace }, chance) => {
    if (schema['x-kubernetes-preserve-unknown-fields'] === true) replace(BUILD.object(chance, 2));
  },
  ({ schema, replace }, chance) => {
    if (schema['type'] === 'object') replace(BUILD.map(chance, 2));
  },
  ({ schema, replace }, chance) => {
    if (isRecord(schema['additionalProperties']))
      replace(chance.happens(0.5) ? BUILD.object(chance, 2) : { type: 'object', additionalProperties: true });
  },
  ({ schema }, chance) => {
    if (schema['type'] === 'object') toggle(schema, 'x-kubernetes-embedded-resource', true, chance);
  },
  ofType(['string'], (schema, chance) =>
    toggle(schema, 'enum', chance.pick([['a'], ['a', 'ab', 'abc', 'x'], ['ab', 'b']]), chance),
  ),
  ofType(['string'], (schema, chance) => toggle(schema, 'pattern', chance.pick(PATTERNS), chance)),
  ofType(['string'], (schema, chance) =>
    toggle(schema, chance.pick(['minLength', 'maxLength']), chance.pick([1, 2, 5]), chance),
  ),
  ofType(['string'], (schema, chance) => toggle(schema, 'format', chance.pick(FORMATS), chance)),
  ofType(['integer'], (schema, chance) => toggle(schema, 'format', chance.pick(['int32', 'int64']), chance)),
  ofType(['number'], (schema, chance) => toggle(schema, 'format', chance.pick(['float', 'double']), chance)),
  ofType(['integer', 'number'], (schema, chance) =>
    toggle(schema, chance.pick(['minimum', 'maximum']), chance.pick([0, 2, 5]), chance),
  ),
  ofType(['integer'], (schema, chance) => toggle(schema, 'multipleOf', 2, chance)),
  ofType(['integer', 'number'], (schema, chance) => {
    if (schema['minimum'] !== undefined) toggle(schema, 'exclusiveMinimum', true, chance);
  }),
  ofType(['array'], (schema, chance) =>
    toggle(schema, chance.pick(['minItems', 'maxItems']), chance.pick([1, 2]), chance),
  ),
  ofType(['array'], (schema, chance) => {
    const items = schema['items'] as Schema;
    if (['string', 'integer'].includes(items['type'] as string))
      toggle(schema, 'x-kubernetes-list-type', 'set', chance);
  }),
  ofType(['array'], (schema) => {
    const properties = (schema['items'] as Schema)['properties'] as Record<string, Schema> | undefined;
    const key = Object.entries(properties ?? {}).find(
      ([, each]) => each['type'] === 'string' && each['nullable'] !== true,
    );
    if (key === undefined) return;
    Object.assign(schema, { 'x-kubernetes-list-type': 'map', 'x-kubernetes-list-map-keys': [key[0]] });
    (schema['items'] as Schema)['required'] = [key[0]];
  }),
  ofType(['object'], (schema, chance) =>
    toggle(schema, chance.pick(['minProperties', 'maxProperties']), chance.pick([1, 2]), chance),
  ),
  ofProperties(({ properties }, chance) => {
    properties[chance.pick(NAMES)] = schemaOf(chance, 2);
  }),
  ofProperties(({ properties, names }, chance) => {
    if (names.length > 0) delete properties[chance.pick(names)];
  }),
  ofProperties(({ schema, names }, chance) => {
    if (names.length > 0) toggle(schema, 'required', [chance.pick(names)], chance);
  }),
  ofProperties(({ properties, names }, chance) => {
    const property = properties[chance.pick(names)];
    const value = property === undefined ? undefined : DEFAULTS[property['type'] as string];
    if (property !== undefined && value !== undefined) toggle(property, 'default', value, chance);
  }),
  ofProperties((named, chance) =>
    two(named, (a, b) => toggle(named.schema, 'oneOf', [{ required: [a] }, { required: [b] }], chance)),
  ),
  ofProperties((named, chance) =>
    two(named, (a, b) => toggle(named.schema, 'anyOf', [{ required: [a] }, { required: [b] }], chance)),
  ),
  ofProperties((named, chance) => two(named, (a, b) => toggle(named.schema, 'not', { required: [a, b] }, chance))),
  ofProperties((named, chance) => two(named, (a) => toggle(named.schema, 'allOf', [{ required: [a] }], chance))),
  ofProperties((named, chance) =>
    two(named, (a, b) => {
      const rules = [
        `!has(self.${a}) || has(self.${b})`,
        `!(has(self.${a}) && has(self.${b}))`,
        `!has(oldSelf.${a}) || has(self.${a})`,
      ];
      toggle(named.schema, 'x-kubernetes-validations', [{ rule: chance.pick(rules) }], chance);
    }),
  ),
  ofType(['string'], (schema, chance) => {
    const rules = [
      'self == oldSelf',
      'self.size() < 3',
      "self.startsWith('a')",
      "self != 'ab'",
      "self in ['a', 'abc', 'b']",
      "self.matches('^[ab]*$')",
    ];
    if (schema['format'] === undefined)
      toggle(schema, 'x-kubernetes-validations', [{ rule: chance.pick(rules) }], chance);
  }),
  ofType(['integer'], (schema, chance) => {
    toggle(
      schema,
      'x-kubernetes-validations',
      [{ rule: chance.pick(['self > 1', 'self == oldSelf', 'self % 2 == 0', 'self > oldSelf']) }],
      chance,
    );
  }),
  ofType(['array'], (schema, chance) => {
    const rules =
      (schema['items'] as Schema)['type'] === 'string'
        ? ['self.all(x, x.size() < 3)', "self.exists(x, x == 'a')"]
        : ['self.size() < 2'];
    toggle(schema, 'x-kubernetes-validations', [{ rule: chance.pick(rules) }], chance);
  }),
];

const DEFAULTS: Readonly<Record<string, unknown>> = {
  string: 'ab',
  integer: 2,
  boolean: true,
  object: {},
  number: 1.5,
};
