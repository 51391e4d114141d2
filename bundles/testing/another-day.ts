/**
 * A program: renders every third bundle below the folder that it is given, on another day, and prints when and where it
 * thinks it is, then a line `name hash` for each rendering. The test of equal bytes runs it in a time zone and a
 * language of its own.
 */
import { bundleFolders, readBundle, renderEachMode } from './real-bundles.ts';

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
for (const folder of bundleFolders(process.argv[2] ?? '').filter((_, index) => index % 3 === 0)) {
  for (const { name, result } of renderEachMode(folder, readBundle(folder, { reversed: true }))) {
    if ('hash' in result) process.stdout.write(`${name}\t${result.hash}\n`);
  }
}
