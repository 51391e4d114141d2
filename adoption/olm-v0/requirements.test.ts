/** Each way in which an operator of OLM requires another one of its namespace. */
import { describe, expect, test } from 'vitest';
import type { KubeObject } from '../../api/object.ts';
import { dependentsIn, requiredIn } from './requirements.ts';
import { csvOf } from './testing/survey.ts';

interface Property {
  readonly type: string;
  readonly value: unknown;
}

function withProperties(csv: KubeObject, properties: readonly Property[] | string): KubeObject {
  const text = typeof properties === 'string' ? properties : JSON.stringify({ properties });
  return { ...csv, metadata: { ...csv.metadata, annotations: { 'operatorframework.io/properties': text } } };
}

const KIND = { group: 'lamps.example', version: 'v1', kind: 'Lamp' };
const provider = withProperties(
  csvOf('lamp.v1.2.0', {
    spec: {
      version: '1.2.0',
      customresourcedefinitions: { owned: [{ name: 'lamps.lamps.example', version: 'v1', kind: 'Lamp' }] },
      apiservicedefinitions: {
        owned: [{ group: 'readings.example', version: 'v1', kind: 'Reading', name: 'readings' }],
      },
    },
  }),
  [
    { type: 'olm.package', value: { packageName: 'lamp', version: '1.2.0' } },
    { type: 'olm.gvk', value: KIND },
  ],
);

interface Case {
  readonly because: string;
  readonly properties?: readonly Property[] | string;
  readonly spec?: object;
  readonly isDependent: boolean;
}

const required = (versionRange: string): Property => ({
  type: 'olm.package.required',
  value: { packageName: 'lamp', versionRange },
});
const constraint = (value: object): Property => ({ type: 'olm.constraint', value });
const gvk = { gvk: KIND };
const other = { gvk: { ...KIND, kind: 'Torch' } };

const CASES: readonly Case[] = [
  { because: 'it requires nothing', isDependent: false },
  {
    because: 'it requires the package in a range with its version',
    properties: [required('>=1.0.0')],
    isDependent: true,
  },
  { because: 'its version is not in the range', properties: [required('>=2.0.0')], isDependent: false },
  { because: 'it requires the kind', properties: [{ type: 'olm.gvk.required', value: KIND }], isDependent: true },
  {
    because: 'it requires another kind',
    properties: [{ type: 'olm.gvk.required', value: { ...KIND, kind: 'Torch' } }],
    isDependent: false,
  },
  { because: 'a constraint requires the kind', properties: [constraint(gvk)], isDependent: true },
  {
    because: 'a constraint requires the package',
    properties: [constraint({ package: { packageName: 'lamp', versionRange: '1.2.0' } })],
    isDependent: true,
  },
  {
    because: 'one of several parts is met by it',
    properties: [constraint({ all: { constraints: [other, gvk] } })],
    isDependent: true,
  },
  {
    because: 'it is one of several choices',
    properties: [constraint({ any: { constraints: [other, gvk] } })],
    isDependent: true,
  },
  {
    because: 'a constraint excludes it',
    properties: [constraint({ not: { constraints: [gvk] } })],
    isDependent: false,
  },
  {
    because: 'a rule about properties is met by it',
    properties: [constraint({ cel: { rule: 'properties.exists(p, p.type == "olm.package")' } })],
    isDependent: true,
  },
  {
    because: 'its ClusterServiceVersion requires the CRD in another version',
    spec: {
      customresourcedefinitions: { required: [{ name: 'lamps.lamps.example', version: 'v1beta1', kind: 'Lamp' }] },
    },
    isDependent: true,
  },
  {
    because: 'its ClusterServiceVersion requires the APIService',
    spec: { apiservicedefinitions: { required: [{ group: 'readings.example', version: 'v1', kind: 'Reading' }] } },
    isDependent: true,
  },
  {
    because: 'it owns the kind too',
    spec: { customresourcedefinitions: { owned: [{ name: 'lamps.lamps.example', version: 'v1', kind: 'Lamp' }] } },
    isDependent: false,
  },
  { because: 'a person has broken the annotation', properties: '{', isDependent: false },
];

describe('another operator of the namespace', () => {
  test.each(CASES)('is a dependent: $isDependent, because $because', ({ properties = [], spec = {}, isDependent }) => {
    const user = withProperties(csvOf('user.v1', { spec }), properties);
    const csvs = [provider, user];
    const names = (list: readonly KubeObject[]): readonly string[] => list.map(({ metadata }) => metadata.name);
    expect(names(dependentsIn(provider, csvs))).toEqual(isDependent ? ['user.v1'] : []);
    expect(names(requiredIn(user, csvs))).toEqual(isDependent ? ['lamp.v1.2.0'] : []);
  });

  test('that is deleted requires nothing any more', () => {
    const user = withProperties(csvOf('user.v1'), [required('>=1.0.0')]);
    const deleted = { ...user, metadata: { ...user.metadata, deletionTimestamp: '2026-11-23T00:00:00Z' } };
    expect(dependentsIn(provider, [provider, deleted])).toEqual([]);
  });

  test('may require the first, which requires it: both are dependents', () => {
    const annotations = provider.metadata.annotations?.['operatorframework.io/properties'] ?? '';
    const { properties } = JSON.parse(annotations) as { readonly properties: readonly Property[] };
    const circular = withProperties(provider, [...properties, { type: 'olm.package.required', value: { packageName: 'user', versionRange: '>=1.0.0' } }]); // prettier-ignore
    const user = withProperties(csvOf('user.v1'), [
      { type: 'olm.package', value: { packageName: 'user', version: '1.0.0' } },
      required('>=1.0.0'),
    ]);
    for (const [one, two] of [
      [circular, user],
      [user, circular],
    ] as const)
      // prettier-ignore
      expect(dependentsIn(one, [circular, user])).toEqual([two]);
  });
});
