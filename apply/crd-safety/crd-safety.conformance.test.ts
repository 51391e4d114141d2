/** Compares our findings on published CRDs with those of OLM v1's check: where they differ, and which upgrades pass. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { load } from 'js-yaml';
import { describe, expect, test } from 'vitest';
import { parseJson } from '../../api/json.ts';
import type { KubeObject } from '../../api/object.ts';
import { parseYaml } from '../../bundles/yaml.ts';
import { readdirSync } from 'node:fs';
import { isSample } from '../../e2e/lib/sample.ts';
import { devSet, hasShared, sharedPath, sharedRows } from '../../e2e/lib/shared.ts';
import { compareCrds, describeFinding, isDangerous, type CrdVerdict } from './compare.ts';
import { NODE_RULES } from './rules.ts';
import { flattenSchema, readCrd } from './schema.ts';

/** OLM's name for each of our rules; OLM has one rule for all changes that it does not understand. */
const OLM_RULE = new Map<string, string>([
  ...[
    'format',
    'topology',
    'unknownFields',
    'mapValues',
    'allOf',
    'anyOf',
    'not',
    'validations',
    'embeddedResource',
    'otherKeywords',
  ].map((rule) => [rule, 'unhandled'] as const),
  ['documentation', 'description'],
]);
/** Changes that OLM does not check. */
const OURS_ONLY = new Set(['kind', 'servedVersionRemoval', 'conversion', 'scale', 'pruning']);
const BOUNDS = /^(min|max)/;
const olmRule = (rule: string): string => OLM_RULE.get(rule) ?? rule;

/** Our findings in OLM's notation: `crd/scope`, `same/enum ^.spec.mode`, `served/type …`. */
function asOlm({ findings }: CrdVerdict, old: KubeObject, next: KubeObject): Set<string> {
  const told = findings.flatMap(({ rule, version, path, effect }) => {
    if (OURS_ONLY.has(rule) || (BOUNDS.test(rule) && effect === 'none')) return [];
    if (rule === 'existingFieldRemoval') return version?.includes(' -> ') === true ? [] : ['crd/existingFieldRemoval'];
    if (version === undefined) return [`crd/${rule}`];
    return [`${version.includes(' -> ') ? 'served' : 'same'}/${olmRule(rule)} ${path}`];
  });
  return new Set([...told, ...removedTwice(old, next)]);
}

/** OLM also compares a removed field with an empty schema. */
function removedTwice(old: KubeObject, next: KubeObject): string[] {
  const after = new Map(readCrd(next).versions.map((version) => [version.name, flattenSchema(version.schema)]));
  return readCrd(old).versions.flatMap((version) => {
    const left = after.get(version.name);
    if (left === undefined) return [];
    const gone = [...flattenSchema(version.schema)].filter(([path]) => !left.has(path));
    return gone.flatMap(([path, schema]) => [
      ...(schema['default'] === undefined ? [] : [`same/default ${path}`]),
      ...NODE_RULES.filter(({ name }) => name !== 'documentation')
        .filter((rule) =>
          rule.compare({ old: schema, next: {} }).some(({ effect }) => !(BOUNDS.test(rule.name) && effect === 'none')),
        )
        .map(({ name }) => `same/${olmRule(name)} ${path}`),
    ]);
  });
}

/** OLM is configured to permit new enum values, and never checks descriptions. */
function withoutAllowed(verdict: CrdVerdict): CrdVerdict {
  const findings = verdict.findings.filter(
    ({ rule, message }) => rule !== 'documentation' && !(rule === 'enum' && message.endsWith('allowed now')),
  );
  return { ...verdict, findings };
}

const withoutPath = (findings: Iterable<string>): string[] =>
  [...new Set([...findings].map((finding) => finding.split(' ')[0] as string))].sort();

