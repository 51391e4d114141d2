/** One namespace with many events takes no memory from others, and the newest are kept. */
import { describe, expect, test } from 'vitest';
import type { KubeObject } from '../../api/object.ts';
import { NewestEvents } from './newest-events.ts';

const BOUNDS = { perNamespace: 8, total: 20 };

function event(namespace: string, version: number, name = `e${version}`): KubeObject {
  return {
    apiVersion: 'events.k8s.io/v1',
    kind: 'Event',
    metadata: { namespace, name, resourceVersion: `${version}` },
  };
}

function versionsIn(newest: NewestEvents, namespace: string): readonly number[] {
  return newest.events
    .filter(({ metadata }) => metadata.namespace === namespace)
    .map(({ metadata }) => Number(metadata.resourceVersion))
    .toSorted((one, other) => one - other);
}

/** Puts events with these versions; returns the versions that were given up. */
function put(newest: NewestEvents, namespace: string, versions: readonly number[]): readonly number[] {
  return versions.flatMap((version) =>
    newest.put(event(namespace, version)).map(({ metadata }) => Number(metadata.resourceVersion)),
  );
}

const upTo = (count: number): readonly number[] => Array.from({ length: count }, (_, at) => at + 1);

describe('of one namespace', () => {
  test('as many are kept as may be', () => {
    const newest = new NewestEvents(BOUNDS);
    expect(put(newest, 'ops', upTo(8))).toEqual([]);
    expect({ kept: versionsIn(newest, 'ops'), cut: newest.cut }).toEqual({ kept: upTo(8), cut: [] });
  });

  test.each([
    { order: upTo(9), because: 'the newest comes last' },
    { order: upTo(9).toReversed(), because: 'the newest comes first' },
    { order: [8, 10, 9, 100, 2, 3, 1, 7, 6], because: 'they come in the order of their names' },
  ])('the oldest are given up beyond that, and others come in their place: $because', ({ order }) => {
    const newest = new NewestEvents(BOUNDS);
    const sorted = order.toSorted((one, other) => one - other);
    expect(put(newest, 'ops', order)).toEqual(sorted.slice(0, 3));
    expect({ kept: versionsIn(newest, 'ops'), cut: newest.cut }).toEqual({ kept: sorted.slice(3), cut: ['ops'] });
    expect(put(newest, 'ops', [101, 102])).toEqual([]);
  });

  test('the list is whole again once those that were left out are deleted', () => {
    const newest = new NewestEvents(BOUNDS);
    put(newest, 'ops', upTo(9));
    expect(upTo(3).map((version) => newest.remove(event('ops', version)))).toEqual([false, false, false]);
    expect(newest.cut).toEqual([]);
    expect(newest.remove(event('ops', 9))).toBe(true);
    expect(versionsIn(newest, 'ops')).toEqual([4, 5, 6, 7, 8]);
  });

  test('one that was left out is back when it is recorded again', () => {
    const newest = new NewestEvents(BOUNDS);
    put(newest, 'ops', upTo(9));
    for (const version of upTo(3)) newest.put(event('ops', version + 9, `e${version}`), false);
    expect({ count: versionsIn(newest, 'ops').length, cut: newest.cut }).toEqual({ count: 6, cut: ['ops'] });
  });
});

test('the namespaces with the most events give up theirs when all have too many', () => {
  const newest = new NewestEvents(BOUNDS);
  put(newest, 'small', [1, 2]);
  for (const namespace of ['a', 'b', 'c']) put(newest, namespace, upTo(7));
  expect(versionsIn(newest, 'small')).toEqual([1, 2]);
  expect(newest.events.length).toBeLessThanOrEqual(BOUNDS.total);
  for (const namespace of ['a', 'b', 'c']) expect(versionsIn(newest, namespace).at(-1)).toBe(7);
  expect(newest.cut).not.toContain('small');
});

test('a new list begins with nothing', () => {
  const newest = new NewestEvents(BOUNDS);
  put(newest, 'ops', upTo(9));
  newest.clear();
  expect({ events: newest.events, cut: newest.cut }).toEqual({ events: [], cut: [] });
});
