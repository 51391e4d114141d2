/**
 * A sample of `make compatibility`, some packages by their head or upgrade alone: each package has the outcome that docs/compatibility.md lists, and leaves no
 * object.
 */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, describe, expect, test } from 'vitest';
import { useCluster } from '../lib/cluster.ts';
import { ROOT } from '../lib/manager.ts';
import { hasShared } from '../lib/shared.ts';
import { loadPackages } from './packages.ts';
import { PAGE, parsePage } from './page.ts';
import { planTrials, TRIALS, type Trial } from './plan.ts';
import { runTrials } from './run.ts';
import { NOTHING, rowOf, surprisesIn, type Row } from './table.ts';
import type { Result } from './wave.ts';

interface Sampled {
  readonly name: string;
  readonly trials: readonly Trial['kind'][];
  readonly because: string;
}

const SAMPLE: readonly Sampled[] = [
  { name: 'node-maintenance-operator', trials: TRIALS, because: 'it has a validating webhook' },
  { name: 'netobserv-operator', trials: ['head'], because: 'it converts its custom resources' },
  { name: 'kubernaut-operator', trials: ['upgrade'], because: 'it watches one namespace only' },
  {
    name: 'kuadrant-operator',
    trials: ['head'],
    because: 'it brings three packages along, in versions that are pinned exactly',
  },
  {
    name: 'volume-expander-operator',
    trials: ['head'],
    because: 'it uses a kind of another package without saying so',
  },
  { name: 'telegraf-operator', trials: ['head'], because: 'it intercepts Pods' },
  { name: 'ext-postgres-operator', trials: ['head'], because: 'its CRDs are of v1beta1' },
  { name: 'noobaa-operator', trials: ['upgrade'], because: 'it requires a kind that no package provides' },
];

/** If everything else on the machine is busy, too. */
const timeout = 600_000;

describe.skipIf(!hasShared)('published packages', { timeout }, () => {
  const cluster = useCluster();
  const corpus = hasShared ? loadPackages('dev-set') : [];
  const of = (name: string): (typeof corpus)[number] => corpus.find((one) => one.name === name)!;
  const results: Result[] = [];

  beforeAll(async () => {
    const trials = SAMPLE.flatMap((one) => planTrials(of(one.name)).filter(({ kind }) => one.trials.includes(kind)));
    await runTrials(cluster(), { corpus, trials, report: (some) => results.push(...some) });
  }, timeout);

  test.each(SAMPLE)('$name has the outcome of the page, without an object left: $because', ({ name, trials }) => {
    const own = results.filter(({ trial }) => trial.of.name === name);
    expect(surprisesIn(own)).toEqual([]);
    const pageRow = parsePage(readFileSync(join(ROOT, PAGE), 'utf8')).find((row) => row.name === name);
    expect(rowOf(of(name), own)).toEqual(pageRow && triedOf(pageRow, trials));
  });
});

/** The row without the trials that the sample leaves out. */
function triedOf(row: Row, trials: Sampled['trials']): Row {
  const [head, upgrade] = TRIALS.map((kind) => (trials.includes(kind) ? row[kind] : NOTHING));
  return { ...row, head: head!, upgrade: upgrade! };
}
