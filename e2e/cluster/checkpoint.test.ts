import { describe, expect, test } from 'vitest';
import { changesBack } from './checkpoint.ts';

const key = (name: string): string => `/registry/${name}`;
const nameOf = (changed: string): string => changed.slice('/registry/'.length);

/** The changes from a state, name → revision, to the one before, as `-name` for removed and `+name` for put back. */
function back(before: Readonly<Record<string, string>>, now: Readonly<Record<string, string>>): readonly string[] {
  const entries = Object.entries(before).map(([name, revision]) => ({ key: key(name), value: `of ${name}`, revision }));
  const changes = changesBack(
    new Map(entries.map((entry) => [entry.key, entry])),
    new Map(Object.entries(now).map(([name, revision]) => [key(name), revision])),
  );
  for (const { key: changed, value } of changes) {
    if (value !== undefined) expect(value).toBe(`of ${nameOf(changed)}`);
  }
  return changes.map(({ key: changed, value }) => `${value === undefined ? '-' : '+'}${nameOf(changed)}`);
}

describe('back to the state before', () => {
  test.each([
    { because: 'nothing has changed', before: { a: '1' }, now: { a: '1' }, changes: [] },
    { because: 'an object was made', before: {}, now: { a: '1' }, changes: ['-a'] },
    { because: 'an object was deleted', before: { a: '1' }, now: {}, changes: ['+a'] },
    { because: 'an object was changed', before: { a: '1' }, now: { a: '2' }, changes: ['+a'] },
    { because: 'a lease is renewed', before: { 'leases/n/a': '1' }, now: { 'leases/n/a': '2' }, changes: [] },
    { because: 'a lease was deleted', before: { 'leases/n/a': '1' }, now: {}, changes: ['+leases/n/a'] },
    { because: 'a lease was made', before: {}, now: { 'leases/n/b': '1' }, changes: ['-leases/n/b'] },
    {
      because: 'owners go before the objects that are made for them',
      before: {},
      now: { 'a/x': '1', 'pods/n/a': '1', 'replicasets/n/a': '1', 'deployments/n/a': '1', 'namespaces/n': '1' },
      changes: ['-namespaces/n', '-deployments/n/a', '-replicasets/n/a', '-pods/n/a', '-a/x'],
    },
  ])('$because', ({ before, now, changes }) => {
    expect(back(before, now)).toEqual(changes);
  });
});
