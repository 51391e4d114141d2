import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { runsOf } from '../../e2e/lib/sample.ts';
import type { Property } from '../../catalog/model.ts';
import { compileRule } from './cel.ts';

const web: readonly Property[] = [
  { type: 'olm.package', value: { packageName: 'web', version: '1.2.3-rc.1' } },
  { type: 'olm.gvk', value: { group: 'example.com', version: 'v1', kind: 'Site' } },
  { type: 'certified', value: true },
  { type: 'size', value: 12n },
  { type: 'sizes', value: [1, 2, 3] },
];

function holdsFor(rule: string, properties: readonly Property[] = web): boolean | string {
  const compiled = compileRule(rule);
  return compiled.ok ? compiled.value.test(properties) : compiled.problem;
}

const version = (operator: string, other: string): string =>
  `properties.exists(p, p.type == "olm.package" && semver_compare(p.value.version, "${other}") ${operator} 0)`;

describe('a rule', () => {
  test.each<{ readonly because: string; readonly rule: string; readonly holds: boolean }>([
    { because: 'a property has the type', rule: 'properties.exists(p, p.type == "certified")', holds: true },
    { because: 'none has', rule: 'properties.exists(p, p.type == "unheard-of")', holds: false },
    {
      because: 'values are looked into',
      rule: 'properties.exists(p, p.type == "olm.gvk" && p.value.kind == "Site")',
      holds: true,
    },
    { because: 'a boolean is a boolean', rule: 'properties.exists(p, p.type == "certified" && p.value)', holds: true },
    {
      because: 'a number is a double, however large',
      rule: 'properties.exists(p, p.type == "size" && p.value > 11.5)',
      holds: true,
    },
    {
      because: 'a number is compared as a version by its text',
      rule: 'properties.exists(p, p.type == "size" && semver_compare(p.value, "11.9.0") > 0 && semver_compare(1.2, p.value) < 0)',
      holds: true,
    },
    { because: 'a boolean is no version', rule: 'semver_compare(true, "1.0.0") != 7', holds: false },
    { because: 'a list has its items', rule: 'properties.exists(p, p.type == "sizes" && 2.0 in p.value)', holds: true },
    { because: 'all is all', rule: 'properties.all(p, p.type != "")', holds: true },
    { because: 'exists_one counts', rule: 'properties.exists_one(p, p.type.startsWith("olm."))', holds: false },
    {
      because: 'lists made on the way have all their items',
      rule: 'properties.map(p, p.type) + ["x"] == ["olm.package", "olm.gvk", "certified", "size", "sizes", "x"]',
      holds: true,
    },
    {
      because: 'a filter keeps what fits',
      rule: 'properties.filter(p, p.type.startsWith("olm.")).size() == 2',
      holds: true,
    },
    { because: 'a place in a list is a place', rule: 'properties[1].value["kind"] == "Site"', holds: true },
    { because: 'a pattern is looked for', rule: 'properties.exists(p, p.type.matches("^olm[.]g.k$"))', holds: true },
    {
      because: 'a map can be asked for a key',
      rule: '"kind" in properties[1].value && !("colour" in properties[1].value)',
      holds: true,
    },
    {
      because: 'has asks for a field',
      rule: 'has(properties[1].value.kind) && !has(properties[1].value.colour)',
      holds: true,
    },
    { because: 'a pre-release is before its release', rule: version('<', '1.2.3'), holds: true },
    { because: 'a leading v is forgiven', rule: version('>', 'v1.2'), holds: true },
    { because: 'a version with a missing number has zeros', rule: version('==', '1.2'), holds: false },
    { because: 'leading zeros are forgiven', rule: version('<', '01.02.03'), holds: true },
    { because: 'what is no version compares with nothing', rule: version('>', 'one'), holds: false },
    { because: 'a short version has no pre-release', rule: version('>', '1-rc'), holds: false },
    { because: 'a text does not hold, whatever it says', rule: '"true"', holds: false },
    { because: 'a number does not hold', rule: '1', holds: false },
    { because: 'an error does not hold', rule: '1 / 0 == 1', holds: false },
    { because: 'an error that does not matter does not matter', rule: 'true || 1 / 0 == 1', holds: true },
    { because: 'no function of that name', rule: 'exec("x")', holds: false },
    { because: 'no variable of that name', rule: 'process == process', holds: false },
    {
      because: 'JavaScript object properties are no fields',
      rule: 'has(properties[1].value.constructor)',
      holds: false,
    },
    { because: 'JavaScript list properties are no fields', rule: 'properties.length == 5', holds: false },
    {
      because: 'nor a way to the functions behind',
      rule: 'properties[0].value.__proto__.constructor == 1',
      holds: false,
    },
  ])('a rule in CEL holds: $holds, because $because', ({ rule, holds }) => {
    expect(holdsFor(rule)).toBe(holds);
  });

  test('a rule names the texts in it, which may be names of packages', () => {
    const rule = compileRule('properties.exists(p, p.type == "olm.package" && p.value.packageName == "db")');
    expect(rule.ok && rule.value.literals).toEqual(['olm.package', 'db']);
  });

  test('a rule is not confused by properties named like those of JavaScript objects', () => {
    const value = JSON.parse(
      '{"$typeName": "google.protobuf.Any", "constructor": {"name": "Object"}, "a": null}',
    ) as unknown;
    expect(holdsFor('properties[0].value.a == null && properties[0].value.size() == 3', [{ type: 'x', value }])).toBe(
      true,
    );
  });
});

