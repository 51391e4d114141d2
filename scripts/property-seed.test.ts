import { readFileSync, globSync } from 'node:fs';
import { resolve } from 'node:path';
import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import { propertySeed } from './property-seed.ts';

const ROOT = resolve(import.meta.dirname, '..');

test.each([
  { text: undefined, seed: 20_261_122, because: 'each run of the usual tests draws the same' },
  { text: '', seed: 20_261_122, because: 'an empty variable is none' },
  { text: '17', seed: 17, because: 'a run of more tests chooses' },
])('SLIPWAY_SEED=$text is the seed $seed, as $because', ({ text, seed }) => {
  expect(propertySeed(text)).toBe(seed);
});

test('a seed that is no number is refused', () => {
  expect(() => propertySeed('today')).toThrow('SLIPWAY_SEED is no whole number: today');
});

test('properties draw by the seed of the run', () => {
  const seed = propertySeed(process.env['SLIPWAY_SEED']);
  expect(fc.readConfigureGlobal().seed).toBe(seed);
  const drawn = fc.sample(fc.integer(), 5);
  expect(fc.sample(fc.integer(), 5)).toEqual(drawn);
  expect(fc.sample(fc.integer(), { numRuns: 5, seed: seed + 1 })).not.toEqual(drawn);
});

test('no property has a seed of its own, which no run of more tests would change', () => {
  const files = globSync('{api,apply,bundles,catalog,cmd,controllers,kube,oci,resolver}/**/*.test.ts', { cwd: ROOT });
  expect(files.length).toBeGreaterThan(150);
  const fixed = files.filter((file) => /\bnumRuns\b[^}]*\bseed: \d/.test(readFileSync(resolve(ROOT, file), 'utf8')));
  expect(fixed).toEqual([]);
});
