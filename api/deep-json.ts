/**
 * Writes JSON of any depth: the API server lets objects nest 10,000 levels deep, and `JSON.stringify` calls itself for each of
 * them until the stack ends. Slower; json.ts calls it for such values only. Pure.
 */

/** Writes a value that is neither list nor object; undefined for one that JSON does not have. */
export type WriteScalar = (value: unknown) => string | undefined;

interface OpenValue {
  readonly close: string;
  /** The values that are left, each with the text before it. */
  readonly rest: Iterator<readonly [string, unknown]>;
  isFirst: boolean;
}

/** Compact JSON; the keys of objects in the order that `keysOf` gives. */
export function writeDeepJson(
  value: unknown,
  keysOf: (value: object) => readonly string[],
  scalar: WriteScalar,
): string {
  let text = '';
  const open: OpenValue[] = [];
  const write = (one: unknown): void => {
    const opened = openingOf(one, keysOf);
    text += opened === undefined ? (scalar(one) ?? 'null') : opened.open;
    if (opened !== undefined) open.push({ ...opened, isFirst: true });
  };
  write(value);
  for (let last = open.at(-1); last !== undefined; last = open.at(-1)) {
    const next = last.rest.next();
    if (next.done === true) {
      text += last.close;
      open.pop();
      continue;
    }
    text += `${last.isFirst ? '' : ','}${next.value[0]}`;
    last.isFirst = false;
    write(next.value[1]);
  }
  return text;
}

function openingOf(
  value: unknown,
  keysOf: (value: object) => readonly string[],
): (Pick<OpenValue, 'close' | 'rest'> & { readonly open: string }) | undefined {
  if (typeof value !== 'object' || value === null) return undefined;
  if (Array.isArray(value)) return { open: '[', close: ']', rest: itemsOf(value) };
  return { open: '{', close: '}', rest: fieldsOf(value as Readonly<Record<string, unknown>>, keysOf(value)) };
}

function* itemsOf(list: readonly unknown[]): Generator<readonly [string, unknown]> {
  for (const item of list) yield ['', item];
}

function* fieldsOf(
  object: Readonly<Record<string, unknown>>,
  keys: readonly string[],
): Generator<readonly [string, unknown]> {
  for (const key of keys) if (object[key] !== undefined) yield [`${JSON.stringify(key)}:`, object[key]];
}
