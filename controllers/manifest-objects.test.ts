import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { ReasonedError } from '../api/errors.ts';
import { JsonList } from '../api/json-list.ts';
import type { KubeObject } from '../api/object.ts';
import { MAX_OBJECTS } from '../api/revision.ts';
import { prepareObjects } from '../apply/prepare.ts';
import { sampleCrd } from '../apply/testing/sample-objects.ts';
import { checkManifests } from './manifest-objects.ts';

const REVISION = { metadata: { namespace: 'ops', name: 'gadget-1' } };
const CONFIG_MAP = { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'x' } };
const CRD = sampleCrd('Gadget', { group: 'example.com' });
const GADGET = { apiVersion: 'example.com/v1', kind: 'Gadget', metadata: { name: 'x' } };
const OPTIONS = {
  owner: { namespace: 'ops', name: 'gadget' },
  package: 'gadget',
  revision: 'gadget-1',
  installNamespace: 'ops',
};

/** As stored manifests are read. */
function readManifests(json: string): readonly KubeObject[] {
  const list = new JsonList(MAX_OBJECTS);
  list.push(Buffer.from(json));
  return checkManifests(list.items, REVISION);
}

test('the objects are read back as they were written', () => {
  expect(readManifests(JSON.stringify([CONFIG_MAP]))).toEqual([CONFIG_MAP]);
});

test('objects of kinds that CRDs among them define are read too: a bundle may bring them', () => {
  const crd = sampleCrd('Pod', { group: 'example.com' });
  const own = { apiVersion: 'example.com/v1', kind: 'Pod', metadata: { name: 'x' } };
  expect(readManifests(JSON.stringify([own, crd]))).toHaveLength(2);
  const foreign = { ...own, apiVersion: 'v1' };
  expect(() => readManifests(JSON.stringify([foreign, crd]))).toThrow('Pod');
});

describe('manifests that no bundle renders to are rejected for good', () => {
  const without = (field: string): object => ({ ...CONFIG_MAP, [field]: undefined });
  test.each([
    { json: 'not json', because: 'it is not JSON' },
    { json: `${'['.repeat(50_000)}${']'.repeat(50_000)}`, because: 'it is nested too deep' },
    { json: '', because: 'it is empty' },
    { json: 'null', because: 'it is no list' },
    { json: JSON.stringify([{ ...CRD, spec: null }, GADGET]), because: 'a CRD has no spec' },
    {
      json: JSON.stringify([{ ...CRD, spec: { group: 7, names: { kind: {} } } }, GADGET]),
      because: 'a CRD has fields of wrong types',
    },
    {
      json: JSON.stringify([
        sampleCrd('Ingress', { group: 'networking.k8s.io' }),
        { ...GADGET, apiVersion: 'networking.k8s.io/v1', kind: 'Ingress' },
      ]),
      because: 'a CRD defines a kind in a group of Kubernetes’ own',
    },
    { json: '{"0":{}}', because: 'it is an object' },
    { json: '[null]', because: 'an item is no object' },
    { json: '[[]]', because: 'an item is a list' },
    { json: JSON.stringify([without('apiVersion')]), because: 'an object has no apiVersion' },
    { json: JSON.stringify([without('kind')]), because: 'an object has no kind' },
    { json: JSON.stringify([without('metadata')]), because: 'an object has no metadata' },
    { json: JSON.stringify([{ ...CONFIG_MAP, metadata: {} }]), because: 'an object has no name' },
    { json: JSON.stringify([{ ...CONFIG_MAP, metadata: { name: 7 } }]), because: 'a name is a number' },
    { json: JSON.stringify([{ ...CONFIG_MAP, kind: 'Pod' }]), because: 'bundles bring no Pods' },
    {
      json: JSON.stringify([CONFIG_MAP, { ...CONFIG_MAP, kind: 'Namespace' }]),
      because: 'bundles bring no Namespaces',
    },
    { json: JSON.stringify([{ ...CONFIG_MAP, kind: 'constructor' }]), because: 'a word of JavaScript is no kind' },
    { json: JSON.stringify(Array.from({ length: MAX_OBJECTS + 1 }, () => CONFIG_MAP)), because: 'there are too many' },
  ])('$because', ({ json }) => {
    expect(() => readManifests(json)).toThrow(
      expect.objectContaining({ reason: 'RevisionInvalid', retry: 'never' }) as Error,
    );
  });
});

test('any text becomes objects to apply or an error with a reason', () => {
  const kind = fc.constantFrom('ConfigMap', 'Secret', 'Deployment', 'Service', 'ServiceAccount', 'ClusterRole');
  const metadata = fc.oneof(
    fc.jsonValue(),
    fc.record({ name: fc.oneof(fc.string(), fc.jsonValue()) }),
    fc.record({ name: fc.string(), labels: fc.jsonValue(), annotations: fc.jsonValue(), namespace: fc.jsonValue() }),
  );
  const shaped = fc.record({
    apiVersion: fc.oneof(fc.constant('v1'), fc.jsonValue()),
    kind,
    metadata,
    spec: fc.jsonValue(),
  });
  fc.assert(
    fc.property(fc.oneof(fc.jsonValue(), fc.array(fc.oneof(shaped, fc.jsonValue()))), (value) => {
      try {
        prepareObjects(readManifests(JSON.stringify(value)), OPTIONS);
      } catch (error) {
        expect(error).toBeInstanceOf(ReasonedError);
      }
    }),
  );
});
