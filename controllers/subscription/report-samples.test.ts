import { expect, test } from 'vitest';
import { describeRef, type ObjectRef } from '../../api/object.ts';
import type { Subscription } from '../../api/subscription.ts';
import type { Target } from './action.ts';
import { reportSamples } from './report-samples.ts';

const named = (name: string): ObjectRef => ({ apiVersion: 'example.com/v1', kind: 'Widget', name });

function notesOf(bundle: Parameters<typeof reportSamples>[2]['bundle']): readonly string[] {
  const notes: string[] = [];
  const target = { bundle: { name: 'widget.v1.0.0' } } as unknown as Target;
  reportSamples((_about, { note }) => void notes.push(note), {} as Subscription, { target, bundle });
  return notes;
}

test('each object that is left out has an event', () => {
  const leftOut = ['a', 'b'].map((name) => ({ ref: named(name), message: '"spec" is missing' }));
  expect(notesOf({ leftOut, notJudged: [] })).toHaveLength(2);
});

test('all objects that could not be judged have one event, which names the first of them', () => {
  const notes = notesOf({ leftOut: [], notJudged: ['a', 'b', 'c', 'd', 'e'].map(named) });
  expect(notes).toEqual([expect.stringContaining(`${describeRef(named('c'))} and 2 more`)]);
});

test('a bundle whose objects are all judged has no event', () => {
  expect(notesOf({ leftOut: [], notJudged: [] })).toEqual([]);
});
