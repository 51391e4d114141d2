#!/usr/bin/env node
/**
 * The console in a cluster: one process that shows people the operators of the cluster, with the rights of each person. It
 * works without a leader, and keeps nothing. Ends with exit code 0 after SIGTERM.
 */
import { pino } from 'pino';
import { describeEnd, logCrash, logSettings } from '../serving/program.ts';
import { describeOptions, parseOptions } from './options.ts';
import { run } from './run.ts';

async function main(): Promise<void> {
  if (process.argv.includes('--help')) {
    process.stdout.write(`Usage: console [options]\n\n${describeOptions()}\n`);
    return;
  }
  const options = parseOptions(process.argv.slice(2), process.env);
  const log = pino(logSettings(options), pino.destination({ sync: true }));
  logCrash(log);
  const stop = new AbortController();
  for (const name of ['SIGTERM', 'SIGINT'] as const) process.once(name, () => stop.abort(new Error(name)));
  await run(options, log, stop.signal);
}

try {
  await main();
} catch (error) {
  process.stderr.write(describeEnd('console', error));
  process.exitCode = 1;
}
// A connection that a browser keeps open must not keep the Pod from ending.
process.exit();