describe.skipIf(!hasShared)('the library behind the check', () => {
  interface Expected {
    readonly crdValidation?: readonly { readonly name: string; readonly errors: readonly string[] }[];
    readonly sameVersionValidation?: readonly {
      readonly version: string;
      readonly propertyComparisons: readonly {
        readonly property: string;
        readonly comparisonResults: readonly { readonly name: string }[];
      }[];
    }[];
  }
  const folder = sharedPath('conformance', 'crd-diff');
  const cases = hasShared ? readdirSync(folder) : [];

  test.each(cases)('%s', (name) => {
    const read = (file: string): KubeObject => load(readFileSync(join(folder, name, file), 'utf8')) as KubeObject;
    const expected = JSON.parse(readFileSync(join(folder, name, 'expected.json'), 'utf8')) as Expected;
    const [old, next] = [read('a.yaml'), read('b.yaml')];
    const wanted = [
      ...(expected.crdValidation ?? []).map(({ name: rule }) => `crd/${rule}`),
      ...(expected.sameVersionValidation ?? []).flatMap(({ propertyComparisons }) =>
        propertyComparisons.flatMap(({ property, comparisonResults }) =>
          comparisonResults
            .filter(({ name: rule }) => rule !== 'description' || !name.includes('removed'))
            .map(({ name: rule }) => `same/${rule} ${property}`),
        ),
      ),
    ];
    expect([...asOlm(compareCrds(old, next), old, next)].sort()).toEqual([...new Set(wanted)].sort());
  });
});

describe.skipIf(!hasShared)("OLM v1's check", () => {
  interface Case {
    readonly name: string;
    readonly old: string | null;
    readonly new: string;
    readonly expectError: boolean;
    readonly errorContains: readonly string[];
  }
  const folder = sharedPath('conformance', 'crd-upgrade-safety');
  const { cases } = (hasShared ? JSON.parse(readFileSync(join(folder, 'cases.json'), 'utf8')) : { cases: [] }) as {
    cases: readonly Case[];
  };
  const read = (file: string): KubeObject =>
    parseJson(readFileSync(join(folder, 'manifests', file), 'utf8')) as KubeObject;
  /** Cases that compare two CRDs; the others are about reading files and the cluster. */
  const pairs = cases.filter(({ old }) => old !== null);
  const SAFE_HERE = new Map([['removing oneOf subschemas', 'what need not hold any more refuses nothing']]);

  test.each(pairs)('$name', ({ name, old, new: next, expectError, errorContains }) => {
    const [before, after] = [read(old as string), read(next)];
    const verdict = compareCrds(before, after);
    const rules = new Set(withoutPath(asOlm(verdict, before, after)).map((rule) => rule.split('/')[1]));
    for (const text of errorContains) {
      const named = /(?:^|: )([a-zA-Z]+):/.exec(text.replace(/^validating.*?\^[^:]*/, ''))?.[1];
      if (named !== undefined && !named.startsWith('validating')) expect(rules).toContain(named);
    }
    expect(verdict.safe, JSON.stringify(verdict.findings)).toBe(!expectError || SAFE_HERE.has(name));
  });
});

interface Row {
  readonly package: string;
  readonly crd: string;
  readonly from: string;
  readonly to: string;
  readonly fromDir: string;
  readonly toDir: string;
  readonly verdict: 'pass' | 'fail' | 'skipped';
  readonly rules?: readonly string[];
  readonly reason?: string;
}

