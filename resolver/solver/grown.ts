/** Room for more numbers: arrays of numbers that grow by doubling. */

/** The same numbers with room for `length` of them; the array itself if it already has the room. */
export function grown<T extends Int8Array | Int32Array | Float64Array>(array: T, length: number): T {
  if (length <= array.length) return array;
  const larger = new (array.constructor as new (length: number) => T)(Math.max(length, 2 * array.length));
  larger.set(array);
  return larger;
}
