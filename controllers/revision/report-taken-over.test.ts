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

test('many annotations hide no label and no field of the object', () => {
  const annotations = Array.from({ length: 7 }, (_, at) => `metadata.annotations.a${at}`);
  const fields = [...annotations, 'metadata.labels.power', 'spec.names.shortNames'];
  const note = describeTakenOver([result('a', { finalizers: [], fields })]);
  expect(note).toMatch(/spec\.names\.shortNames; .*metadata\.labels\.power; .*annotations\.a2 and 4 more\)$/);
});

test('objects with finalizers come first, then those with fields, with labels, and with annotations of their makers', () => {
  const note = describeTakenOver([
    result('annotated', { finalizers: [], fields: ['metadata.annotations.a'] }),
    result('labelled', { finalizers: [], fields: ['metadata.labels.a', 'metadata.annotations.a'] }),
    result('set', { finalizers: [], fields: ['aggregationRule'] }),
    result('held', { finalizers: ['example.com/hold'], fields: [] }),
  ]);
  expect(note).toMatch(/ held .* set .* labelled .* annotated /);
});

test('a maker cannot make the sentence long', () => {
  const many = Array.from({ length: 1000 }, (_, at) => `${at}${'x'.repeat(1000)}`);
  const note =
    describeTakenOver(many.map((name) => result(name.slice(0, 250), { finalizers: many, fields: many }))) ?? '';
  expect(note.length).toBeLessThan(10_000);
});
