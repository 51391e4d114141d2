/**
 * Counts the values and characters of data as JSON would write them, each as often as it is used, and stops at a bound: data
 * may share a value a thousand times in memory, until a JSON text writes it out. Pure.
 */

/** The room that values take besides the characters of their keys and texts. */
export interface Costs {
  /** Of each list, map and scalar; at least 1. */
  readonly value: number;
  /** More of each list and map. */
  readonly container: number;
}

/** The room that is left to some values together. */
export interface Room {
  left: number;
  readonly most: number;
  readonly costs: Costs;
}

export function makeRoom(most: number, costs: Costs = { value: 1, container: 0 }): Room {
  return { left: most, most, costs };
}

/**
 * About the bytes of memory that values take once they are parsed from JSON. Empty maps take twice as many, and maps whose
 * keys no other map has take four times as many.
 */
export const MEMORY_COSTS: Costs = { value: 8, container: 24 };

/** The weight of data in memory, each value as often as it is used. */
export function weigh(value: unknown): number {
  const room = makeRoom(Number.MAX_SAFE_INTEGER, MEMORY_COSTS);
  takeRoom(value, room, Infinity);
  return room.most - room.left;
}

/**
 * Takes the room of a value: its costs, and one for each character of keys and texts. Returns the exceeded bound, if any;
 * the work is bounded by the room.
 */
export function takeRoom(value: unknown, room: Room, maxDepth: number): 'size' | 'depth' | undefined {
  const open: { readonly value: unknown; readonly depth: number }[] = [{ value, depth: 0 }];
  for (let next = open.pop(); next !== undefined; next = open.pop()) {
    room.left -= room.costs.value + (typeof next.value === 'string' ? next.value.length : 0);
    if (room.left < open.length) return 'size';
    if (next.value === null || typeof next.value !== 'object') continue;
    if (next.depth >= maxDepth) return 'depth';
    room.left -= room.costs.container;
    if (!Array.isArray(next.value)) for (const key of Object.keys(next.value)) room.left -= key.length;
    for (const child of Object.values(next.value)) open.push({ value: child, depth: next.depth + 1 });
  }
  return undefined;
}
