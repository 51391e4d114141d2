import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { runsOf } from '../../e2e/lib/sample.ts';
import { kindKey, needOf, nothingRead, parseRequirements, providedKinds, type Need } from './requirements.ts';

/** The needs of a property, or its problem. */
function read(type: string, value: unknown): readonly Need[] | string {
  const parsed = parseRequirements([{ type, value }]);
  return parsed.ok ? parsed.value.map(needOf) : parsed.problem;
}

const db = { packageName: 'db', versionRange: '>=1.0.0' };
const site = { group: 'example.com', version: 'v1', kind: 'Site' };

describe('a property demands', () => {
  test.each<{
    readonly because: string;
    readonly type: string;
    readonly value: unknown;
    readonly needs: readonly Need[];
  }>([
    {
      because: 'a package in a range',
      type: 'olm.package.required',
      value: db,
      needs: [{ kind: 'package', package: 'db', range: '>=1.0.0' }],
    },
    {
      because: 'more fields than are known are no harm in the old properties',
      type: 'olm.package.required',
      value: { ...db, comment: 'x' },
      needs: [{ kind: 'package', package: 'db', range: '>=1.0.0' }],
    },
    { because: 'a provider of a kind', type: 'olm.gvk.required', value: site, needs: [{ kind: 'gvk', gvk: site }] },
    {
      because: 'a kind of the core group has none',
      type: 'olm.gvk.required',
      value: { version: 'v1', kind: 'Node' },
      needs: [{ kind: 'gvk', gvk: { group: '', version: 'v1', kind: 'Node' } }],
    },
    {
      because: 'a constraint on a package, with a message for its failure',
      type: 'olm.constraint',
      value: { failureMessage: 'needs a database', package: db },
      needs: [{ kind: 'package', package: 'db', range: '>=1.0.0', message: 'needs a database' }],
    },
    {
      because: 'constraints of constraints',
      type: 'olm.constraint',
      value: { any: { constraints: [{ gvk: site }, { not: { constraints: [{ package: db }] } }] } },
      needs: [
        {
          kind: 'any',
          of: [
            { kind: 'gvk', gvk: site },
            { kind: 'not', of: [{ kind: 'package', package: 'db', range: '>=1.0.0' }] },
          ],
        },
      ],
    },
    {
      because: 'an empty list',
      type: 'olm.constraint',
      value: { all: { constraints: [] } },
      needs: [{ kind: 'all', of: [] }],
    },
    {
      because: 'a rule',
      type: 'olm.constraint',
      value: { cel: { rule: 'true' } },
      needs: [{ kind: 'cel', rule: 'true' }],
    },
    {
      because: 'names of fields in another case',
      type: 'olm.package.required',
      value: { PackageName: 'db', VERSIONRANGE: '>=1.0.0' },
      needs: [{ kind: 'package', package: 'db', range: '>=1.0.0' }],
    },
    {
      because: 'a kind of the core group, with a null, in another case',
      type: 'olm.gvk.required',
      value: { Group: null, version: 'v1', Kind: 'Node' },
      needs: [{ kind: 'gvk', gvk: { group: '', version: 'v1', kind: 'Node' } }],
    },
    {
      because: 'fields that are null or in another case, in constraints of constraints too',
      type: 'olm.constraint',
      value: {
        FailureMessage: null,
        gvk: null,
        ALL: { Constraints: [{ Package: { ...db, packagename: null }, cel: null }, { GVK: { ...site, group: null } }] },
      },
      needs: [
        {
          kind: 'all',
          of: [
            { kind: 'package', package: 'db', range: '>=1.0.0' },
            { kind: 'gvk', gvk: { ...site, group: '' } },
          ],
        },
      ],
    },
    {
      because: 'a list that is null',
      type: 'olm.constraint',
      value: { any: { constraints: null } },
      needs: [{ kind: 'any', of: [] }],
    },
    { because: 'a provided kind is no requirement', type: 'olm.gvk', value: site, needs: [] },
    {
      because: 'an unknown property type is no requirement',
      type: 'example.com/mood',
      value: { all: 'fine' },
      needs: [],
    },
  ])('$because', ({ type, value, needs }) => {
    expect(read(type, value)).toEqual(needs);
  });
});

function nested(levels: number): unknown {
  let value: unknown = { gvk: site };
  for (let level = 0; level < levels; level++) value = { all: { constraints: [value] } };
  return value;
}

