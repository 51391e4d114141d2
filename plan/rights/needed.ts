/** Finds the lists of atoms that no others cover. Pure; its effort grows with the number of atoms. */
import { AtomSet, type Atom } from './atom.ts';

/**
 * Whether each list is needed: the others do not cover it. The shortest are dropped first, so that the wider ones stay.
 *
 * A list that is dropped takes nothing away from the whole, as the others cover it. So all lists together answer once
 * whether there is a wider atom; only of equal atoms it must be known how many lists still have them.
 */
export function findNeeded(lists: readonly (readonly Atom[])[]): readonly boolean[] {
  const all = new AtomSet(lists.flat());
  const own = lists.map((list) => new Set(list.map((atom) => all.find(atom) ?? atom)));
  const holders = new Map<Atom, number>();
  for (const atom of own.flatMap((atoms) => [...atoms])) holders.set(atom, (holders.get(atom) ?? 0) + 1);
  const needed = lists.map(() => true);
  const shortFirst = [...lists.keys()].toSorted((a, b) => (lists[a]?.length ?? 0) - (lists[b]?.length ?? 0));
  for (const at of shortFirst) {
    const atoms = [...(own[at] ?? [])];
    if (!atoms.every((atom) => (holders.get(atom) ?? 0) > 1 || all.coversByAnother(atom))) continue;
    needed[at] = false;
    for (const atom of atoms) holders.set(atom, (holders.get(atom) ?? 0) - 1);
  }
  return needed;
}
