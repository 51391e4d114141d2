#!/usr/bin/env node
/**
 * Disturbs the manager in every way that can be repeated, and compares each end with that of an undisturbed run:
 *
 *     node e2e/chaos/main.ts [kills] [--operators chaos,limitador-operator] [--scenarios "install;upgrade"]
 *         [--writes 4,5] [--lanes 2]
 *     node e2e/chaos/main.ts faults [--seeds 20] [--seed 1] [--subscriptions 30]
 *     node e2e/chaos/main.ts split-brain [--rounds 5]
 *     node e2e/chaos/main.ts soak [--seconds 900] [--seed 1]
 *
 * Without the name of a part it runs all of them. `--write` puts the tables into docs/reliability.md. Ends with 1 if an
 * end differs. The parts are explained on that page.
 */
import { execFileSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { startCluster } from '../cluster/cluster.ts';
import { ROOT } from '../lib/manager.ts';
import { playSeeds, type SeedRow } from './faults.ts';
import type { KillRow } from './kills.ts';
import { killInLanes } from './lanes.ts';
import { loadOperators, missingOperators } from './operators.ts';
import { PAGE, withResult } from './page.ts';
import { SCENARIOS } from './scenarios.ts';
import { soak } from './soak.ts';
import { splitBrains } from './split-brain.ts';
import { formatBrains, formatDifferences, formatKills, formatSeeds, formatSoak } from './table.ts';

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    operators: { type: 'string' },
    scenarios: { type: 'string' },
    writes: { type: 'string' },
    lanes: { type: 'string', default: '2' },
    seeds: { type: 'string', default: '20' },
    seed: { type: 'string', default: '1' },
    subscriptions: { type: 'string', default: '30' },
    rounds: { type: 'string', default: '5' },
    seconds: { type: 'string', default: '900' },
    write: { type: 'boolean', default: false },
  },
});

interface Outcome {
  readonly table: string;
  /** What differs; empty if nothing does. */
  readonly differences: string;
}

const began = performance.now();
const commit = values.write ? currentCommit() : 'unknown';

const PARTS: ReadonlyMap<string, () => Promise<Outcome>> = new Map([
  ['kills', kills],
  ['faults', faults],
  ['split-brain', brains],
  ['soak', people],
]);

async function kills(): Promise<Outcome> {
  for (const name of missingOperators()) progress(`${name} is skipped: the corpus is not beside this checkout`);
  const operators = chosen(loadOperators(), values.operators?.split(','));
  const scenarios = chosen(SCENARIOS, values.scenarios?.split(';'));
  const only = values.writes?.split(',').map(Number);
  const count = operators.length * scenarios.length;
  // a run of an hour that is stopped leaves the rows that it has finished
  const finished = (done: readonly KillRow[]): void => {
    if (values.write && done.length < count) keep('kills', formatKills(done, count));
  };
  const plan = {
    operators,
    scenarios,
    ...(only !== undefined && { only }),
    lanes: Number(values.lanes),
    progress,
    finished,
  };
  const rows = await killInLanes(plan);
  return { table: formatKills(rows), differences: formatDifferences(rows) };
}

/** Of the faults of one seed, and of its longest partition. */
const FAULTS = { seconds: 90, longestPartitionSeconds: 60, deadline: '10s' };

async function faults(): Promise<Outcome> {
  const first = Number(values.seed);
  const seeds = Array.from({ length: Number(values.seeds) }, (_, at) => first + at);
  await using cluster = await startCluster();
  const finished = (done: readonly SeedRow[]): void => {
    if (values.write && done.length < seeds.length) keep('faults', formatSeeds(done, seeds.length));
  };
  const subscriptions = Number(values.subscriptions);
  const rows = await playSeeds(cluster, { ...FAULTS, seeds, subscriptions, progress, finished });
  const differing = rows.flatMap(({ seed, differences }) => differences.map((line) => `seed ${seed}: ${line}`));
  return { table: formatSeeds(rows), differences: differing.join('\n') };
}

/** Enough that upgrades have a middle. */
const SPLIT_SUBSCRIPTIONS = 6;

async function brains(): Promise<Outcome> {
  await using cluster = await startCluster();
  const options = { subscriptions: SPLIT_SUBSCRIPTIONS, rounds: Number(values.rounds), progress };
  const rows = await splitBrains(cluster, options);
  const differing = rows.flatMap(({ disturbance, differences }) =>
    differences.map((line) => `${disturbance}: ${line}`),
  );
  return { table: formatBrains(rows), differences: differing.join('\n') };
}

const SOAK_SUBSCRIPTIONS = 8;

async function people(): Promise<Outcome> {
  await using cluster = await startCluster();
  const [seed, seconds] = [Number(values.seed), Number(values.seconds)];
  const result = await soak(cluster, { seed, seconds, subscriptions: SOAK_SUBSCRIPTIONS, progress });
  return { table: formatSoak(result), differences: result.broken.join('\n') };
}

function chosen<One extends { readonly name: string }>(all: readonly One[], names?: readonly string[]): readonly One[] {
  const unknownNames = names?.filter((name) => !all.some((one) => one.name === name)) ?? [];
  if (unknownNames.length > 0) throw new Error(`there is no ${unknownNames.join(', ')}`);
  return names === undefined ? all : all.filter(({ name }) => names.includes(name));
}

function keep(place: string, text: string): void {
  const path = join(ROOT, PAGE);
  const command = ['npm run chaos --', ...process.argv.slice(2)].join(' ');
  const date = new Date().toISOString().slice(0, 10);
  writeFileSync(path, withResult(readFileSync(path, 'utf8'), { place, date, commit, command, text }));
}

/** Of the checkout when the program began, as files may change while it runs. */
function currentCommit(): string {
  const git = (...args: readonly string[]): string => execFileSync('git', args, { cwd: ROOT, encoding: 'utf8' }).trim();
  const isChanged = git('status', '--porcelain', '--', '.', `:!${PAGE}`) !== '';
  return git('rev-parse', '--short', 'HEAD') + (isChanged ? ', changed' : '');
}

function progress(line: string): void {
  process.stderr.write(`chaos: ${((performance.now() - began) / 1000).toFixed(0)} s: ${line}\n`);
}

// last, as it uses the constants above
const unknown = positionals.filter((name) => !PARTS.has(name));
if (unknown.length > 0) throw new Error(`no part ${unknown.join(', ')}; there are ${[...PARTS.keys()].join(', ')}`);
for (const [name, run] of PARTS) {
  if (positionals.length > 0 && !positionals.includes(name)) continue;
  const { table, differences } = await run();
  process.stdout.write(`${table}\n${differences}\n`);
  if (values.write) keep(name, table);
  if (differences !== '') process.exitCode = 1;
}
