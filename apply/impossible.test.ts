import { describe, expect, test } from 'vitest';
import type { KubeObject } from '../api/object.ts';
import { leaveOutImpossible } from './impossible.ts';
import { sample, sampleCrd } from './testing/sample-objects.ts';

/** A CRD whose `spec` has this schema. */
function crdWith(spec: object): KubeObject {
  const crd = sampleCrd('Widget');
  const schema = { openAPIV3Schema: { type: 'object', properties: { spec: { type: 'object', ...spec } } } };
  const versions = [{ name: 'v1', served: true, storage: true, schema }];
  return { ...crd, spec: { ...(crd['spec'] as object), versions } };
}

const widget = (spec: unknown): KubeObject => sample('example.com/v1', 'Widget', 'sample', { namespace: 'ops', spec });
const properties = { size: { type: 'integer', maximum: 9 }, mode: { type: 'string', enum: ['a'] } };

describe('a custom resource that its CRD rejects is left out', () => {
  test.each([
    {
      schema: { properties, required: ['size'] },
      spec: {},
      message: 'spec: "size" is missing',
      because: 'a field lacks',
    },
    { schema: { properties }, spec: { size: 'large' }, message: 'spec.size: ', because: 'a field has the wrong type' },
    { schema: { properties }, spec: { size: 10 }, message: 'spec.size: ', because: 'a number is too large' },
    { schema: { properties }, spec: { mode: 'b' }, message: 'spec.mode: ', because: 'a value is not in the enum' },
  ])('$because', ({ schema, spec, message }) => {
    const crd = crdWith(schema);
    const { kept, leftOut } = leaveOutImpossible([crd, widget(spec)]);
    expect(kept).toEqual([crd]);
    expect(leftOut).toMatchObject([{ ref: { kind: 'Widget', name: 'sample' } }]);
    expect(leftOut[0]?.message).toContain(message);
  });
});

describe('a custom resource that may be valid stays', () => {
  test.each([
    { schema: { properties, required: ['size'] }, spec: { size: 1 }, because: 'it is valid under the CRD' },
    { schema: { properties }, spec: { other: 1 }, because: 'unknown fields are dropped' },
    {
      schema: { properties: { size: { type: 'integer', default: 1 } }, required: ['size'] },
      spec: {},
      because: 'a default fills in the missing field',
    },
    {
      schema: { properties, 'x-kubernetes-validations': [{ rule: 'isURL(self.mode)' }] },
      spec: { mode: 'a' },
      because: 'the library lacks the function, but the API server has it',
    },
  ])('$because', ({ schema, spec }) => {
    const objects = [crdWith(schema), widget(spec)];
    expect(leaveOutImpossible(objects)).toEqual({ kept: objects, leftOut: [], notJudged: [] });
  });

  test('a custom resource stays if its CRD is of v1beta1, which is refused anyway', () => {
    const objects = [{ ...crdWith({ required: ['size'] }), apiVersion: 'apiextensions.k8s.io/v1beta1' }, widget({})];
    expect(leaveOutImpossible(objects).kept).toEqual(objects);
  });

  test('a custom resource stays if no CRD beside it defines its kind', () => {
    const objects = [crdWith({ required: ['size'] }), sample('example.com/v1', 'Gadget', 'sample')];
    expect(leaveOutImpossible(objects).kept).toEqual(objects);
  });
});

describe('a custom resource that is too large to be judged stays, and is named', () => {
  const list = { type: 'array', items: { type: 'string' } };
  const schema = { properties: { ...properties, list }, required: ['size'] };
  const large = { list: Array.from({ length: 200_000 }, () => 'a') };

  test('one by itself', () => {
    const objects = [crdWith(schema), widget(large), widget({})];
    const { kept, leftOut, notJudged } = leaveOutImpossible(objects);
    expect(kept).toEqual(objects.slice(0, 2));
    expect(leftOut).toHaveLength(1);
    expect(notJudged).toMatchObject([{ kind: 'Widget', name: 'sample' }]);
  });

  test('one that comes after many others', () => {
    const each = widget({ list: Array.from({ length: 40_000 }, () => 'a'), size: 1 });
    const objects = [crdWith(schema), ...Array.from({ length: 100 }, () => each)];
    const { kept, notJudged } = leaveOutImpossible(objects);
    expect(kept).toHaveLength(objects.length);
    expect(notJudged.length).toBeGreaterThan(50);
    expect(notJudged.length).toBeLessThan(100);
  });
});
