/** Compares two states of a cluster, content by content. Pure. */
import type { Fields } from '../../api/untyped.ts';
import type { State } from './state.ts';

/** One line for each field that differs: its object, its path, and both values; none if the contents are equal. */
export function differences(expected: State, state: State): readonly string[] {
  const names = new Set([...expected.contents.keys(), ...state.contents.keys()]);
  return [...names].flatMap((name) => {
    const [wanted, found] = [expected, state].map(({ contents }) => contents.get(name));
    return leavesThatDiffer(wanted, found, name);
  });
}

/** The objects of both states that are not the same object any more: their uids differ. */
export function replaced(before: State, after: State): readonly string[] {
  return [...after.uids].filter(([name, uid]) => (before.uids.get(name) ?? uid) !== uid).map(([name]) => name);
}

function leavesThatDiffer(wanted: unknown, found: unknown, path: string): readonly string[] {
  if (typeof wanted === 'object' && typeof found === 'object' && wanted !== null && found !== null) {
    const keys = new Set([...Object.keys(wanted), ...Object.keys(found)]);
    return [...keys].flatMap((key) =>
      leavesThatDiffer((wanted as Fields)[key], (found as Fields)[key], `${path} ${key}`),
    );
  }
  if (wanted === found) return [];
  const [before, after] = [wanted, found].map((value) => JSON.stringify(value)?.slice(0, 200) ?? 'nothing');
  return [`${path}: ${after} in place of ${before}`];
}
