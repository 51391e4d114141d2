#!/usr/bin/env node
/**
 * Makes, changes and deletes hostile objects at random beside healthy Subscriptions, against a real API server, and judges
 * whether the healthy ones went on:
 *
 *     node e2e/fuzz/main.ts [--seconds 3600] [--seed 1] [--actors 4] [--rate 8] [--quiet 60]
 *
 * It acts as cluster-admin: no policy stands before the manager. First comes one act for each field of each kind, then
 * random ones (acts.ts). Equal seeds draw equal acts; their order among actors is up to the machine. A promise that is not
 * kept (verdict.ts) is printed with the rest, and the command ends with 1. How long a healthy Subscription stands still is
 * taken from its change until the answer, and is judged less what the machine took: the longest of the time that the
 * manager's main thread waited for a processor (/proc/PID/schedstat), that a plain write to the API server took beyond 50 ms,
 * and that timers of this program were late.
 */
import { parseArgs } from 'node:util';
import { startCluster } from '../cluster/cluster.ts';
import { fuzz } from './fuzz.ts';
import { judge, type Finding } from './verdict.ts';

const { values } = parseArgs({
  options: {
    seconds: { type: 'string', default: '600' },
    seed: { type: 'string', default: String(Date.now() % 1_000_000) },
    actors: { type: 'string', default: '4' },
    rate: { type: 'string', default: '8' },
    quiet: { type: 'string', default: '60' },
  },
});

function progress(line: string): void {
  process.stderr.write(`fuzz: ${line}\n`);
}

function format({ what, shown, promised, isKept }: Finding): string {
  const promise = promised === undefined ? '' : `   [${isKept ? 'ok' : 'NOT KEPT'}: ${promised}]`;
  return `${what.padEnd(50)} ${shown.replaceAll('\n', `\n${' '.repeat(51)}`)}${promise}`;
}

progress(`seed ${values.seed}`);
await using cluster = await startCluster();
const evidence = await fuzz(cluster, {
  seconds: Number(values.seconds),
  seed: Number(values.seed),
  actors: Number(values.actors),
  actsPerSecond: Number(values.rate),
  quietSeconds: Number(values.quiet),
  progress,
});
const findings = judge(evidence);
process.stdout.write(`seed ${values.seed}\n${findings.map(format).join('\n')}\n`);
if (findings.some(({ isKept }) => !isKept)) process.exitCode = 1;
