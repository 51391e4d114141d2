/**
 * Interprets scalars as the Kubernetes tools do: YAML 1.1 words for booleans, Go's forms of integers, no sexagesimals,
 * timestamps as strings. @see https://pkg.go.dev/sigs.k8s.io/yaml
 */
import { YamlError } from './error.ts';

export type Scalar = null | boolean | number | bigint | string;

const PREFIX = 'tag:yaml.org,2002:';
const INTEGER = /^[-+]?(?:0[xX][0-9a-fA-F]+|0[bB][01]+|0[oO]?[0-7]+|0|[1-9][0-9]*)$/;
const FLOAT = /^[-+]?(?:\.[0-9]+|[0-9]+(?:\.[0-9]*)?)(?:[eE][-+]?[0-9]+)?$/;
const MAX_UINT64 = (1n << 64n) - 1n;
const MIN_INT64 = -(1n << 63n);

const WORDS = new Map<string, Scalar>([
  ...['', '~', 'null', 'Null', 'NULL'].map((word) => [word, null] as const),
  ...['y', 'Y', 'yes', 'Yes', 'YES', 'true', 'True', 'TRUE', 'on', 'On', 'ON'].map((word) => [word, true] as const),
  ...['n', 'N', 'no', 'No', 'NO', 'false', 'False', 'FALSE', 'off', 'Off', 'OFF'].map((w) => [w, false] as const),
  ...['.nan', '.NaN', '.NAN'].map((word) => [word, NaN] as const),
  ...['.inf', '.Inf', '.INF', '+.inf', '+.Inf', '+.INF'].map((word) => [word, Infinity] as const),
  ...['-.inf', '-.Inf', '-.INF'].map((word) => [word, -Infinity] as const),
]);

/** The value of a plain scalar without tag. @throws YamlError for infinity and NaN, which JSON does not have. */
export function resolvePlain(text: string): Scalar {
  const first = text.charCodeAt(0);
  if (WORD_START[first] === 1 || text === '') {
    const word = WORDS.get(text);
    if (word !== undefined) return finite(word, text);
  }
  return NUMBER_START[first] === 1 ? resolveNumber(text) : text;
}

/** Whether a plain scalar without tag is a text, and nothing that JSON cannot express. */
export function isText(text: string): boolean {
  const first = text.charCodeAt(0);
  if (text === '' || (WORD_START[first] === 1 && WORDS.has(text))) return false;
  return NUMBER_START[first] !== 1 || typeof resolveNumber(text) === 'string';
}

const WORD_START = flags('~nNyYtToOfF.+-');
const NUMBER_START = flags('0123456789.+-');

function flags(characters: string): Uint8Array {
  const table = new Uint8Array(0x10000);
  for (const character of characters) table[character.charCodeAt(0)] = 1;
  return table;
}

function finite(value: Scalar, text: string): Scalar {
  if (typeof value !== 'number' || Number.isFinite(value)) return value;
  throw new YamlError({ kind: 'syntax', what: `has the value ${text}, which JSON cannot express` });
}

/** The value of a scalar with an explicit tag; unknown tags give strings. */
export function resolveTagged(text: string, tag: string): Scalar {
  switch (tag) {
    case `${PREFIX}int`:
    case `${PREFIX}bool`:
    case `${PREFIX}null`:
    case `${PREFIX}float`:
      return checkTagged(resolvePlain(text), text, tag.slice(PREFIX.length));
    case `${PREFIX}binary`:
      return decodeBinary(text);
    default:
      return text;
  }
}

function resolveNumber(text: string): Scalar {
  if (text.length > 400) return text;
  const digits = text.includes('_') && !text.startsWith('.') ? text.replaceAll('_', '') : text;
  if (INTEGER.test(digits)) {
    const integer = parseInteger(digits);
    if (integer !== undefined) return integer;
  }
  const number = FLOAT.test(digits) ? Number(digits) : NaN;
  return Number.isFinite(number) ? number : text;
}

/** Undefined if Go's 64 bits do not suffice: Go then reads a float. */
function parseInteger(text: string): number | bigint | undefined {
  const negative = text.startsWith('-');
  const digits = text.replace(/^[-+]/, '');
  const magnitude = BigInt(/^0[0-7]/.test(digits) ? `0o${digits.slice(1)}` : digits.toLowerCase());
  const value = negative ? -magnitude : magnitude;
  if (value > MAX_UINT64 || value < MIN_INT64) return undefined;
  const number = Number(value);
  return Number.isSafeInteger(number) ? number : value;
}

function checkTagged(value: Scalar, text: string, tag: string): Scalar {
  const type =
    value === null ? 'null' : typeof value === 'boolean' ? 'bool' : typeof value === 'string' ? 'str' : 'int';
  if (type === tag || (type === 'int' && tag === 'float')) return value;
  throw new YamlError({
    kind: 'syntax',
    what: `has the tag !!${tag} on the value ${JSON.stringify(text.slice(0, 60))}`,
  });
}

function decodeBinary(text: string): string {
  const compact = text.replaceAll(/\s/g, '');
  if (!/^[A-Za-z0-9+/]*={0,2}$/.test(compact)) {
    throw new YamlError({ kind: 'syntax', what: 'has the tag !!binary on something that is not base64' });
  }
  return Buffer.from(compact, 'base64').toString('utf8');
}
