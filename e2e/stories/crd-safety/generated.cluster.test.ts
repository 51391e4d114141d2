/**
 * An API server treats objects as our verdict predicts, for generated changes. `SLIPWAY_CRD_PAIRS` is the number of
 * pairs; a failure names its seed.
 */
import { writeFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { FOR_MANY_KINDS, useCluster } from '../../lib/cluster.ts';
import { runGenerated, type Row } from './generated.ts';

const cluster = useCluster(FOR_MANY_KINDS);

const PAIRS = Number(process.env['SLIPWAY_CRD_PAIRS'] ?? 12);
const FIRST_SEED = Number(process.env['SLIPWAY_CRD_SEED'] ?? 1);
const AT_ONCE = 50;

test(`what is lost or refused was foretold, of ${PAIRS} generated pairs`, { timeout: 1_800_000 }, async () => {
  const rows: Row[] = [];
  let [pairs, seed] = [0, FIRST_SEED];
  for (let batch = 0; pairs < PAIRS; batch += 1) {
    const seeds = Array.from({ length: Math.min(AT_ONCE, PAIRS - pairs) }, (_, index) => seed + index);
    seed += seeds.length;
    const found = await runGenerated(cluster(), `generated${batch}`, seeds);
    pairs += found.pairs;
    rows.push(...found.rows);
  }
  const laxer = rows.filter(({ harm, verdict }) => harm !== undefined && verdict.length === 0);
  const stricter = rows.filter(({ harm, verdict }) => harm === undefined && verdict.length > 0);
  const hurt = rows.filter(({ harm }) => harm !== undefined);
  process.stdout.write(
    `crd safety: ${pairs} generated pairs to seed ${seed - 1}, ${rows.length} objects, ${hurt.length} hurt; ${laxer.length} laxer, ${stricter.length} stricter\n`,
  );
  const file = process.env['SLIPWAY_CRD_ROWS'];
  if (file !== undefined) writeFileSync(file, JSON.stringify({ laxer, stricter }, undefined, 1));
  expect(laxer.map(({ name, harm }) => `${name}: ${harm}`)).toEqual([]);
  expect(stricter.map(({ name, verdict }) => `${name}: ${verdict.join('; ')}`)).toEqual([]);
});