describe('a rule that cannot be compiled', () => {
  test.each<{ readonly because: string; readonly rule: string; readonly problem: RegExp }>([
    { because: 'it is empty', rule: '', problem: /cannot be compiled/ },
    { because: 'it ends too early', rule: 'properties.exists(p, ', problem: /cannot be compiled/ },
    { because: 'loops have names that no rule can write', rule: '@pass(1, true)', problem: /cannot be compiled/ },
    { because: 'it is long', rule: `true || "${'x'.repeat(5000)}" == ""`, problem: /longer than 4096/ },
    { because: 'it is deep', rule: `${'('.repeat(65)}true${')'.repeat(65)}`, problem: /nested more than 64/ },
    { because: 'lists are deep too', rule: '['.repeat(400), problem: /nested more than 64/ },
  ])('a rule cannot be compiled because $because', ({ rule, problem }) => {
    expect(holdsFor(rule)).toMatch(problem);
  });
});

const many: readonly Property[] = Array.from({ length: 400 }, (_, index) => ({
  type: 'x',
  value: { index, name: `n${index}` },
}));
const numbers = Array.from({ length: 500 }, (_, index) => index).join(',');

/** What may be spent: an evaluation that took it all was cut short. */
const PLENTY = 100_000_000;

describe('a rule that would take forever, or all memory, ends and does not hold', () => {
  test.each<{ readonly because: string; readonly rule: string }>([
    {
      because: 'loops in loops over the properties',
      rule: 'properties.all(a, properties.all(b, properties.all(c, properties.all(d, true))))',
    },
    {
      because: 'loops over lists of its own',
      rule: `[${numbers}].all(a, [${numbers}].all(b, a + b >= 0 && [1, 2, 3].all(c, true)))`,
    },
    { because: 'a text that doubles', rule: `["a"]${'.map(x, x + x)'.repeat(60)}.size() == 1` },
    { because: 'a list that doubles', rule: `[[1]]${'.map(x, x + x)'.repeat(60)}.size() == 1` },
    {
      because: 'a nest that doubles, compared',
      rule: `[[1]]${'.map(x, [x, x])'.repeat(60)} == [[1]]${'.map(x, [x, x])'.repeat(60)}`,
    },
    {
      because: 'a list built item by item',
      rule: 'properties.map(a, properties.map(b, properties.map(c, a))).size() == 1',
    },
    { because: 'a pattern of repetitions', rule: `"${'a'.repeat(1500)}".matches("${'(a{1,100}){1,10}'.repeat(60)}b")` },
    {
      because: 'a search in a long text, again and again',
      rule: `properties.all(a, properties.all(b, "${'a'.repeat(2000)}".contains("${'a'.repeat(1000)}b") || true))`,
    },
    {
      because: 'membership in the whole, again and again',
      rule: 'properties.all(a, properties.all(b, a in properties))',
    },
    {
      because: 'errors are no way around the count',
      rule: 'properties.exists(a, properties.exists(b, properties.exists(c, 1 / 0 == 1)))',
    },
  ])('$because', ({ rule }) => {
    const compiled = compileRule(rule);
    if (!compiled.ok) throw new Error(compiled.problem);
    const effort = { units: PLENTY };
    expect(compiled.value.test(many, effort)).toBe(false);
    expect(PLENTY - effort.units).toBe(5_000_000);
    expect(compiled.value.test(many, { units: 1000 })).toBe(false);
  });

  test('equal rules on equal properties cost the same effort', () => {
    const rule = compileRule('properties.all(a, properties.exists(b, a == b))');
    const costs = [1, 2].map(() => {
      const effort = { units: PLENTY };
      expect(rule.ok && rule.value.test(web, effort)).toBe(true);
      return PLENTY - effort.units;
    });
    expect(new Set(costs).size).toBe(1);
  });

  test('no rule holds once the effort is used up, and the effort never falls below zero', () => {
    const rule = compileRule('properties.exists(p, p.type == "x")');
    if (!rule.ok) throw new Error(rule.problem);
    const effort = { units: 40_000 };
    const answers = Array.from({ length: 200 }, () => rule.value.test(many, effort));
    expect(answers[0]).toBe(true);
    expect(answers.at(-1)).toBe(false);
    expect(effort.units).toBe(0);
  });
});

test('any text compiles to a rule or is refused, and any rule gives an answer', () => {
  const piece = fc.constantFrom(
    'properties',
    '.exists(p, ',
    '.all(',
    '.map(x, ',
    ')',
    '(',
    '[',
    ']',
    '{',
    '}',
    'p.type',
    ' == ',
    '"a"',
    '1',
    ' + ',
    '!',
    ' ? ',
    ' : ',
    ',',
    '.value',
    ' && ',
    ' in ',
    'semver_compare(',
    '\\',
    "'",
    '0x',
    '@',
    'b"',
  );
  fc.assert(
    fc.property(fc.array(piece, { maxLength: 30 }), fc.jsonValue(), (pieces, value) => {
      const compiled = compileRule(pieces.join(''));
      if (compiled.ok) expect(typeof compiled.value.test([{ type: 'a', value }])).toBe('boolean');
      else expect(compiled.problem).not.toBe('');
    }),
    { numRuns: runsOf(2000) },
  );
});
