/** docs/compatibility.md is about the corpus that lies beside the checkout: each package, from and to its versions. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { ROOT } from '../lib/manager.ts';
import { hasFound, hasShared } from '../lib/shared.ts';
import { loadPackages, SOURCES } from './packages.ts';
import { PAGE, parsePage } from './page.ts';
import { planTrials, TRIALS } from './plan.ts';
import { meantBy } from './table.ts';

describe.skipIf(!hasShared || !hasFound)(PAGE, () => {
  const rows = parsePage(readFileSync(join(ROOT, PAGE), 'utf8'));

  test.each(SOURCES)('has the packages of %s, with the versions from which and to which they are tried', (source) => {
    const packages = loadPackages(source);
    const planned = packages.map((one) => {
      const trials = planTrials(one);
      const versions = TRIALS.map((kind) =>
        trials
          .filter((trial) => trial.kind === kind)
          .flatMap(meantBy)
          .join(' … '),
      );
      return [one.name, ...versions];
    });
    const shown = rows
      .filter((row) => row.source === source)
      .map((row) => [row.name, ...TRIALS.map((kind) => endsOf(row[kind].versions))]);
    expect(shown).toEqual(planned);
  });
});

function endsOf(versions: readonly string[]): string {
  return [...new Set([versions.at(0), versions.at(-1)])].filter((one) => one !== undefined).join(' … ');
}
