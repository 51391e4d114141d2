/** The schema of the chart's values: `helm` refuses by it in e2e/stories/in-cluster/deploy.long.cluster.test.ts. */
import { load } from 'js-yaml';
import { expect, test } from 'vitest';
import { isRecord, type Fields } from '../api/untyped.ts';
import { OPTIONS } from '../cmd/manager/options.ts';
import { readText } from './source-files.ts';

interface Schema {
  readonly additionalProperties?: boolean;
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly items?: Schema;
  readonly not?: { readonly enum: readonly string[] };
}

const schema = JSON.parse(readText('deploy/chart/values.schema.json') ?? '') as Schema;
const values = load(readText('deploy/chart/values.yaml') ?? '') as Fields;

/** Values of a chart that has this one as a part. */
const OF_PARENTS = new Set(['global', 'enabled']);

/** The paths of values for which the schema has other names than the file, as deep as the schema has names. */
function differences(fields: Fields, { properties = {} }: Schema, path = ''): readonly string[] {
  const names = Object.keys(properties).filter((name) => !OF_PARENTS.has(name) || path !== '');
  const other = Object.keys(fields).filter((name) => !names.includes(name));
  const absent = names.filter((name) => !(name in fields));
  const below = Object.entries(properties).flatMap(([name, inner]) => {
    const value = fields[name];
    return isRecord(value) && inner.properties !== undefined ? differences(value, inner, `${path}${name}.`) : [];
  });
  return [...[...other, ...absent].map((name) => path + name), ...below];
}

test('the schema has exactly the values of the file', () => {
  expect(differences(values, schema)).toEqual([]);
  expect(differences({ ...values, misspelt: 1, image: {} }, schema)).toContain('misspelt');
});

test('no name outside of the schema is accepted where it has names', () => {
  const { image, adoption, console } = schema.properties ?? {};
  for (const part of [schema, image, adoption, console]) expect(part?.additionalProperties).toBe(false);
});

function refusedVariables(): readonly string[] {
  return schema.properties?.['env']?.items?.properties?.['name']?.not?.enum ?? [];
}

test('a variable that the chart sets is not set again, as a name that is there twice is refused or ambiguous', () => {
  const set = readText('deploy/chart/templates/deployment.yaml')?.match(/(?<=- name: )[A-Z][A-Z_]+$/gm) ?? [];
  expect(set.length).toBeGreaterThan(3);
  const refused = refusedVariables();
  expect(set.filter((name) => !refused.includes(name))).toEqual([]);
});

test('the page of all settings names those that are no variables with Helm, and their values', () => {
  const settings: ReadonlySet<string> = new Set(Object.values(OPTIONS).map(({ env }) => env));
  const [introduction = ''] = (readText('docs/settings.md') ?? '').split('\n## ');
  const named = [...introduction.matchAll(/`([A-Z_]+)`/g)].map(([, name]) => name);
  expect(new Set(named)).toEqual(new Set(refusedVariables().filter((name) => settings.has(name))));
  const pairs = [...introduction.matchAll(/`(\w+)`\s\(`(\w+)`\)/g)].map(([, value, name]) => [value, name]);
  const template = readText('deploy/chart/templates/deployment.yaml') ?? '';
  expect(pairs).toHaveLength(3);
  for (const [value, name] of pairs)
    expect(template, name).toMatch(new RegExp(`\\.Values\\.${value}\\b[^}]*\\}\\}\\n +- name: ${name}\\n`));
});
