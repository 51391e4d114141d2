import type { Fields } from '../../api/untyped.ts';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { KubeObject } from '../../api/object.ts';
import { compareCrds, unsafeError, type CrdVerdict } from './compare.ts';
import { compareVersionNames } from './comparisons.ts';
import type { Effect } from './rule.ts';
import { defaultRule } from './rules/default.ts';
import { CRD_RULES, NODE_RULES, VERSION_RULES } from './rules.ts';

interface Options {
  readonly versions?: readonly Fields[];
  readonly spec?: Fields;
  readonly stored?: readonly string[];
}

const version = (name: string, schema: Fields, fields: Fields = {}): Fields => ({
  name,
  served: true,
  storage: true,
  schema: { openAPIV3Schema: schema },
  ...fields,
});
const crd = ({ versions = [], spec = {}, stored }: Options): KubeObject => ({
  apiVersion: 'apiextensions.k8s.io/v1',
  kind: 'CustomResourceDefinition',
  metadata: { name: 'widgets.example.com' },
  spec: { group: 'example.com', scope: 'Namespaced', names: { kind: 'Widget', plural: 'widgets' }, versions, ...spec },
  ...(stored !== undefined && { status: { storedVersions: stored } }),
});
/** A CRD with one version whose `spec.x` has this schema. */
const withField = (x: Fields, spec: Fields = {}): KubeObject =>
  crd({
    versions: [version('v1', { type: 'object', properties: { spec: { type: 'object', properties: { x }, ...spec } } })],
  });
const tell = ({ findings }: CrdVerdict): string[] =>
  findings.map(({ rule, effect, path }) => `${rule} ${effect} ${path ?? ''}`);
const text = { type: 'string' };
const integer = { type: 'integer' };
const either = { 'x-kubernetes-int-or-string': true, anyOf: [integer, text] };

