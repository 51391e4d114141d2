/**
 * Measures the manager's memory when other users write its label on large objects: Deployments of more than a megabyte
 * without a Subscription as owner, while it runs and when it starts. The rights for that are those of any team.
 */
import { setTimeout as pause } from 'node:timers/promises';
import { LABEL } from '../../api/names.ts';
import type { Row } from './budgets.ts';
import { installAll, startServing } from './install.ts';
import { tinyOperators } from './operators.ts';
import { usageOf } from './process-usage.ts';
import { openStage, settleDown, startMeasured, type Stage } from './stage.ts';

const COUNT = 150;
const BYTES = 1_150_000;
const NAMESPACE = 'default';
/** Megabytes that it may cost to have watched them come. */
const BUDGET = 40;
/** Long enough that the garbage of the read objects is collected. */
const QUIET_MS = 20_000;

/** The rows about a manager that works, and one that starts beside them. */
export async function benchForeign(): Promise<readonly Row[]> {
  const operators = tinyOperators(1);
  await using stage = await openStage(operators);
  const product = await startServing(stage, operators);
  await installAll(product, operators, 'from');
  await settleDown();
  const before = usageOf(product.manager.pid);
  for (let number = 0; number < COUNT; number += 1) await createLarge(stage, number);
  await pause(QUIET_MS);
  const after = usageOf(product.manager.pid);
  await product.manager.stop();
  const started = await startMeasured(stage, {});
  await pause(QUIET_MS);
  const beside = usageOf(started.pid);
  await started.stop();
  const what = `${COUNT} large Deployments of others with our label`;
  return [
    { what: `${what}: resident before`, unit: 'MB', measured: before.resident },
    { what: `${what}: resident after`, unit: 'MB', measured: after.resident, budget: before.resident + BUDGET },
    { what: `${what}: peak`, unit: 'MB', measured: after.peak },
    { what: `${what}: resident, started beside them`, unit: 'MB', measured: beside.resident },
    { what: `${what}: peak, started beside them`, unit: 'MB', measured: beside.peak },
  ];
}

async function createLarge({ admin }: Stage, number: number): Promise<void> {
  const name = `large-${number}`;
  const labels = { app: name, [LABEL.owner]: 'x' };
  const env = [{ name: 'E', value: 'a'.repeat(BYTES) }];
  const template = {
    metadata: { labels: { app: name } },
    spec: { containers: [{ name: 'a', image: 'x.invalid/a', env }] },
  };
  await admin.create({
    apiVersion: 'apps/v1',
    kind: 'Deployment',
    metadata: { name, namespace: NAMESPACE, labels },
    spec: { replicas: 0, selector: { matchLabels: { app: name } }, template },
  });
}
