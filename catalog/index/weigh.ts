/**
 * Estimates the memory that the excerpt of a document takes once it is read and made into an upgrade graph. Its length
 * says little about that: `{}` has two characters and takes 64 bytes, and an entry of a channel takes hundreds.
 */
import type { Meaning } from '../parse.ts';

/** Bytes of a value or a key beside its characters. With its keys, an entry pays for its place in the graph too. */
const VALUE_BYTES = 64;
/** A text with one emoji takes two bytes for every character. */
const CHARACTER_BYTES = 2;
/** Of a text that becomes a range or a version: `1.x || 2.x` are four comparisons. */
const PARSED_CHARACTER_BYTES = 100;

/** Bytes of memory, rather too many than too few. */
export function weigh(meaning: Meaning): number {
  return weighValue(meaning) + parsedLength(meaning) * PARSED_CHARACTER_BYTES;
}

function parsedLength(meaning: Meaning): number {
  if (meaning.kind === 'bundle') return meaning.bundle.version.length + (meaning.bundle.release?.length ?? 0);
  if (meaning.kind !== 'channel') return 0;
  return meaning.channel.entries.reduce((sum, { skipRange = '' }) => sum + skipRange.length, 0);
}

function weighValue(value: unknown): number {
  if (typeof value === 'bigint') return weighValue(value.toString());
  if (typeof value === 'string') return VALUE_BYTES + value.length * CHARACTER_BYTES;
  if (typeof value !== 'object' || value === null) return VALUE_BYTES;
  if (Array.isArray(value)) return value.reduce<number>((sum, one) => sum + weighValue(one), VALUE_BYTES);
  return Object.entries(value).reduce((sum, [key, one]) => sum + weighValue(key) + weighValue(one), VALUE_BYTES);
}
