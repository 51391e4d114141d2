/**
 * Counts the characters of data as JSON would write them, each value as often as it is used, and stops at a bound: data
 * may share a value a thousand times in memory, until a JSON text writes it out. Pure.
 */

/** The room that is left to some values together. */
export interface Room {
  left: number;
  readonly most: number;
}

export function makeRoom(most: number): Room {
  return { left: most, most };
}

/**
 * Takes the room of a value: one for each list, map and scalar, and one for each character of keys and texts. Returns
 * the exceeded bound, if any; the work is bounded by the room.
 */
export function takeRoom(value: unknown, room: Room, maxDepth: number): 'size' | 'depth' | undefined {
  const open: { readonly value: unknown; readonly depth: number }[] = [{ value, depth: 0 }];
  for (let next = open.pop(); next !== undefined; next = open.pop()) {
    room.left -= 1 + (typeof next.value === 'string' ? next.value.length : 0);
    if (room.left < open.length) return 'size';
    if (next.value === null || typeof next.value !== 'object') continue;
    if (next.depth >= maxDepth) return 'depth';
    for (const [key, child] of childrenOf(next.value)) {
      room.left -= key.length;
      open.push({ value: child, depth: next.depth + 1 });
    }
  }
  return undefined;
}

function* childrenOf(value: object): Iterable<readonly [string, unknown]> {
  if (!Array.isArray(value)) yield* Object.entries(value);
  else for (const item of value as unknown[]) yield ['', item];
}
