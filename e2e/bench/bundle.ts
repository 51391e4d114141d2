/**
 * Measures the largest bundle that is published, by size: how long it takes to parse and render it, and how much memory
 * the manager takes to install it beyond what it takes when it is idle.
 */
import { parseBundle } from '../../bundles/parse.ts';
import { renderBundle } from '../../bundles/render/render.ts';
import type { Row } from './budgets.ts';
import { median } from './cost.ts';
import { installAll, startServing } from './install.ts';
import { inventedOperator, type BenchOperator } from './operators.ts';
import { usageOf } from './process-usage.ts';
import { openStage, settleDown } from './stage.ts';

const MEGABYTE = 1_000_000;
/** The bundle of this size has 48 CRDs; so has the largest published one. */
const SIZE = { crds: 48, properties: 750 };
const [RENDER_MS, PEAK_MB] = [1000, 40];
const ROUNDS = 5;

export async function benchBundle({ repeat }: { readonly repeat: number }): Promise<readonly Row[]> {
  const operator = inventedOperator('large-bundle', SIZE);
  const name = `a bundle of ${megabytesOf(operator).toFixed(1)} MB`;
  const peaks: number[] = [];
  for (let round = 0; round < repeat; round += 1) peaks.push(await measurePeak(operator));
  return [
    { what: `${name}: parse and render`, unit: 'ms', measured: measureRender(operator), budget: RENDER_MS },
    { what: `${name}: peak above idle`, unit: 'MB', measured: median(peaks) ?? Number.NaN, budget: PEAK_MB },
  ];
}

function megabytesOf({ from }: BenchOperator): number {
  return [...from.files.values()].reduce((sum, { length }) => sum + length, 0) / MEGABYTE;
}

/** The fastest round counts: everything else that the machine does is left out. */
function measureRender({ name, from: { files } }: BenchOperator): number {
  const times = Array.from({ length: ROUNDS }, () => {
    const start = performance.now();
    renderBundle(parseBundle(files), { namespace: name, certificates: 'manager' });
    return performance.now() - start;
  });
  return Math.min(...times);
}

/** Megabytes of the largest resident size while it is installed, beyond the resident size before. */
async function measurePeak(operator: BenchOperator): Promise<number> {
  await using stage = await openStage([operator]);
  const product = await startServing(stage, [operator]);
  await installAll(product, [stage.warmUp], 'from');
  await settleDown();
  const idle = usageOf(product.manager.pid).resident;
  await installAll(product, [operator], 'from');
  const { peak } = usageOf(product.manager.pid);
  await product.manager.stop();
  return peak - idle;
}
