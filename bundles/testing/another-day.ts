/**
 * A program: renders the bundles in the folders that it reads from standard input, one a line, on another day, and prints
 * its time and place, then a line `name hash` for each rendering. The test of equal bytes runs it in a time zone and a
 * language of its own.
 */
import { text } from 'node:stream/consumers';
import { readBundle, renderEachMode } from './real-bundles.ts';

const DAY_MS = 86_400_000;

/** Far enough for another month and year, and for the other side of daylight saving time. */
globalThis.Date = class extends Date {
  constructor(...args: [] | [number | string | Date]) {
    super(...((args.length === 0 ? [Date.now()] : args) as [number]));
  }

  static override now(): number {
    return super.now() + 400 * DAY_MS;
  }
} as DateConstructor;

const { timeZone, locale } = new Intl.DateTimeFormat().resolvedOptions();
process.stdout.write(`${JSON.stringify({ time: Date.now(), timeZone, locale })}\n`);
for (const folder of (await text(process.stdin)).split('\n')) {
  for (const { name, result } of renderEachMode(folder, readBundle(folder, { reversed: true }))) {
    if ('hash' in result) process.stdout.write(`${name}\t${result.hash}\n`);
  }
}
