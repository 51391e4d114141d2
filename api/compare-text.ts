/** Orders texts by code unit, wherever the program runs. */
export function compareText(a: string, b: string): number {
  return a === b ? 0 : a < b ? -1 : 1;
}
