/**
 * Bounds the growth of a YAML file by its aliases and merge keys. An alias costs a few bytes and shares its value in
 * memory, but every JSON text writes the value out: a file of 1 MB could become hundreds of megabytes.
 */
import { EVENT_ID, type Event } from 'js-yaml';
import { makeRoom, takeRoom, type Room } from '../room.ts';
import { YamlError } from './error.ts';
import { tooDeep, type YamlLimits } from './limits.ts';

/**
 * The limit of a file with its aliases written out, as a multiple of its own length. Of 15,957 published files 28 have
 * aliases, and the largest expansion is 1.007 times the text: a CRD of 116 kB (clickhouse 0.27.0).
 */
const MOST_GROWTH = 4;

/** Any file may hold this much, however short it is: the 1,000 files of a bundle as much as its bytes may be. */
const ALWAYS_ALLOWED = 1 << 15;

/** A merged key takes the room of so many characters: it takes the time, also if it replaces an equal one. */
const MERGED_KEY = 16;

/** Room for a file of this length: its documents share it, as there may be many. */
export function roomFor(length: number): Room {
  const most = Math.max(ALWAYS_ALLOWED, MOST_GROWTH * length);
  return makeRoom(most);
}

/** Whether a document has aliases; one without cannot grow. */
export function hasAliases(events: readonly Event[]): boolean {
  return events.some(({ type }) => type === EVENT_ID.ALIAS);
}

/**
 * Takes the room of a document with all aliases written out. Aliases within anchored values also deepen a document, so
 * the depth counts too.
 *
 * @throws YamlError of the kind `limit` as soon as the room is used up.
 */
export function checkGrowth(value: unknown, room: Room, { maxDepth }: Pick<YamlLimits, 'maxDepth'>): void {
  const exceeded = takeRoom(value, room, maxDepth);
  if (exceeded === 'depth') throw tooDeep();
  if (exceeded === 'size') throw grownTooMuch(room);
}

/** Takes the room of a map that is merged into another, before it is. @throws YamlError of the kind `limit`. */
export function checkMerge(keys: number, room: Room): void {
  room.left -= MERGED_KEY * (1 + keys);
  if (room.left < 0) throw grownTooMuch(room);
}

function grownTooMuch({ most }: Room): YamlError {
  const what = `repeats values by aliases until it has more than ${most} characters`;
  return new YamlError({ kind: 'limit', what });
}