describe('a change of a field', () => {
  const cases: readonly { old: Fields; next: Fields; want: `${string} ${Effect}` | undefined; because: string }[] = [
    { old: text, next: text, want: undefined, because: 'nothing changes' },
    { old: text, next: integer, want: 'type rejects', because: 'no text is an integer' },
    { old: integer, next: { type: 'number' }, want: 'type none', because: 'every integer is a number' },
    { old: { type: 'number' }, next: integer, want: 'type rejects', because: 'not every number is an integer' },
    {
      old: { ...text, enum: ['a', 'b'] },
      next: { ...text, enum: ['a'] },
      want: 'enum rejects',
      because: 'objects with b are rejected',
    },
    {
      old: { ...text, enum: ['a'] },
      next: { ...text, enum: ['a', 'b'] },
      want: 'enum none',
      because: 'more values are accepted',
    },
    { old: text, next: { ...text, enum: ['a'] }, want: 'enum rejects', because: 'all other values are rejected' },
    { old: { ...text, enum: ['a'] }, next: text, want: 'enum none', because: 'all values are accepted' },
    { old: text, next: { ...text, pattern: '^a' }, want: 'pattern rejects', because: 'texts may not match' },
    { old: { ...text, pattern: '^a' }, next: text, want: 'pattern none', because: 'a looser rule refuses nothing' },
    {
      old: { ...integer, minimum: 1 },
      next: { ...integer, minimum: 2 },
      want: 'minimum rejects',
      because: '1 is rejected',
    },
    {
      old: { ...integer, minimum: 2 },
      next: { ...integer, minimum: 1 },
      want: 'minimum none',
      because: 'more values are accepted',
    },
    { old: integer, next: { ...integer, maximum: 5 }, want: 'maximum rejects', because: '6 is rejected' },
    {
      old: { ...integer, maximum: 5 },
      next: { ...integer, maximum: 5, exclusiveMaximum: true },
      want: 'maximum rejects',
      because: '5 itself is rejected',
    },
    { old: text, next: { ...text, maxLength: 5 }, want: 'maxLength rejects', because: 'longer texts are rejected' },
    {
      old: text,
      next: { ...text, default: 'a' },
      want: 'default alters',
      because: 'objects that omitted the field now get the default',
    },
    { old: text, next: { ...text, nullable: true }, want: 'nullable none', because: 'more values are accepted' },
    { old: { ...text, nullable: true }, next: text, want: 'nullable rejects', because: 'null is rejected' },
    { old: text, next: { ...text, format: 'email' }, want: 'format rejects', because: 'the API server checks it' },
    {
      old: integer,
      next: { ...integer, format: 'int64' },
      want: 'format none',
      because: 'the API server does not check it',
    },
    { old: { ...text, format: 'email' }, next: text, want: 'format none', because: 'it is no longer checked' },
    { old: text, next: { ...text, description: 'x' }, want: 'documentation none', because: 'only people read it' },
    {
      old: { type: 'array', items: text },
      next: { type: 'array', items: text, 'x-kubernetes-list-type': 'atomic' },
      want: undefined,
      because: 'a list is atomic anyway',
    },
    {
      old: { type: 'array', items: text },
      next: { type: 'array', items: text, 'x-kubernetes-list-type': 'set' },
      want: 'topology rejects',
      because: 'repeats are refused',
    },
    {
      old: { type: 'object' },
      next: { type: 'object', 'x-kubernetes-map-type': 'atomic' },
      want: 'topology alters',
      because: 'it is merged as a whole',
    },
    {
      old: { type: 'object', 'x-kubernetes-preserve-unknown-fields': true },
      next: { type: 'object' },
      want: 'unknownFields loses',
      because: 'unnamed fields are dropped',
    },
    {
      old: { type: 'object' },
      next: { type: 'object', 'x-kubernetes-preserve-unknown-fields': true },
      want: 'unknownFields none',
      because: 'more fields are kept',
    },
    {
      old: { type: 'object', additionalProperties: true },
      next: { type: 'object' },
      want: 'mapValues loses',
      because: 'keys are dropped',
    },
    {
      old: text,
      next: { ...text, 'x-kubernetes-validations': [{ rule: 'self != "a"' }] },
      want: 'validations rejects',
      because: 'objects with a are rejected',
    },
    {
      old: { ...text, 'x-kubernetes-validations': [{ rule: 'self != "a"' }] },
      next: { ...text, 'x-kubernetes-validations': [{ rule: 'self != "a"', message: 'not a' }] },
      want: undefined,
      because: 'only the message changes',
    },
    { old: text, next: { ...text, not: { enum: ['a'] } }, want: 'not rejects', because: 'objects with a are rejected' },
    {
      old: { ...text, anyOf: [{ minLength: 1 }] },
      next: { ...text, anyOf: [{ minLength: 1 }, { pattern: 'a' }] },
      want: 'anyOf none',
      because: 'there is one more way',
    },
    {
      old: { ...text, oneOf: [{ minLength: 1 }] },
      next: { ...text, oneOf: [{ minLength: 1 }, { pattern: 'a' }] },
      want: 'oneOf rejects',
      because: 'both may hold',
    },
    {
      old: { ...text, allOf: [{ minLength: 1 }] },
      next: text,
      want: 'allOf none',
      because: 'a looser rule refuses nothing',
    },
    {
      old: { ...text, oneOf: [{ title: 'x', minLength: 1 }] },
      next: { ...text, oneOf: [{ minLength: 1 }] },
      want: undefined,
      because: 'only people read a title',
    },
    {
      old: text,
      next: { ...text, 'x-kubernetes-of-tomorrow': true },
      want: 'otherKeywords rejects',
      because: 'its effect is unknown',
    },
  ];

  test.each(cases)('a change of a field: $want, because $because', ({ old, next, want }) => {
    const verdict = compareCrds(withField(old), withField(next));
    expect(tell(verdict)).toEqual(want === undefined ? [] : [`${want} ^.spec.x`]);
    expect(verdict.safe).toBe(want === undefined || /none|alters/.test(want));
  });

  test.each(
    ['x-kubernetes-list-map-keys', 'allOf', 'anyOf', 'oneOf', 'not', 'default', 'enum', 'multipleOf'].map(
      (keyword) => ({
        keyword,
      }),
    ),
  )('$keyword: null is no change, because the API server drops it', ({ keyword }) => {
    expect(tell(compareCrds(withField(text), withField({ ...text, [keyword]: null })))).toEqual([]);
  });

  test('a keyword that becomes null is gone', () => {
    const next = withField({ type: 'integer', multipleOf: null });
    expect(tell(compareCrds(withField({ type: 'integer', multipleOf: 2 }), next))).toEqual([
      'otherKeywords none ^.spec.x',
    ]);
  });

  test('int-or-string accepts the values of a text field', () => {
    expect(compareCrds(withField(text), withField(either)).findings.find(({ rule }) => rule === 'type')?.effect).toBe(
      'none',
    );
    expect(compareCrds(withField(either), withField(text)).safe).toBe(false);
  });

  test('a newly required field rejects objects without it, unless a default fills it in', () => {
    expect(compareCrds(withField(text), withField(text, { required: ['x'] })).safe).toBe(false);
    const filled = { ...text, default: 'a' };
    expect(compareCrds(withField(filled), withField(filled, { required: ['x'] })).safe).toBe(true);
    const empty = { ...text, default: null };
    expect(compareCrds(withField(text), withField(empty, { required: ['x'] })).safe).toBe(false);
    expect(compareCrds(withField(filled, { required: ['x'] }), withField(text, { required: ['x'] })).safe).toBe(false);
  });
});

