/** The schema of the chart's values: `helm` refuses by it in e2e/stories/in-cluster/deploy.long.cluster.test.ts. */
import { load } from 'js-yaml';
import { expect, test } from 'vitest';
import { isRecord, type Fields } from '../api/untyped.ts';
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

test('a variable that the chart sets is not set again, as a name that is there twice is refused or ambiguous', () => {
  const set = readText('deploy/chart/templates/deployment.yaml')?.match(/(?<=- name: )[A-Z][A-Z_]+$/gm) ?? [];
  expect(set.length).toBeGreaterThan(3);
  const refused = schema.properties?.['env']?.items?.properties?.['name']?.not?.enum ?? [];
  expect(set.filter((name) => !refused.includes(name))).toEqual([]);
});
