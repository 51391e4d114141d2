/**
 * The formats of texts and numbers that an API server checks, and the values that it accepts; other formats are
 * documentation. If Go's parser is not reproduced exactly, the check here is the stricter one.
 * @see https://github.com/kubernetes/apiextensions-apiserver/blob/master/pkg/apiserver/validation/formats.go
 */
import { isIPv4, isIPv6 } from 'node:net';
import { matchesPattern } from './patterns.ts';
import { readText } from './steps.ts';

const HEX = '[0-9a-fA-F]';
const UUID = (third: string, fourth: string): RegExp =>
  new RegExp(`^${HEX}{8}-?${HEX}{4}-?${third}-?${fourth}-?${HEX}{12}$`);
const ANY = `${HEX}{4}`;
const VARIANT = `[89abAB]${HEX}{3}`;
const BYTE = '(0|[1-9]\\d?|1\\d\\d|2[0-4]\\d|25[0-5])';
const SHORT_NAME = /^[a-z0-9]([-a-z0-9]*[a-z0-9])?$/;

/** By name without dashes, as the API server compares them. */
const TEXTS: ReadonlyMap<string, (text: string) => boolean> = new Map<string, (text: string) => boolean>([
  ['bsonobjectid', matching(/^[0-9a-fA-F]{24}$/)],
  ['byte', matching(/^(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=|[A-Za-z0-9+/]{4})$/)],
  ['cidr', isCidr],
  ['creditcard', () => false],
  ['date', isDate],
  ['datetime', isDateTime],
  ['duration', matching(/^[+-]?(0|((\d+(\.\d*)?|\.\d+)(ns|us|\u00b5s|\u03bcs|ms|s|m|h))+)$/)],
  ['email', matching(/^[A-Za-z0-9_+-]+(\.[A-Za-z0-9_+-]+)*@[A-Za-z0-9-]+(\.[A-Za-z0-9-]+)*$/)],
  ['hexcolor', matching(/^#?([0-9a-fA-F]{3}|[0-9a-fA-F]{6})$/)],
  ['hostname', isHostname],
  ['ipv4', isIPv4],
  ['ipv6', isIPv6],
  ['isbn', () => false],
  ['isbn10', () => false],
  ['isbn13', () => false],
  ['k8slongname', (text) => text.length <= 253 && text.split('.').every((part) => SHORT_NAME.test(part))],
  ['k8sshortname', (text) => text.length <= 63 && SHORT_NAME.test(text)],
  ['mac', matching(/^[0-9a-fA-F]{2}([:-][0-9a-fA-F]{2}){5}$/)],
  ['password', () => true],
  ['rgbcolor', matching(new RegExp(`^rgb\\(\\s*${BYTE}\\s*,\\s*${BYTE}\\s*,\\s*${BYTE}\\s*\\)$`))],
  ['ssn', matching(/^\d{3}[- ]?\d{2}[- ]?\d{4}$/)],
  [
    'uri',
    matching(
      /^(\/|[a-zA-Z][a-zA-Z0-9+.-]*:(\/\/[A-Za-z0-9.-]+(:\d{1,5})?(?=[/?]|$)|(?=[A-Za-z0-9])))[\w./?&=~+,;:@!$*'()-]*$/,
    ),
  ],
  ['uuid', matching(UUID(ANY, ANY))],
  ['uuid3', matching(UUID(`3${HEX}{3}`, ANY))],
  ['uuid4', matching(UUID(`4${HEX}{3}`, VARIANT))],
  ['uuid5', matching(UUID(`5${HEX}{3}`, VARIANT))],
]);

/** The canonical name of the format if the API server checks it on values of the type; else ''. */
export function checkedFormat(format: string, type: string): string {
  if (type === 'integer') return format === 'int32' || format === 'int64' ? format : '';
  if (type === 'number') return format === 'float' || format === 'double' ? format : '';
  if (type !== '' && type !== 'string') return '';
  readText(format.length);
  const name = format.replaceAll('-', '');
  return TEXTS.has(name) ? name : '';
}

/** Whether a text matches a checked format. */
export function hasFormat(text: string, format: string): boolean {
  readText(text.length);
  return TEXTS.get(format)?.(text) ?? true;
}

const LEAST_INT32 = -(2n ** 31n);
const LEAST_INT64 = -(2n ** 63n);

/** Whether a number is within the range of its type and format; integers have 64 bits by default. */
export function isInRange(value: number | bigint, type: string, format: string): boolean {
  if (type === 'integer') {
    if (typeof value === 'number' && !Number.isInteger(value)) return true;
    const least = format === 'int32' ? LEAST_INT32 : LEAST_INT64;
    return BigInt(value) >= least && BigInt(value) < -least;
  }
  return type !== 'number' || format !== 'float' || Number.isFinite(Math.fround(Number(value)));
}

function matching(expression: RegExp): (text: string) => boolean {
  return (text) => expression.test(text);
}

function isCidr(text: string): boolean {
  const [address = '', bits = '', ...rest] = text.split('/');
  if (rest.length > 0 || !/^\d{1,3}$/.test(bits)) return false;
  return isIPv4(address) ? Number(bits) <= 32 : isIPv6(address) && Number(bits) <= 128;
}

function isDate(text: string): boolean {
  const match = /^(\d{4})-(\d{2})-(\d{2})$/.exec(text);
  if (match === null) return false;
  const time = new Date(`${text}T00:00:00Z`);
  return !Number.isNaN(time.getTime()) && time.toISOString().startsWith(text);
}

function isDateTime(text: string): boolean {
  const [date = '', time = '', ...rest] = text.toLowerCase().split('t');
  if (rest.length > 0 || !isDate(date)) return false;
  const match = /^(\d{2}):(\d{2}):(\d{2})(\.\d+)?(z|[+-]\d{2}:\d{2})$/.exec(time);
  return match !== null && Number(match[1]) < 24 && Number(match[2]) < 60 && Number(match[3]) < 60;
}

/** As in Go: in a name of one part, a dash is allowed only directly after the first letter. */
const HOSTNAME =
  '^([a-zA-Z0-9\\p{S}\\p{L}]((-?[a-zA-Z0-9\\p{S}\\p{L}]{0,62})?)|' +
  '([a-zA-Z0-9\\p{S}\\p{L}](([a-zA-Z0-9-\\p{S}\\p{L}]{0,61}[a-zA-Z0-9\\p{S}\\p{L}])?)(\\.)){1,}([a-zA-Z\\p{L}]){2,63})$';

function isHostname(text: string): boolean {
  const isShort = Buffer.byteLength(text) <= 255 && text.split('.').every((part) => Buffer.byteLength(part) <= 63);
  return isShort && matchesPattern(HOSTNAME, text) === true;
}
