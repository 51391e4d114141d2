import { expect, test } from 'vitest';
import type { KubeObject } from '../../api/object.ts';
import { kindsDefinedBy } from './custom-resources.ts';

interface Version {
  readonly name: string;
  readonly served: boolean;
  readonly storage: boolean;
}

function crdOf(versions: readonly Version[], scope = 'Namespaced'): KubeObject {
  return {
    apiVersion: 'apiextensions.k8s.io/v1',
    kind: 'CustomResourceDefinition',
    metadata: { name: 'lamps.example.com' },
    spec: { group: 'example.com', names: { kind: 'Lamp', plural: 'lamps' }, scope, versions },
  };
}

const OLD = { name: 'v1', served: true, storage: false };
const STORED = { name: 'v2', served: true, storage: true };

test.for<{ because: string; objects: readonly KubeObject[]; kinds: readonly (readonly [string, boolean])[] }>([
  { because: 'no object is a CRD', objects: [{ ...crdOf([STORED]), apiVersion: 'v1' }], kinds: [] },
  { because: 'the stored version is served', objects: [crdOf([OLD, STORED])], kinds: [['example.com/v2', true]] },
  {
    because: 'the stored version is not served',
    objects: [crdOf([{ ...STORED, served: false }, OLD])],
    kinds: [['example.com/v1', true]],
  },
  { because: 'no version is served', objects: [crdOf([{ ...STORED, served: false }])], kinds: [] },
  { because: 'the kind has no namespaces', objects: [crdOf([STORED], 'Cluster')], kinds: [['example.com/v2', false]] },
])('the kinds that are read before a removal: $because', ({ objects, kinds }) => {
  expect(kindsDefinedBy(objects)).toEqual(
    kinds.map(([apiVersion, namespaced]) => ({ apiVersion, kind: 'Lamp', served: { plural: 'lamps', namespaced } })),
  );
});
