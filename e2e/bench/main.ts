#!/usr/bin/env node
/**
 * Measures the product against its budgets, side by side with the floor in one run:
 *
 *     node e2e/bench/main.ts [--only small,large] [--repeat 3] [--idle 60] [--trace] [-o json]
 *
 * Each measurement has a fresh cluster; floor and product take turns, and the middle of the repetitions counts. On a
 * busy machine times mean little, their ratio to the floor still something, the number of requests most; `--trace` prints
 * the requests of each operation and which of them waited for which. Ends with 1 if a budget is exceeded.
 */
import { parseArgs } from 'node:util';
import { benchBundle } from './bundle.ts';
import { benchCatalog } from './catalog.ts';
import { formatTable, isWithin, rowsOf, rowsOfRecords, type Budget, type Row } from './budgets.ts';
import { medianCost, median } from './cost.ts';
import { benchCommands } from './commands.ts';
import { benchConsole } from './console.ts';
import { benchConsolePaint } from './console-paint.ts';
import { benchForeign } from './foreign.ts';
import { runFloor, type FloorRun } from './floor.ts';
import { runProduct, type InstallOptions, type InstallRun } from './install.ts';
import { benchLead } from './lead.ts';
import { benchMemory } from './memory.ts';
import {
  barelyChangedOperator,
  halfChangedOperator,
  largeOperator,
  manyOperators,
  objectsOf,
  smallOperator,
  tinyOperators,
  type BenchOperator,
} from './operators.ts';
import { benchResolver, type ResolverFigure } from './resolver.ts';
import { benchPlan } from './plan.ts';
import { benchSignatures } from './signatures.ts';
import { openStage, type StageOptions } from './stage.ts';

interface Scenario extends Omit<Budget, 'name' | 'objects'> {
  readonly title: string;
  readonly operators: () => readonly BenchOperator[];
  /** Whether the manager is measured while it is idle. */
  readonly idle?: boolean;
  /** Whether the floor is also measured with the bundle, the records and the reads of a safe manager: see decision 34. */
  readonly records?: boolean;
  /** Takes long: runs only if its name is given. */
  readonly long?: boolean;
  /** The cluster of the measurement, if another one than usual. */
  readonly cluster?: StageOptions;
}

const SCENARIOS: Readonly<Record<string, Scenario>> = {
  small: {
    title: 'one small operator',
    operators: () => [smallOperator()],
    ratio: 1.3,
    repair: 0.05,
    idle: true,
    records: true,
  },
  large: {
    title: 'one with large CRDs',
    operators: () => [largeOperator()],
    ratio: 1.1,
    repair: 0.08,
    records: true,
  },
  percona: {
    title: 'one of twelve objects differs',
    operators: () => [barelyChangedOperator()],
    ratio: 1.1,
    upgradeRatio: 2,
    records: true,
  },
  argocd: {
    title: 'eight of seventeen objects differ',
    operators: () => [halfChangedOperator()],
    ratio: 1.1,
    upgradeRatio: 1.3,
    records: true,
  },
  ten: { title: 'ten at once', operators: () => manyOperators(10), ratio: 1.1, memory: 115 },
  many: {
    title: '25 at once',
    operators: () => manyOperators(25),
    ratio: 1.05,
    requests: 650,
    memory: 115,
    repair: 0.08,
    idle: true,
    records: true,
  },
  tiny: {
    title: '200 tiny ones at once',
    operators: () => tinyOperators(200),
    ratio: 1.05,
    requests: 2000,
    memory: 110,
    long: true,
    records: true,
  },
  thousand: {
    title: '1000 tiny ones at once',
    operators: () => tinyOperators(1000),
    ratio: 1.05,
    seconds: 240,
    memory: 200,
    long: true,
    cluster: { kubeApiQps: 1000 },
  },
};

/** What is measured by itself, without a floor. */
const PARTS: Readonly<Record<string, (settings: Settings) => Promise<readonly Row[]>>> = {
  bundle: ({ repeat }) => benchBundle({ repeat }),
  catalog: ({ repeat }) => benchCatalog({ repeat }),
  commands: () => benchCommands(),
  console: () => benchConsole(),
  'console-paint': () => benchConsolePaint(),
  foreign: () => benchForeign(),
  lead: ({ repeat }) => benchLead({ repeat }),
  memory: ({ repeat, idleSeconds }) => benchMemory({ repeat, idleSeconds }),
  plan: async () => benchPlan(),
  resolver: async () => (await benchResolver()).map(rowOfFigure),
  signatures: () => benchSignatures(),
};

