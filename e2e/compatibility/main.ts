#!/usr/bin/env node
/**
 * Tries every package of the corpus, and writes docs/compatibility.md:
 *
 *     node e2e/compatibility/main.ts [--only k8gb,kong] [--source dev-set]
 *
 * With `--only` or `--source` the other rows stay as they are, and so do those that were
 * not reached when it is interrupted. Each archive has a cluster of its own. Ends with 1 if a
 * package ends otherwise than refusals.ts says, if something is left behind, or if a version is skipped.
 */
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { startCluster } from '../cluster/cluster.ts';
import { ROOT } from '../lib/manager.ts';
import { corpusOf, loadPackages, SOURCES, type CorpusPackage, type Source } from './packages.ts';
import { PAGE, parsePage, renderPage } from './page.ts';
import { planTrials } from './plan.ts';
import { describeResult, runTrials } from './run.ts';
import { rowOf, surprisesIn, type Row } from './table.ts';
import type { Result } from './wave.ts';

const { values } = parseArgs({ options: { only: { type: 'string' }, source: { type: 'string' } } });
const only = values.only?.split(',');
const isWanted = (one: CorpusPackage): boolean =>
  (values.source ?? one.source) === one.source && (only?.includes(one.name) ?? true);

const path = join(ROOT, PAGE);
const packages = SOURCES.flatMap(loadPackages);
const known = existsSync(path) ? parsePage(readFileSync(path, 'utf8')) : [];
const results: Result[] = [];
for (const source of SOURCES) await tryAll(source);

const surprises = surprisesIn(results);
for (const line of surprises) process.stdout.write(`${line}\n`);
process.stdout.write(`${results.length} trials, ${surprises.length} surprises; wrote ${PAGE}\n`);
if (surprises.length > 0) process.exitCode = 1;

async function tryAll(source: Source): Promise<void> {
  const corpus = corpusOf(source, packages);
  const trials = packages.filter((one) => one.source === source && isWanted(one)).flatMap(planTrials);
  if (trials.length === 0) return;
  await using cluster = await startCluster();
  await runTrials(cluster, { corpus, trials, report });
}

/** One that was tried, or cannot be; else the one of the page as it is. */
function newestRow(of: CorpusPackage): readonly Row[] {
  const isTried = results.filter(({ trial }) => trial.of === of).length === planTrials(of).length;
  if (isWanted(of) && isTried) return [rowOf(of, results)];
  return known.filter((row) => row.source === of.source && row.name === of.name);
}

function report(some: readonly Result[], about: string): void {
  results.push(...some);
  writeFileSync(path, renderPage(packages.flatMap(newestRow)));
  process.stderr.write(`compatibility: ${[about, ...some.map(describeResult)].join('\n  ')}\n`);
}