describe('a removed field', () => {
  test('a removed field loses data, and the finding names the topmost one', () => {
    const deep = { type: 'object', properties: { y: { type: 'object', properties: { z: text } } } };
    expect(tell(compareCrds(withField(deep), withField({ type: 'object' })))).toEqual([
      'existingFieldRemoval loses ^.spec.x.y',
    ]);
  });

  test('a removed field loses nothing if unknown fields are preserved', () => {
    const open = { type: 'object', 'x-kubernetes-preserve-unknown-fields': true };
    expect(compareCrds(withField({ ...open, properties: { y: text } }), withField(open)).safe).toBe(true);
    const next = withField({ ...open, additionalProperties: null });
    expect(compareCrds(withField({ ...open, properties: { y: text } }), next).safe).toBe(true);
  });

  test('a new default breaks no constraint that is null', () => {
    const x = { type: 'object', properties: { y: text }, not: null };
    const next = { ...x, properties: { y: { ...text, default: 'a' } } };
    expect(tell(compareCrds(withField(x), withField(next)))).toEqual(['default alters ^.spec.x.y']);
  });

  test('a removed status field loses no user data if only the operator writes the status', () => {
    const old = { type: 'object', properties: { status: { type: 'object', properties: { x: text } } } };
    const next = { type: 'object', properties: { status: { type: 'object' } } };
    const both = (fields: Fields): CrdVerdict =>
      compareCrds(crd({ versions: [version('v1', old, fields)] }), crd({ versions: [version('v1', next, fields)] }));
    expect(tell(both({ subresources: { status: {} } }))).toEqual(['existingFieldRemoval alters ^.status.x']);
    expect(both({}).safe).toBe(false);
  });

  test('apiVersion, kind and metadata always exist, whether the schema names them or not', () => {
    const named = { type: 'object', properties: { apiVersion: text, kind: text, metadata: { type: 'object' } } };
    expect(
      tell(
        compareCrds(crd({ versions: [version('v1', named)] }), crd({ versions: [version('v1', { type: 'object' })] })),
      ),
    ).toEqual([]);
  });

  test('a removed field whose name equals a path within its sibling is not confused with it', () => {
    const x = { type: 'object', properties: { 'a.b': text, a: text } };
    expect(tell(compareCrds(withField(x), withField({ type: 'object', properties: { a: text } })))).toEqual([
      'existingFieldRemoval loses ^.spec.x.a.b',
    ]);
  });
});

