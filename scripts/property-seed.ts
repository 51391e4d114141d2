/**
 * Properties draw the same samples in each run of `make test`, and other ones with SLIPWAY_SEED: `make test-more` draws a
 * number, prints it and repeats all properties with it. fast-check adds the path to the failing sample.
 */
import * as fc from 'fast-check';

const USUAL = 20_261_122;

/** The seed of a run, by SLIPWAY_SEED. Throws if that is no whole number. */
export function propertySeed(text: string | undefined): number {
  const seed = text === undefined || text === '' ? USUAL : Number(text);
  if (!Number.isInteger(seed)) throw new Error(`SLIPWAY_SEED is no whole number: ${text}`);
  return seed;
}

fc.configureGlobal({ seed: propertySeed(process.env['SLIPWAY_SEED']) });
