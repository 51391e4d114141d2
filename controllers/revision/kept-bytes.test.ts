/** How much the cache keeps of the objects of one namespace. */
import { expect, test } from 'vitest';
import type { KubeObject } from '../../api/object.ts';
import { KeptBytes } from './kept-bytes.ts';

const KIB = 1024;

/** An object of which ten kilobytes are kept. */
function deployment(name: string, namespace: string | undefined = 'tenant', kind = 'Deployment'): KubeObject {
  const metadata = { name, ...(namespace !== '' && { namespace }), uid: name };
  return { apiVersion: 'apps/v1', kind, metadata, spec: { selector: 'x'.repeat(10 * KIB) } };
}

/** The number of objects of which more than the name is kept. */
function admitted(bytes: KeptBytes, count: number, make: (name: string) => KubeObject = deployment): number {
  const kept = Array.from({ length: count }, (_, at) => bytes.admit(make(`d${at}`)));
  return kept.filter(({ spec }) => spec !== undefined).length;
}

test('of a namespace four mebibytes are kept, and the names of all other objects, which is reported once', () => {
  const told: string[] = [];
  const bytes = new KeptBytes({ onFull: (namespace) => void told.push(namespace) });
  expect(admitted(bytes, 1000)).toBeGreaterThan(390);
  expect(admitted(bytes, 1000)).toBeLessThan(410);
  expect(told).toEqual(['tenant']);
  expect(bytes.admit(deployment('last')).metadata).toEqual({ name: 'last', namespace: 'tenant', uid: 'last' });
});

test.each([
  { because: 'another namespace has its own', make: (name: string) => deployment(name, 'other') },
  { because: 'objects of the cluster are not counted', make: (name: string) => deployment(name, '') },
])('a full namespace takes nothing from others: $because', ({ make }) => {
  const bytes = new KeptBytes();
  admitted(bytes, 1000);
  expect(admitted(bytes, 100, make)).toBe(100);
});

test('a namespace of many Subscriptions has room for the objects of each', () => {
  const bytes = new KeptBytes({ subscriptionsIn: (namespace) => (namespace === 'tenant' ? 200 : 0) });
  expect(admitted(bytes, 1500)).toBe(1500);
});

test('a namespace of any number of Subscriptions keeps sixteen mebibytes at most', () => {
  const bytes = new KeptBytes({ subscriptionsIn: () => 10_000 });
  expect(admitted(bytes, 3000)).toBeLessThan(1640);
});

test('an object that changes counts once', () => {
  const bytes = new KeptBytes();
  expect(admitted(bytes, 1000, () => deployment('one'))).toBe(1000);
});

test.each([
  { because: 'objects are gone', free: (bytes: KeptBytes, gone: readonly KubeObject[]) => gone.forEach((one) => bytes.forget(one)) }, // prettier-ignore
  { because: 'their kind is followed no longer', free: (bytes: KeptBytes) => bytes.forgetKind('Deployment.apps') },
])('there is room again when $because', ({ free }) => {
  const bytes = new KeptBytes();
  admitted(bytes, 1000);
  free(
    bytes,
    Array.from({ length: 1000 }, (_, at) => deployment(`d${at}`)),
  );
  expect(admitted(bytes, 300, (name) => deployment(name, 'tenant', 'StatefulSet'))).toBe(300);
});
