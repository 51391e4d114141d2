import type { Fields } from '../../../api/untyped.ts';
import { expect, test } from 'vitest';
import { checkEmbedded } from './check-embedded.ts';

const schema = {
  type: 'object',
  properties: { list: { type: 'array', items: { type: 'object', 'x-kubernetes-embedded-resource': true } } },
};
const whole = { apiVersion: 'example.com/v1', kind: 'Widget' };

test.each<{ object: Fields; faults: number; because: string }>([
  { object: whole, faults: 0, because: 'metadata may be absent' },
  {
    object: { ...whole, metadata: { name: 'a', labels: { 'example.com/a': 'b' }, annotations: { a: 'any thing' } } },
    faults: 0,
    because: 'the object is valid',
  },
  { object: { kind: 'Widget' }, faults: 1, because: 'it has no apiVersion' },
  { object: { apiVersion: 'a/b/c', kind: 'a b' }, faults: 2, because: 'neither value is valid' },
  { object: { ...whole, metadata: 'a' }, faults: 1, because: 'metadata must be an object' },
  { object: { ...whole, metadata: { labels: { a: 1 } } }, faults: 1, because: 'label values must be texts' },
  {
    object: { ...whole, metadata: { name: 'a/b', lost: 1 } },
    faults: 2,
    because: 'a slash cannot be in a name, and other fields are dropped',
  },
])('an embedded object has $faults faults in $object, because $because', ({ object, faults }) => {
  const found: string[] = [];
  checkEmbedded(schema, { list: [object] }, '^', ({ rule, path }) => found.push(`${rule} ${path}`));
  expect(found).toEqual(Array.from({ length: faults }, () => 'embeddedResource ^.list.items'));
});
