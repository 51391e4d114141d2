/**
 * Sends every bundle of the corpus through `bundle init`, and prints how many objects come out as they went in:
 *
 *     node e2e/authoring/main.ts [--only k8gb,kong] [--heads]
 *
 * `--heads` takes the last version of each package only. Less than 95 % is a failure.
 */
import { parseArgs } from 'node:util';
import { ReasonedError } from '../../api/errors.ts';
import { readBundle, bundleFolders } from '../../bundles/testing/real-bundles.ts';
import { devSet, hasShared } from '../lib/shared.ts';
import { roundTrip } from './round-trip.ts';

const { values } = parseArgs({
  options: { only: { type: 'string' }, heads: { type: 'boolean' } },
});

/** Share of the objects that must be the same. */
const LEAST = 0.95;

if (hasShared) run();
else process.stdout.write('There is no corpus beside the checkout: nothing is compared\n');

function run(): void {
  const only = values.only?.split(',');
  const totals = { bundles: 0, objects: 0, same: 0, refused: 0 };
  const folders = bundleFolders(devSet()).filter((folder) => only?.includes(folder.split('/').at(-2) ?? '') ?? true);
  for (const folder of values.heads === true ? headsOf(folders) : folders) {
    const name = folder.split('/').slice(-2).join('/');
    try {
      const { objects, same, differences } = roundTrip(readBundle(folder));
      totals.bundles += 1;
      totals.objects += objects;
      totals.same += same;
      if (differences.length > 0) process.stdout.write(`${name}: ${same} of ${objects}\n`);
      for (const difference of differences) process.stdout.write(`  ${difference}\n`);
    } catch (error) {
      if (!(error instanceof ReasonedError)) throw error;
      totals.refused += 1;
      process.stdout.write(`${name}: refused, ${error.reason}: ${error.message}\n`);
    }
  }
  const { bundles, objects, same, refused } = totals;
  if (same < objects * LEAST) process.exitCode = 1;
  const share = ((100 * same) / objects).toFixed(2);
  process.stdout.write(
    `${same} of ${objects} objects of ${bundles} bundles are the same (${share} %); ${refused} bundles are refused\n`,
  );
}

/** The last folder of each package. */
function headsOf(folders: readonly string[]): readonly string[] {
  return [...Map.groupBy(folders, (folder) => folder.split('/').at(-2)).values()].map((some) => some.at(-1)!);
}
