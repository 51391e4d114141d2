import { expect, test } from 'vitest';
import { checkEmbedded } from './check-embedded.ts';

type Fields = Readonly<Record<string, unknown>>;

const schema = {
  type: 'object',
  properties: { list: { type: 'array', items: { type: 'object', 'x-kubernetes-embedded-resource': true } } },
};
const whole = { apiVersion: 'example.com/v1', kind: 'Widget' };

test.each<{ object: Fields; faults: number; because: string }>([
  { object: whole, faults: 0, because: 'metadata need not be there' },
  {
    object: { ...whole, metadata: { name: 'a', labels: { 'example.com/a': 'b' }, annotations: { a: 'any thing' } } },
    faults: 0,
    because: 'all is well',
  },
  { object: { kind: 'Widget' }, faults: 1, because: 'it has no apiVersion' },
  { object: { apiVersion: 'a/b/c', kind: 'a b' }, faults: 2, because: 'neither can be one' },
  { object: { ...whole, metadata: 'a' }, faults: 1, because: 'metadata is an object' },
  { object: { ...whole, metadata: { labels: { a: 1 } } }, faults: 1, because: 'labels are texts' },
  {
    object: { ...whole, metadata: { name: 'a/b', lost: 1 } },
    faults: 2,
    because: 'a slash cannot be in a name, and other fields are dropped',
  },
])('$faults faults of $object, because $because', ({ object, faults }) => {
  const found: string[] = [];
  checkEmbedded(schema, { list: [object] }, '^', ({ rule, path }) => found.push(`${rule} ${path}`));
  expect(found).toEqual(Array.from({ length: faults }, () => 'embeddedResource ^.list.items'));
});