describe('a change of the CRD itself', () => {
  const one = [version('v1', { type: 'object' })];
  const two = [version('v1', { type: 'object' }, { storage: false }), version('v2', { type: 'object' })];
  const webhook = { conversion: { strategy: 'Webhook' } };
  test.each<{ old: Options; next: Options; want: readonly string[]; because: string }>([
    {
      old: { versions: one },
      next: { versions: one, spec: { scope: 'Cluster' } },
      want: ['scope rejects '],
      because: 'objects would move to another scope',
    },
    { old: { versions: one }, next: { versions: two }, want: [], because: 'a version is added' },
    {
      old: { versions: two, stored: ['v1', 'v2'] },
      next: { versions: two.slice(1) },
      want: ['storedVersionRemoval loses ', 'servedVersionRemoval alters '],
      because: 'objects may be stored as v1',
    },
    {
      old: { versions: two, stored: ['v2'] },
      next: { versions: two.slice(1) },
      want: ['servedVersionRemoval alters '],
      because: 'no object is stored as v1',
    },
    {
      old: { versions: two, spec: webhook },
      next: { versions: two },
      want: ['conversion loses '],
      because: 'objects of v1 are reduced to the fields of v2',
    },
    {
      old: { versions: one, spec: webhook },
      next: { versions: one },
      want: [],
      because: 'there are no two versions to convert',
    },
    {
      old: { versions: one },
      next: { versions: one, spec: { names: { kind: 'Gadget' } } },
      want: ['kind rejects '],
      because: 'clients of the old kind no longer find the objects',
    },
  ])('a change of the CRD itself: $want, because $because', ({ old, next, want }) => {
    expect(tell(compareCrds(crd(old), crd(next)))).toEqual(want);
  });

  test('differences between two served versions are reported once, if no webhook converts them', () => {
    const narrow = version('v2', {
      type: 'object',
      properties: { spec: { type: 'object', properties: { x: { ...text, enum: ['a'] } } } },
    });
    const wide = version(
      'v1',
      { type: 'object', properties: { spec: { type: 'object', properties: { x: text } } } },
      { storage: false },
    );
    const [old, next] = [
      crd({ versions: [{ ...wide, storage: true }] }),
      crd({ versions: [narrow, wide], stored: ['v1'] }),
    ];
    expect(compareCrds(old, next).findings).toMatchObject([{ rule: 'enum', version: 'v1 -> v2', effect: 'rejects' }]);
    expect(compareCrds(old, crd({ versions: [narrow, wide], spec: webhook })).findings).toEqual([]);
    expect(compareCrds(next, next).findings).toEqual([]);
  });

  test('a CRD of an older API is refused by name instead of being compared in part', () => {
    const old = { ...crd({}), apiVersion: 'apiextensions.k8s.io/v1beta1' };
    expect(() => compareCrds(old, crd({}))).toThrow(expect.objectContaining({ reason: 'BundleUnsupported' }));
  });
});

describe('a waiver', () => {
  const [old, next] = [withField({ ...text, enum: ['a', 'b'] }), withField({ ...integer, enum: ['a'] })];

  test('a waiver lifts one rule on one CRD and no other', () => {
    const waived = compareCrds(old, next, [{ crd: 'widgets.example.com', rule: 'enum' }]);
    expect(waived.safe).toBe(false);
    expect(waived.findings.map(({ rule, waived: lifted }) => [rule, lifted])).toEqual([
      ['type', false],
      ['enum', true],
    ]);
    expect(
      compareCrds(old, next, [{ crd: 'gadgets.example.com', rule: 'enum' }]).findings.some((finding) => finding.waived),
    ).toBe(false);
    expect(
      compareCrds(old, next, [
        { crd: 'widgets.example.com', rule: 'enum' },
        { crd: 'widgets.example.com', rule: 'type' },
      ]).safe,
    ).toBe(true);
  });

  test('the CRDUnsafe error names the waiver to add', () => {
    const error = unsafeError([compareCrds(old, next)]);
    expect(error).toMatchObject({ reason: 'CRDUnsafe', retry: 'never' });
    expect(error?.describe()).toMatch(
      /widgets\.example\.com: v1: \^\.spec\.x: type: .* crd widgets\.example\.com, rule type/,
    );
    expect(unsafeError([compareCrds(old, old)])).toBeUndefined();
  });

  test('the CRDUnsafe error names the waivers whose rule does not exist, and no others', () => {
    const waivers = ['typo', 'enum'].map((rule) => ({ crd: 'widgets.example.com', rule }));
    const hint = unsafeError([compareCrds(old, next, waivers)], waivers)?.hint;
    expect(hint).toMatch(/a rule that does not exist: crd widgets\.example\.com, rule typo$/);
    expect(unsafeError([compareCrds(old, next)], waivers.slice(1))?.hint).not.toContain('does not exist');
  });
});

test('versions are ordered as Kubernetes does, the oldest first', () => {
  const names = ['foo10', 'foo1', 'v1alpha1', 'v1alpha2', 'v2alpha1', 'v1beta1', 'v3beta1', 'v1', 'v2', 'v11'];
  expect(names.toReversed().sort(compareVersionNames)).toEqual(names);
});

