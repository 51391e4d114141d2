/**
 * Measures the memory of the running manager with no, some and many Subscriptions, when all are Ready and nothing is
 * left to do. It runs as its image does: bundled, and with the options of Node from there.
 */
import { setTimeout as pause } from 'node:timers/promises';
import type { Row } from './budgets.ts';
import { median } from './cost.ts';
import { installAll, startServing } from './install.ts';
import { tinyOperators } from './operators.ts';
import { usageOf, type Usage } from './process-usage.ts';
import { openStage, settleDown } from './stage.ts';

/** Subscriptions at which it is looked. */
const COUNTS = [0, 25, 100] as const;

/** Resident megabytes; the bound of the design for 200 tiny operators. */
const BUDGET = 110;

/** The rows about the memory of an idle manager; the middle of several runs, each in a fresh cluster. */
export async function benchMemory(settings: {
  readonly repeat: number;
  readonly idleSeconds: number;
}): Promise<readonly Row[]> {
  const runs: (readonly Usage[])[] = [];
  for (let round = 0; round < settings.repeat; round += 1) runs.push(await measureOnce(settings));
  return COUNTS.flatMap((count, index) => {
    const what = `memory with ${count} Subscriptions, idle`;
    const middle = (field: 'resident' | 'anonymous'): number =>
      median(runs.flatMap((run) => run[index]?.[field] ?? [])) ?? Number.NaN;
    return [
      { what, measured: middle('resident'), unit: 'MB', budget: BUDGET },
      { what: `${what}: anonymous`, measured: middle('anonymous'), unit: 'MB' },
    ];
  });
}

/** What is used at each of the counts. */
async function measureOnce({ idleSeconds }: { readonly idleSeconds: number }): Promise<readonly Usage[]> {
  const operators = tinyOperators(Math.max(...COUNTS));
  await using stage = await openStage(operators);
  const product = await startServing(stage, operators);
  const found: Usage[] = [];
  let installed = 0;
  for (const count of COUNTS) {
    await installAll(product, operators.slice(installed, count), 'from');
    installed = count;
    await settleDown();
    await pause(idleSeconds * 1000);
    found.push(usageOf(product.manager.pid));
  }
  await product.manager.stop();
  return found;
}