/** Every difference between the rules reported for a pair, with its reason. */
const DIFFERENCES: readonly {
  readonly ours: string;
  readonly theirs: string;
  readonly count: number;
  readonly because: string;
}[] = [
  { ours: '', theirs: 'same/unhandled', count: 22, because: 'a list is atomic by default' },
  {
    ours: 'crd/storedVersionRemoval',
    theirs: '',
    count: 2,
    because: 'if no cluster reports the stored versions, the storage version counts',
  },
  {
    ours: 'same/default',
    theirs: 'crd/existingFieldRemoval',
    count: 1,
    because:
      'an alternative of anyOf or oneOf is no field; and a new field with a default may break what is asked above it',
  },
  {
    ours: 'same/default',
    theirs: '',
    count: 1,
    because: 'a new field with a default may break what is asked above it',
  },
  {
    ours: 'same/unhandled',
    theirs: '',
    count: 6,
    because: 'values that were preserved now have to follow a schema',
  },
  {
    ours: 'same/pattern',
    theirs: '',
    count: 1,
    because: 'every object has a name, whether the schema mentions it or not',
  },
  {
    ours: '',
    theirs: 'served/default served/pattern served/required served/type',
    count: 1,
    because: 'between served versions only losses and rejections are reported, as the loss of unknown fields',
  },
  {
    ours: '',
    theirs: 'served/required',
    count: 1,
    because: 'the operator owns the status and fills in its required fields',
  },
];

describe.skipIf(!hasShared)('672 consecutive pairs of published CRDs', () => {
  test.skipIf(isSample)('the findings are those of OLM v1, class by class', () => {
    const rows = sharedRows<Row>('conformance', 'reference', 'crd-safety.jsonl.xz');
    const differences = new Map<string, string[]>();
    let equal = 0;
    let blocked = 0;
    let through = 0;
    const stricter: string[] = [];
    for (const row of rows) {
      const [old, next] = [readCrdOf(row.fromDir, row.crd), readCrdOf(row.toDir, row.crd)];
      if (row.verdict === 'skipped') {
        expect(() => compareCrds(old, next)).toThrow(expect.objectContaining({ reason: 'BundleUnsupported' }));
        equal++;
        continue;
      }
      const verdict = compareCrds(old, next);
      const ours = withoutPath(asOlm(withoutAllowed(verdict), old, next));
      const theirs = [...(row.rules ?? [])].sort();
      if (JSON.stringify(ours) === JSON.stringify(theirs)) equal++;
      else {
        const key = `ours: ${ours.filter((rule) => !theirs.includes(rule)).join(' ')} | theirs: ${theirs.filter((rule) => !ours.includes(rule)).join(' ')}`;
        differences.set(key, [...(differences.get(key) ?? []), `${row.crd} ${row.from} ${row.to}`]);
      }
      if (row.verdict === 'fail' && verdict.safe) through++;
      if (row.verdict === 'fail' && !verdict.safe) blocked++;
      if (row.verdict === 'pass' && !verdict.safe)
        stricter.push(
          `${row.crd} ${row.from}: ${verdict.findings.filter(isDangerous).map(describeFinding).join('; ')}`,
        );
    }
    process.stdout.write(
      `crd safety: ${rows.length} pairs, ${equal} with equal rules; of ${blocked + through} that OLM v1 blocks, ${through} are safe here\n`,
    );
    for (const line of stricter) process.stdout.write(`  blocked here alone: ${line}\n`);
    expect(rows).toHaveLength(672);
    expect(new Map([...differences].map(([key, where]) => [key, where.length]))).toEqual(
      new Map(DIFFERENCES.map(({ ours, theirs, count }) => [`ours: ${ours} | theirs: ${theirs}`, count])),
    );
    expect({ blocked, through, stricter: stricter.length }).toEqual({ blocked: 123, through: 96, stricter: 8 });
  });
});

const crdsOf = new Map<string, ReadonlyMap<string, KubeObject>>();

function readCrdOf(directory: string, name: string): KubeObject {
  const known = crdsOf.get(directory) ?? readCrds(join(devSet(), directory, 'manifests'));
  crdsOf.set(directory, known);
  return known.get(name) as KubeObject;
}

function readCrds(folder: string): ReadonlyMap<string, KubeObject> {
  const documents = readdirSync(folder).flatMap((file) =>
    parseYaml(readFileSync(join(folder, file))).map(({ value }) => value as KubeObject | null),
  );
  return new Map(
    documents.flatMap((object) =>
      object?.kind === 'CustomResourceDefinition' ? [[object.metadata.name, object]] : [],
    ),
  );
}
