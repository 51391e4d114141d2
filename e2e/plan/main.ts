#!/usr/bin/env node
/**
 * Holds the plans of real upgrades against the audit log of an API server: each object that a plan announces is written, and
 * no other one.
 *
 *     node e2e/plan/main.ts [--only k8gb,kong] [--rounds 3] [--batch 20]
 *
 * Ends with 1 if a write is missing, or more is written.
 */
import { parseArgs } from 'node:util';
import { startCluster } from '../cluster/cluster.ts';
import { runSteps, type RunOutcome } from './run.ts';
import { roundsOfCorpus } from './steps.ts';

const { values } = parseArgs({
  options: {
    only: { type: 'string' },
    rounds: { type: 'string', default: '3' },
    batch: { type: 'string', default: '20' },
  },
});
const PHASE_SECONDS = 300;
const only = values.only === undefined ? undefined : new Set(values.only.split(','));
const counts = { compared: 0, skipped: 0, missing: 0, more: 0 };
const batch = Number(values.batch);
for (const steps of roundsOfCorpus(Number(values.rounds), only)) {
  for (let at = 0; at < steps.length; at += batch) {
    await using cluster = await startCluster({ audit: true });
    report(await runSteps(cluster, steps.slice(at, at + batch), PHASE_SECONDS));
  }
}
process.stdout.write(
  `${counts.compared} upgrades compared, ${counts.skipped} not: ${counts.missing} writes missing, ${counts.more} more\n`,
);
if (counts.missing + counts.more > 0) process.exitCode = 1;

function report({ outcomes, unclaimed }: RunOutcome): void {
  for (const { step, skipped, missing, more } of outcomes) {
    if (skipped === undefined) counts.compared += 1;
    else counts.skipped += 1;
    counts.missing += missing.length;
    counts.more += more.length;
    const faults = [...missing.map((one) => `missing: ${one}`), ...more.map((one) => `more: ${one}`)];
    const text = skipped === undefined ? `${faults.length} differences` : `not compared: ${skipped}`;
    process.stdout.write(
      [`${step.name} ${step.from.version} → ${step.to.version}: ${text}`, ...faults].join('\n  ') + '\n',
    );
  }
  counts.more += unclaimed.length;
  for (const { writing, object } of unclaimed) process.stdout.write(`of no plan: ${writing} ${object}\n`);
}