function rowOfFigure({ what, milliseconds, budget }: ResolverFigure): Row {
  return { what: `resolver: ${what}`, unit: 'ms', measured: milliseconds, budget };
}

interface Settings {
  readonly only: readonly string[];
  readonly repeat: number;
  readonly idleSeconds: number;
  readonly json: boolean;
  /** Whether the requests of the last round are printed. */
  readonly trace: boolean;
}

async function main(): Promise<void> {
  const settings = parseSettings();
  const rows: Row[] = [];
  for (const name of settings.only) rows.push(...(await measureNamed(name, settings)));
  process.stdout.write(settings.json ? `${JSON.stringify(rows, undefined, 2)}\n` : `${formatTable(rows)}\n`);
  if (rows.some((row) => isWithin(row) === false)) process.exitCode = 1;
}

function parseSettings(): Settings {
  const { values } = parseArgs({
    options: {
      only: { type: 'string' },
      repeat: { type: 'string', default: '3' },
      idle: { type: 'string', default: '30' },
      trace: { type: 'boolean', default: false },
      output: { type: 'string', short: 'o', default: 'text' },
    },
  });
  const usual = Object.entries(SCENARIOS).flatMap(([name, { long }]) => (long === true ? [] : [name]));
  const known = [...Object.keys(SCENARIOS), ...Object.keys(PARTS)];
  const only = values.only?.split(',') ?? [...usual, ...Object.keys(PARTS)];
  const unknown = only.find((name) => !known.includes(name));
  if (unknown !== undefined) throw new Error(`--only ${unknown}: there is ${known.join(', ')}`);
  return {
    only,
    repeat: Number(values.repeat),
    idleSeconds: Number(values.idle),
    json: values.output === 'json',
    trace: values.trace,
  };
}

function measureNamed(name: string, settings: Settings): Promise<readonly Row[]> {
  const part = PARTS[name];
  if (part === undefined) return measure(SCENARIOS[name] as Scenario, settings);
  progress(name);
  return part(settings);
}

async function measure(scenario: Scenario, { repeat, idleSeconds, trace }: Settings): Promise<readonly Row[]> {
  const operators = scenario.operators();
  const objects = operators.reduce((sum, operator) => sum + objectsOf(operator, operator.from).length, 0);
  const options: InstallOptions = {
    ...(scenario.idle === true && { idleSeconds }),
    ...(scenario.repair !== undefined && { repair: true }),
  };
  const floors: FloorRun[] = [];
  const recorded: FloorRun[] = [];
  const products: InstallRun[] = [];
  for (let round = 1; round <= repeat; round += 1) {
    progress(`${scenario.title}: ${objects} objects, floor ${round} of ${repeat}`);
    floors.push(await onStage(scenario, operators, (stage) => runFloor(stage, operators)));
    if (scenario.records === true) {
      progress(`${scenario.title}: ${objects} objects, floor with records ${round} of ${repeat}`);
      recorded.push(await onStage(scenario, operators, (stage) => runFloor(stage, operators, { withRecords: true })));
    }
    progress(`${scenario.title}: ${objects} objects, Slipway ${round} of ${repeat}`);
    products.push(await onStage(scenario, operators, (stage) => runProduct(stage, operators, options)));
  }
  if (trace) products.at(-1)?.chains.forEach(progress);
  const floor = middleOf(floors);
  const rows = rowsOf({ ...scenario, name: scenario.title, objects }, floor, {
    ...(products[0] as InstallRun),
    ...middleOf(products),
    ...middleRepair(products),
  });
  return recorded.length === 0 ? rows : [...rows, ...rowsOfRecords(scenario.title, floor, middleOf(recorded))];
}

async function onStage<Result>(
  { cluster }: Pick<Scenario, 'cluster'>,
  operators: readonly BenchOperator[],
  run: (stage: Awaited<ReturnType<typeof openStage>>) => Promise<Result>,
): Promise<Result> {
  await using stage = await openStage(operators, cluster);
  return await run(stage);
}

function middleOf(runs: readonly FloorRun[]): FloorRun {
  return {
    install: medianCost(runs.map(({ install }) => install)),
    upgrade: medianCost(runs.map(({ upgrade }) => upgrade)),
    removal: medianCost(runs.map(({ removal }) => removal)),
  };
}

function middleRepair(runs: readonly InstallRun[]): Pick<InstallRun, 'repairSeconds'> {
  const seconds = median(runs.flatMap(({ repairSeconds }) => repairSeconds ?? []));
  return seconds === undefined ? {} : { repairSeconds: seconds };
}

function progress(line: string): void {
  process.stderr.write(`bench: ${line}\n`);
}

await main();
