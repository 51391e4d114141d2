/** Carries out trials with packages of one archive: a cluster of its own, the real manager, a real registry, wave by wave. */
import type { TestCluster } from '../cluster/cluster.ts';
import { installSlipway, startManager } from '../lib/manager.ts';
import { catalogOf, isReady, waitFor } from '../lib/objects.ts';
import { apply } from '../lib/writes.ts';
import type { CorpusPackage } from './packages.ts';
import { planTrials, type Trial } from './plan.ts';
import { publishPackages } from './publish.ts';
import { traitsOf } from './traits.ts';
import { CATALOG, runWave, type Result } from './wave.ts';
import { planWaves, type Wave } from './waves.ts';

export interface Run {
  /** Whole, as a package may bring others along. */
  readonly corpus: readonly CorpusPackage[];
  readonly trials: readonly Trial[];
  /** Called after each wave, with its results and a line about it. */
  readonly report: (results: readonly Result[], about: string) => void;
}

/** Tries them all. The cluster has nothing of ours yet, and is of no use to others afterwards. */
export async function runTrials(cluster: TestCluster, { corpus, trials, report }: Run): Promise<void> {
  const waves = planWaves(trials, corpus, traitsOf);
  const companions = waves.flatMap(({ beside }) => beside.flatMap((one) => planTrials(one)[0] ?? []));
  const reference = await publishPackages(corpus, [...trials, ...companions], cluster.registry);
  await installSlipway(cluster);
  const manager = await startManager(cluster);
  try {
    await apply(cluster, catalogOf(CATALOG, reference));
    await waitFor(cluster, { kind: 'catalog', name: CATALOG }, isReady);
    await runWaves(cluster, waves, report);
  } finally {
    await manager.stop();
  }
}

async function runWaves(cluster: TestCluster, waves: readonly Wave[], report: Run['report']): Promise<void> {
  for (const [at, wave] of waves.entries()) {
    const began = performance.now();
    const results = await runWave(cluster, wave);
    const seconds = Math.round((performance.now() - began) / 1000);
    const beside = wave.beside.map(({ name }) => `, beside ${name}`).join('');
    report(results, `wave ${at + 1} of ${waves.length}, ${seconds} s${beside}`);
  }
}

/** On one line, for people. */
export function describeResult({ trial, outcome, steps, faults, seconds }: Result): string {
  const end = outcome.outcome === 'Ready' ? 'Ready' : `${outcome.outcome}: ${outcome.reason}: ${outcome.message}`;
  const way = steps.length === 0 ? trial.from.name : steps.join(' → ');
  const wrong = faults.map((fault) => `\n    FAULT ${fault}`).join('');
  return `${trial.of.name} ${trial.kind}, ${Math.round(seconds)} s: ${way}: ${end}${wrong}`;
}
