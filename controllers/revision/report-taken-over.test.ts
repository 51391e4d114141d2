/** The sentence about objects that were taken over. */
import { expect, test } from 'vitest';
import type { ObjectResult } from '../../apply/apply.ts';
import { describeTakenOver } from './report-taken-over.ts';

const result = (name: string, takenOver?: ObjectResult['takenOver']): ObjectResult => ({
  phase: 'crds',
  ref: { apiVersion: 'apiextensions.k8s.io/v1', kind: 'CustomResourceDefinition', name },
  outcome: 'configured',
  ...(takenOver !== undefined && { takenOver }),
});

test('no sentence is made about objects of our own', () => {
  expect(describeTakenOver([result('a')])).toBeUndefined();
});

test('objects that keep something come first, with all that they keep', () => {
  const note = describeTakenOver([
    result('plain', { finalizers: [], fields: [] }),
    result('held', { finalizers: ['example.com/hold'], fields: ['spec.names.shortNames'] }),
  ]);
  expect(note).toMatch(/held \(keeps .*example\.com\/hold.*spec\.names\.shortNames\), .*plain$/);
});

test('a maker cannot make the sentence long', () => {
  const many = Array.from({ length: 1000 }, (_, at) => `${at}${'x'.repeat(1000)}`);
  const note =
    describeTakenOver(many.map((name) => result(name.slice(0, 250), { finalizers: many, fields: many }))) ?? '';
  expect(note.length).toBeLessThan(10_000);
});
