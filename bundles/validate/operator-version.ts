import { isRecord } from '../../api/untyped.ts';
import type { Bundle } from '../bundle.ts';
import { inCsv, type Check } from './check.ts';

/** The version of the operator can be read: no reader of the CSV that knows its types takes another. */
export const operatorVersion: Check = {
  name: 'operator-version',
  suite: 'install',
  *run(bundle) {
    const version = givenVersion(bundle);
    if (version === undefined || isTolerable(version)) return;
    const message = `"${version.slice(0, 100)}" is not a semantic version`;
    const advice = 'Write it as MAJOR.MINOR.PATCH, or leave it out';
    yield { level: 'error', ...inCsv(bundle, 'spec.version'), message, advice };
  },
};

/** An empty text is no version either, but means nothing in the other fields of the CSV, and is left out of them. */
function givenVersion({ csv: { spec, manifest } }: Bundle): string | undefined {
  const written = manifest.object['spec'];
  return spec.version ?? (isRecord(written) && written['version'] === '' ? '' : undefined);
}

/**
 * Whether blang's ParseTolerant, with which the field is read, takes it: spaces around it, a `v` before it, leading
 * zeros, and parts that are missing, unless something follows the number.
 */
function isTolerable(text: string): boolean {
  if (text.length > MAX_LENGTH) return false;
  const [major = '', minor, ...rest] = text.trim().replace(/^v/, '').split('.');
  const parts = [major, ...(minor === undefined ? [] : [minor]), ...(rest.length === 0 ? [] : [rest.join('.')])];
  if (parts.length < 3 && /[+-]/.test(parts.at(-1)!)) return false;
  const match = SEMVER.exec([...parts, '0', '0'].slice(0, 3).map(withoutZeros).join('.'));
  if (match === null) return false;
  const [, core = '', prerelease = ''] = match;
  const numbers = [...core.split('.'), ...prerelease.split('.').filter((part) => /^\d+$/.test(part))];
  return numbers.every((number) => BigInt(number) <= MAX_UINT64);
}

function withoutZeros(part: string): string {
  if (part.length < 2) return part;
  const trimmed = part.replace(/^0+/, '');
  return /^\d/.test(trimmed) ? trimmed : `0${trimmed}`;
}

const MAX_LENGTH = 1024;
const MAX_UINT64 = 2n ** 64n - 1n;
const NUMBER = '(?:0|[1-9]\\d*)';
const IDENTIFIER = `(?:${NUMBER}|\\d*[A-Za-z-][0-9A-Za-z-]*)`;
const BUILD = '[0-9A-Za-z-]+(?:\\.[0-9A-Za-z-]+)*';
const SEMVER = new RegExp(
  `^(${NUMBER}\\.${NUMBER}\\.${NUMBER})(?:-(${IDENTIFIER}(?:\\.${IDENTIFIER})*))?(?:\\+${BUILD})?$`,
);
