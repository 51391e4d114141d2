/** Finds the parts of two schemas that are equal, so that no rule has to compare them. Pure. */
import { isRecord } from '../../api/untyped.ts';

/** Deeper parts count as different: a schema with as many levels is refused. */
const MOST_LEVELS = 1024;

/**
 * Whether a part of the first value, an object or a list, and one of the second were found equal, with all that is below
 * them. It may deny that of equal parts, and never asserts it of others.
 */
export type AreEqual = (one: object, other: object) => boolean;

/** Compares all parts of two values that are at the same place, in one pass. */
export function findEqualParts(first: unknown, second: unknown): AreEqual {
  const equals = new Map<object, object>();
  compareParts(first, second, equals);
  return (one, other) => equals.get(one) === other;
}

function compareParts(one: unknown, other: unknown, equals: Map<object, object>, level = 0): boolean {
  if (level > MOST_LEVELS) return false;
  if (Array.isArray(one)) return Array.isArray(other) && compareLists(one, other, equals, level);
  if (!isRecord(one) || !isRecord(other)) return one === other;
  const keys = Object.keys(one);
  let isEqual = keys.length === Object.keys(other).length;
  // To the end, whatever is found: further parts below may be equal.
  for (const key of keys) {
    const isSame = Object.hasOwn(other, key) && compareParts(one[key], other[key], equals, level + 1);
    isEqual &&= isSame;
  }
  if (isEqual) equals.set(one, other);
  return isEqual;
}

function compareLists(
  one: readonly unknown[],
  other: readonly unknown[],
  equals: Map<object, object>,
  level: number,
): boolean {
  if (one.length !== other.length) return false;
  let isEqual = true;
  for (const [index, item] of one.entries()) {
    const isSame = compareParts(item, other[index], equals, level + 1);
    isEqual &&= isSame;
  }
  if (isEqual) equals.set(one, other);
  return isEqual;
}