describe('the list of rules', () => {
  test('the list of rules has every file of the folder, and each name once, in a form that waivers can use', () => {
    const source = readFileSync(join(import.meta.dirname, 'rules.ts'), 'utf8');
    for (const file of readdirSync(join(import.meta.dirname, 'rules'))) expect(source).toContain(`'./rules/${file}'`);
    const names = [...CRD_RULES, ...VERSION_RULES, ...NODE_RULES].map(({ name }) => name);
    expect(new Set(names).size).toBe(names.length);
    for (const name of names) expect(name).toMatch(/^[A-Za-z][A-Za-z0-9]*$/);
  });

  test('the rules understand every keyword that a CRD may have', () => {
    const understood = new Set([...NODE_RULES.flatMap(({ keywords }) => keywords), defaultRule.name]);
    const keywords = [
      '$schema additionalProperties allOf anyOf default description enum example exclusiveMaximum exclusiveMinimum',
      'externalDocs format id maxItems maxLength maxProperties maximum minItems minLength minProperties minimum',
      'multipleOf not nullable oneOf pattern required title type uniqueItems x-kubernetes-embedded-resource',
      'x-kubernetes-int-or-string x-kubernetes-list-map-keys x-kubernetes-list-type x-kubernetes-map-type',
      'x-kubernetes-preserve-unknown-fields x-kubernetes-validations',
    ].flatMap((line) => line.split(' '));
    expect(keywords.filter((keyword) => !understood.has(keyword))).toEqual([]);
  });
});

describe('for any schema', () => {
  const { node } = fc.letrec((tie) => ({
    node: fc.oneof({ maxDepth: 4 }, fc.constantFrom(text, integer, {}, { type: 'object' }), tie('tree')),
    tree: fc.record(
      {
        type: fc.constantFrom('object', 'array', 'string'),
        properties: fc.dictionary(fc.constantFrom('a', 'b', '__proto__', 'a.b', 'items'), tie('node'), { maxKeys: 3 }),
        items: tie('node'),
        required: fc.array(fc.constantFrom('a', 'b'), { maxLength: 2 }),
        enum: fc.array(fc.constantFrom('x', 'y'), { maxLength: 2 }),
        minimum: fc.integer(),
        default: fc.jsonValue(),
        additionalProperties: fc.oneof(fc.boolean(), tie('node')),
        anyOf: fc.array(tie('node'), { maxLength: 2 }),
      },
      { requiredKeys: [] },
    ),
  }));

  test('no change gives no finding, and any two schemas can be compared', () => {
    fc.assert(
      fc.property(node, node, (a, b) => {
        expect(compareCrds(withField(a as Fields), withField(a as Fields)).findings).toEqual([]);
        expect(compareCrds(withField(a as Fields), withField(b as Fields)).crd).toBe('widgets.example.com');
      }),
    );
  });

  test('a schema of any malformed shape is compared without failing', () => {
    fc.assert(
      fc.property(fc.jsonValue(), fc.jsonValue(), (a, b) => {
        const made = (schema: unknown): KubeObject =>
          crd({ versions: [{ name: 'v1', served: true, schema: { openAPIV3Schema: schema } }] });
        expect(compareCrds(made(a), made(b)).crd).toBe('widgets.example.com');
      }),
    );
  });

  test('a schema deeper than any API server accepts is refused, without much stack or memory', () => {
    let deep: Fields = text;
    for (let depth = 0; depth < 20_000; depth++) deep = { type: 'object', properties: { a: deep } };
    expect(() => compareCrds(withField(deep), withField(deep))).toThrow(
      expect.objectContaining({ reason: 'ObjectInvalid' }),
    );
  });
});

test('the guide lists every rule that can be waived, with its meaning', () => {
  const guide = readFileSync(join(import.meta.dirname, '../../docs/how-to/waive-a-crd-check.md'), 'utf8');
  const told = [...guide.matchAll(/^\| `(?<rule>\w+)` \| (?<meaning>.+) \|$/gm)].map(({ groups }) => ({ ...groups }));
  const rules = [...CRD_RULES, ...VERSION_RULES, ...NODE_RULES];
  expect(told).toEqual(rules.map(({ name, meaning }) => ({ rule: name, meaning })));
});
