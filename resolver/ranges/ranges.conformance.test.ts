import { describe, expect, test } from 'vitest';
import { hasShared, sharedRows } from '../../e2e/lib/shared.ts';
import { parseVersion } from '../version.ts';
import { parseBlangRange } from './blang.ts';
import { parseMastermindsRange } from './masterminds.ts';

interface Row {
  readonly lib: 'blang' | 'masterminds';
  readonly range: string;
  readonly version: string;
  readonly result: boolean | 'range-error' | 'version-error' | 'panic';
}

const parsers = { blang: parseBlangRange, masterminds: parseMastermindsRange };

describe.skipIf(!hasShared)('ranges have the same meaning as in the Go libraries', () => {
  const rows = hasShared ? sharedRows<Row>('conformance', 'reference', 'ranges.jsonl.xz') : [];

  test.each(['blang', 'masterminds'] as const)('%s: every row of the reference table is equal', (lib) => {
    const own = rows.filter((row) => row.lib === lib);
    const different = own.filter((row) => answer(row) !== expected(row));
    process.stdout.write(`ranges, ${lib}: ${own.length - different.length} of ${own.length} rows equal\n`);
    expect(own.length).toBe(lib === 'blang' ? 8288 : 9429);
    expect(different).toEqual([]);
  });
});

function answer({ lib, range, version }: Row): Row['result'] {
  const parsedRange = parsers[lib](range);
  if (!parsedRange.ok) return 'range-error';
  const parsedVersion = parseVersion(version);
  return parsedVersion.ok ? parsedRange.value.includes(parsedVersion.value) : 'version-error';
}

/** Slipway refuses a range if the library would crash on it. */
function expected({ result }: Row): Row['result'] {
  return result === 'panic' ? 'range-error' : result;
}
