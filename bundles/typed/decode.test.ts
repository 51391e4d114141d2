import { describe, expect, it } from 'vitest';
import { decode, DecodeError } from './decode.ts';
import { unknownFields } from './unknown-fields.ts';

const CASES: readonly {
  readonly type: string;
  readonly data: unknown;
  readonly result: unknown;
  readonly because: string;
}[] = [
  {
    type: 'PolicyRule',
    data: { resources: ['pods'] },
    result: { verbs: null, resources: ['pods'] },
    because: 'verbs are required',
  },
  {
    type: 'PolicyRule',
    data: { verbs: [], apiGroups: [] },
    result: { verbs: [] },
    because: 'an empty list is omitted if optional',
  },
  {
    type: 'EnvVar',
    data: { name: 'A', value: '' },
    result: { name: 'A' },
    because: 'an empty string is omitted if optional',
  },
  { type: 'EnvVar', data: { name: 'A', extra: 1 }, result: { name: 'A' }, because: 'unknown fields are dropped' },
  { type: 'EnvVar', data: { Name: 'A' }, result: { name: '' }, because: 'names are compared exactly' },
  { type: 'EnvVar', data: { name: null }, result: { name: '' }, because: 'null is the zero value' },
  {
    type: 'SecurityContext',
    data: { privileged: false, runAsUser: 0, capabilities: {} },
    result: { capabilities: {}, privileged: false, runAsUser: 0 },
    because: 'a value behind a pointer is kept, even if it is zero',
  },
  {
    type: 'Container',
    data: { name: 'c', tty: false },
    result: { name: 'c', resources: {} },
    because: 'a struct is never left out',
  },
  {
    type: 'DeploymentSpec',
    data: {},
    result: { selector: null, template: { metadata: {}, spec: { containers: null } }, strategy: {} },
    because: 'structs may contain structs',
  },
  {
    type: 'ResourceRequirements',
    data: { limits: { cpu: 0.5, memory: '1024Mi' } },
    result: { limits: { cpu: '500m', memory: '1Gi' } },
    because: 'quantities may be numbers, and become canonical',
  },
  { type: 'HTTPGetAction', data: { port: 'web' }, result: { port: 'web' }, because: 'ports are numbers or names' },
  { type: 'HTTPGetAction', data: {}, result: { port: 0 }, because: 'a missing port is 0' },
  {
    type: 'JSONSchemaProps',
    data: { items: [{ type: 'string' }], additionalProperties: false, default: { a: null }, enum: [null, 1] },
    result: { default: { a: null }, enum: [null, 1], items: [{ type: 'string' }], additionalProperties: false },
    because: 'schemas have fields of several forms',
  },
  {
    type: 'JSONSchemaProps',
    data: {
      items: { type: 'integer', bogus: 1 },
      additionalProperties: { type: 'object', properties: { constructor: {} } },
    },
    result: {
      items: { type: 'integer' },
      additionalProperties: { type: 'object', properties: { constructor: {} } },
    },
    because: 'schemas contain themselves',
  },
  {
    type: 'JSONSchemaProps',
    data: { maximum: 9007199254740993n },
    result: { maximum: 9007199254740992 },
    because: 'a float is a float',
  },
  {
    type: 'JSONSchemaProps',
    data: { maxLength: 9007199254740993n },
    result: { maxLength: 9007199254740993n },
    because: 'an integer keeps 64 bits',
  },
  {
    type: '{}string',
    data: { __proto__: null, constructor: 'a' },
    result: { constructor: 'a' },
    because: 'any key is a key',
  },
  {
    type: 'ObjectMeta',
    data: { creationTimestamp: null, name: 'a' },
    result: { name: 'a' },
    because: 'no time is left out',
  },
  {
    type: 'ObjectMeta',
    data: { creationTimestamp: '2024-01-01T01:00:00+01:00' },
    result: { creationTimestamp: '2024-01-01T00:00:00Z' },
    because: 'times are in UTC',
  },
];

describe('data read as a Go struct', () => {
  it.each(CASES)('a Go $type is read from $data: $because', ({ type, data, result }) => {
    expect(decode(type, data)).toEqual(result);
  });

  it.each([
    { type: 'HTTPGetAction', field: 'port', most: 2n ** 31n - 1n, because: 'ports by number or name have 32 bits' },
    { type: 'SecurityContext', field: 'runAsUser', most: 2n ** 63n - 1n, because: 'no number has more than 64 bits' },
  ])('a number beyond the bits of a Go $type is refused: $because', ({ type, field, most }) => {
    for (const least of [most, -most - 1n]) expect(decode(type, { [field]: least })).toMatchObject({ [field]: least });
    for (const beyond of [most + 1n, -most - 2n, 1e300]) {
      expect(() => decode(type, { [field]: beyond })).toThrow(DecodeError);
    }
  });

  it('the keys are in the order of the struct, because hashes depend on it', () => {
    expect(Object.keys(decode('PolicyRule', { resources: ['a'], apiGroups: ['b'], verbs: ['c'] }) as object)).toEqual([
      'verbs',
      'apiGroups',
      'resources',
    ]);
  });

  it.each([
    { type: 'EnvVar', data: { name: 7 }, path: 'name' },
    {
      type: 'PodSpec',
      data: { containers: [{ ports: [{ containerPort: 'x' }] }] },
      path: 'containers[0].ports[0].containerPort',
    },
    { type: 'PodSpec', data: { containers: {} }, path: 'containers' },
    { type: 'PodSpec', data: { nodeSelector: { a: true } }, path: 'nodeSelector.a' },
    { type: 'PodSpec', data: [], path: '' },
    { type: 'JSONSchemaProps', data: { properties: { a: { items: 7 } } }, path: 'properties.a.items' },
  ])('is refused where $path has another type', ({ type, data, path }) => {
    let error: unknown;
    try {
      decode(type, data);
    } catch (caught) {
      error = caught;
    }
    expect(error).toBeInstanceOf(DecodeError);
    expect((error as DecodeError).path).toBe(path);
  });
});

describe('fields that a struct does not have', () => {
  it('unknown fields are found at any place, also in schemas', () => {
    const data = {
      name: 'c',
      prots: [],
      ports: [{ containerPort: 1, prot: 'TCP' }],
      resources: { limits: { any: 1 } },
    };
    expect(unknownFields('Container', data)).toEqual(['prots', 'ports[0].prot']);
    expect(unknownFields('{}Container', { a: { nmae: 1 } })).toEqual(['[a].nmae']);
    const schema = { properties: { a: { items: { tpye: 'string' } } }, additionalProperties: { descripton: 'x' } };
    expect(unknownFields('JSONSchemaProps', schema)).toEqual([
      'properties[a].items.tpye',
      'additionalProperties.descripton',
    ]);
  });
});
