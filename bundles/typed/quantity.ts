/**
 * Canonical form of resource quantities as Kubernetes writes them back: `0.5` is `500m`, `1024Mi` is `1Gi`; what is
 * canonical enough stays as written. @see https://kubernetes.io/docs/reference/kubernetes-api/common-definitions/quantity/
 */
const QUANTITY = /^([-+]?)0*(\d*)(?:\.(\d*))?([numkMGTPE]|[KMGTPE]i|[eE][-+]?\d{1,3})?$/;
const DECIMAL = ['n', 'u', 'm', '', 'k', 'M', 'G', 'T', 'P', 'E'];
const BINARY = ['', 'Ki', 'Mi', 'Gi', 'Ti', 'Pi', 'Ei'];
const MAX = (1n << 63n) - 1n;

type Format = 'decimal' | 'exponent' | 'binary';

interface ParsedQuantity {
  readonly text: string;
  readonly negative: boolean;
  readonly whole: string;
  readonly fraction: string;
  readonly format: Format;
  /** Power of ten, or of two for the binary format. */
  readonly exponent: number;
}

/** The canonical form, or undefined if the text is no quantity. A suffix without digits is 0, as for Kubernetes. */
export function canonicalQuantity(text: string): string | undefined {
  const parsed = text.length > 64 ? undefined : parseQuantity(text);
  if (parsed === undefined) return undefined;
  return isKept(parsed) ? text : writeQuantity(parsed);
}

function parseQuantity(text: string): ParsedQuantity | undefined {
  const match = QUANTITY.exec(text);
  if (match === null || text === '') return undefined;
  const [, sign, whole = '', fraction = '', suffix = ''] = match;
  return {
    text,
    negative: sign === '-',
    whole: whole === '' ? '0' : whole,
    fraction,
    ...readSuffix(suffix),
  };
}

function readSuffix(suffix: string): { readonly format: Format; readonly exponent: number } {
  if (suffix.endsWith('i')) return { format: 'binary', exponent: 10 * BINARY.indexOf(suffix) };
  if (suffix.length > 1) return { format: 'exponent', exponent: Number(suffix.slice(1)) };
  return { format: 'decimal', exponent: 3 * (DECIMAL.indexOf(suffix) - 3) };
}

/** Kubernetes keeps the text of a number if a quick check shows that it is canonical. */
function isKept({ whole, fraction, format, exponent }: ParsedQuantity): boolean {
  const digits = `${whole}${fraction}`;
  if (format === 'binary') {
    const precision = 15 - whole.length - Math.trunc((exponent * 3) / 10) - 1;
    return fraction === '' && precision >= 0 && exponent % 10 === 0 && BigInt(whole) % 8n !== 0n;
  }
  const scale = exponent - fraction.length;
  const fits = digits.length <= 18 && scale >= -9;
  return fits && scale % 3 === 0 && !digits.endsWith('000') && !digits.startsWith('0');
}

function writeQuantity({ negative, whole, fraction, format, exponent }: ParsedQuantity): string {
  const digits = BigInt(`${whole}${fraction}`);
  if (digits === 0n) return '0';
  const sign = negative ? '-' : '';
  const scaled = format === 'binary' ? digits << BigInt(exponent) : digits;
  const scale = format === 'binary' ? -fraction.length : exponent - fraction.length;
  const { amount, power } = roundUp(scaled, scale);
  if (format === 'binary' && isOver(amount, power)) return `${sign}${MAX}`;
  if (format === 'binary' && power >= 0) {
    const value = amount * 10n ** BigInt(power);
    if (value >= 1024n) return `${sign}${writeBinary(value)}`;
  }
  return `${sign}${writeDecimal(amount, power, format === 'exponent')}`;
}

/** The smallest unit is a nano; smaller values are rounded away from zero. Trailing zeros move to the power. */
function roundUp(digits: bigint, scale: number): { readonly amount: bigint; readonly power: number } {
  let amount = digits;
  let power = scale;
  if (power < -9) {
    const divisor = 10n ** BigInt(-9 - power);
    amount = (amount + divisor - 1n) / divisor;
    power = -9;
  }
  while (amount % 10n === 0n) {
    amount /= 10n;
    power += 1;
  }
  return { amount, power };
}

function isOver(amount: bigint, power: number): boolean {
  return power >= 0 ? amount * 10n ** BigInt(power) > MAX : amount > MAX * 10n ** BigInt(-power);
}

function writeBinary(value: bigint): string {
  let amount = value;
  let step = 0;
  while (amount % 1024n === 0n && step < BINARY.length - 1) {
    amount /= 1024n;
    step += 1;
  }
  return `${amount}${BINARY[step] ?? ''}`;
}

function writeDecimal(amount: bigint, power: number, asExponent: boolean): string {
  const step = Math.floor(power / 3);
  const bounded = asExponent ? step : Math.min(step, 6);
  const number = amount * 10n ** BigInt(power - 3 * bounded);
  if (asExponent) return bounded === 0 ? `${number}` : `${number}e${3 * bounded}`;
  return `${number}${DECIMAL[bounded + 3] ?? ''}`;
}