describe('a property cannot be read', () => {
  test.each<{ readonly because: string; readonly type: string; readonly value: unknown; readonly problem: string }>([
    {
      because: 'it says no range',
      type: 'olm.package.required',
      value: { packageName: 'db' },
      problem: 'it needs packageName and versionRange',
    },
    {
      because: 'it says nothing',
      type: 'olm.package.required',
      value: null,
      problem: 'it needs packageName and versionRange',
    },
    {
      because: 'a name is a text',
      type: 'olm.package.required',
      value: { packageName: 1, versionRange: '' },
      problem: 'it needs packageName and versionRange',
    },
    {
      because: 'the range is none',
      type: 'olm.package.required',
      value: { ...db, versionRange: '^1' },
      problem: 'the range "^1" cannot be parsed',
    },
    {
      because: 'it says no kind',
      type: 'olm.gvk.required',
      value: { version: 'v1' },
      problem: 'it needs group, version and kind',
    },
    {
      because: 'labels are not supported',
      type: 'olm.label.required',
      value: { label: 'x' },
      problem: 'requirements of labels are not supported',
    },
    { because: 'it constrains nothing', type: 'olm.constraint', value: {}, problem: 'exactly one of' },
    {
      because: 'it constrains two things',
      type: 'olm.constraint',
      value: { gvk: site, package: db },
      problem: 'exactly one of',
    },
    {
      because: 'what it constrains is unknown, which a constraint may not be',
      type: 'olm.constraint',
      value: { gvk: site, colour: 'red' },
      problem: 'colour',
    },
    {
      because: 'what it constrains is unknown, although it is null',
      type: 'olm.constraint',
      value: { gvk: site, colour: null },
      problem: 'colour',
    },
    {
      because: 'a part of it is null',
      type: 'olm.constraint',
      value: { all: { constraints: [{ gvk: site }, null] } },
      problem: 'exactly one of',
    },
    {
      because: 'a part of it is wrong',
      type: 'olm.constraint',
      value: { all: { constraints: [{ gvk: site }, {}] } },
      problem: 'exactly one of',
    },
    {
      because: 'its rule does not compile',
      type: 'olm.constraint',
      value: { cel: { rule: '1 +' } },
      problem: 'the rule cannot be compiled',
    },
    {
      because: 'it is nested too deep',
      type: 'olm.constraint',
      value: nested(17),
      problem: 'nested more than 16 levels deep',
    },
    {
      because: 'it is nested far too deep',
      type: 'olm.constraint',
      value: nested(5000),
      problem: 'nested more than 16 levels deep',
    },
    {
      because: 'it has too many parts in one list',
      type: 'olm.constraint',
      value: { all: { constraints: Array.from({ length: 257 }, () => ({ gvk: site })) } },
      problem: '256',
    },
    {
      because: 'it has too many parts altogether',
      type: 'olm.constraint',
      value: {
        all: {
          constraints: Array.from({ length: 20 }, () => ({
            any: { constraints: Array.from({ length: 20 }, () => ({ gvk: site })) },
          })),
        },
      },
      problem: 'more than 256 parts',
    },
    {
      because: 'it is too long',
      type: 'olm.constraint',
      value: { gvk: { ...site, kind: 'x'.repeat(1 << 18) } },
      problem: 'longer than 131072 bytes',
    },
  ])('because $because', ({ type, value, problem }) => {
    expect(read(type, value)).toContain(problem);
  });
});

test('equal requirements that are parsed with the same memory are one object, and so are ranges of one text', () => {
  const known = nothingRead();
  const [first, again, other] = [db, { ...db }, { ...db, packageName: 'web' }].map((value) => {
    const parsed = parseRequirements([{ type: 'olm.package.required', value }], known);
    return parsed.ok ? parsed.value[0] : undefined;
  });
  expect(again).toBe(first);
  expect(other).not.toBe(first);
  expect(other?.kind === 'package' && first?.kind === 'package' && other.range === first.range).toBe(true);
});

test('a bundle provides the kinds of its olm.gvk properties that can be parsed', () => {
  const properties = [site, { kind: 'Node', version: 'v1' }, { kind: 'Broken' }, 'Site', null].map((value) => ({
    type: 'olm.gvk',
    value,
  }));
  expect(providedKinds(properties).map(kindKey)).toEqual(['Site.v1.example.com', 'Node.v1.']);
});

test('any value of a requirement is parsed or refused, and equally so the second time', () => {
  const type = fc.constantFrom(
    'olm.package.required',
    'olm.gvk.required',
    'olm.constraint',
    'olm.label.required',
    'olm.gvk',
  );
  const leaf = fc.oneof(
    fc.constant({ gvk: site }),
    fc.constant({ package: db }),
    fc.constant({ cel: { rule: 'true' } }),
    fc.jsonValue({ maxDepth: 2 }),
  );
  const { constraint } = fc.letrec((tie) => ({
    constraint: fc.oneof(
      { maxDepth: 4 },
      leaf,
      fc
        .tuple(fc.constantFrom('all', 'any', 'not'), fc.array(tie('constraint'), { maxLength: 3 }))
        .map(([kind, constraints]) => ({ [kind]: { constraints } })),
    ),
  }));
  let good = 0;
  fc.assert(
    fc.property(type, constraint, (name, value) => {
      const answer = read(name, value);
      expect(read(name, structuredClone(value))).toEqual(answer);
      if (typeof answer !== 'string' && answer.length > 0) good++;
    }),
    { numRuns: runsOf(1500) },
  );
  expect(good).toBeGreaterThan(runsOf(100));
});
