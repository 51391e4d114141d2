/** Measured values against their budgets: rows of the table that `make bench` prints. Pure. */
import type { Cost } from './cost.ts';
import type { FloorRun } from './floor.ts';
import type { InstallRun } from './install.ts';
import { recordedOf } from './olm-v1.ts';

export interface Row {
  readonly what: string;
  readonly unit: 's' | 'requests' | 'MB' | '/min' | '%' | 'ms';
  readonly measured: number;
  /** The same work by plain requests, in the same run. */
  readonly floor?: number;
  /** The most that is allowed, in the unit of the row. */
  readonly budget?: number;
}

/** What a set of operators may cost. */
export interface Budget {
  readonly name: string;
  readonly objects: number;
  /** Times the floor, for installing and upgrading. */
  readonly ratio: number;
  /** Times the floor for upgrading, if it differs. */
  readonly upgradeRatio?: number;
  /** The most seconds for installing, in place of the ratio. */
  readonly seconds?: number;
  /** The most seconds until a deleted Deployment is back. */
  readonly repair?: number;
  /** Requests to install; by default two for each object and 20. */
  readonly requests?: number;
  readonly memory?: number;
}

/** Removal may take so many times as long as the floor. */
const REMOVAL_RATIO = 1.1;
const IDLE_REQUESTS = 3;

/** The rows about installing, upgrading and removing a set of operators. */
export function rowsOf(budget: Budget, floor: FloorRun, product: InstallRun): readonly Row[] {
  const { name, objects, ratio, upgradeRatio = ratio, requests = 2 * objects + 20, memory } = budget;
  const peak = Math.max(...[product.install, product.upgrade, product.removal].map((cost) => cost.memory ?? 0));
  return [
    { ...timeRow(`${name}: install`, floor.install, { cost: product.install, ratio }), ...secondsOf(budget) },
    { what: `${name}: install`, unit: 'requests', ...both(floor.install, product.install), budget: requests },
    timeRow(`${name}: upgrade`, floor.upgrade, { cost: product.upgrade, ratio: upgradeRatio }),
    { what: `${name}: upgrade`, unit: 'requests', ...both(floor.upgrade, product.upgrade), budget: requests },
    timeRow(`${name}: removal`, floor.removal, { cost: product.removal, ratio: REMOVAL_RATIO }),
    { what: `${name}: removal`, unit: 'requests', ...both(floor.removal, product.removal) },
    { what: `${name}: peak memory`, unit: 'MB', measured: peak, ...(memory !== undefined && { budget: memory }) },
    { what: `${name}: processor time to install`, unit: 's', measured: product.install.cpu ?? Number.NaN },
    ...quietRows(budget, product),
  ];
}

function secondsOf({ seconds }: Budget): Pick<Row, 'budget'> {
  return seconds === undefined ? {} : { budget: seconds };
}

function quietRows({ name, repair }: Budget, { idle, repairSeconds }: InstallRun): readonly Row[] {
  const rows: Row[] = [];
  if (repairSeconds !== undefined) {
    rows.push({
      what: `${name}: a deleted Deployment is back`,
      unit: 's',
      measured: repairSeconds,
      ...(repair !== undefined && { budget: repair }),
    });
  }
  if (idle === undefined) return rows;
  const { requestsPerMinute, renewalsPerMinute, cpuPercent, memory } = idle;
  return [
    ...rows,
    { what: `${name}: idle, requests`, unit: '/min', measured: requestsPerMinute, budget: IDLE_REQUESTS },
    { what: `${name}: idle, renewals of the lease`, unit: '/min', measured: renewalsPerMinute },
    { what: `${name}: idle, processor`, unit: '%', measured: cpuPercent },
    { what: `${name}: idle, memory`, unit: 'MB', measured: memory },
  ];
}

function timeRow(what: string, floor: Cost, { cost, ratio }: { readonly cost: Cost; readonly ratio: number }): Row {
  return { what, unit: 's', measured: cost.seconds, floor: floor.seconds, budget: floor.seconds * ratio };
}

function both(floor: Cost, product: Cost): Pick<Row, 'floor' | 'measured'> {
  return { floor: floor.requests, measured: product.requests };
}

/** The rows about the floor with the records of a crash-safe manager: no manager can be faster, whatever the budget. */
export function rowsOfRecords(name: string, floor: FloorRun, recorded: FloorRun): readonly Row[] {
  return (['install', 'upgrade', 'removal'] as const).flatMap((lap) => {
    const what = `${name}: ${lap}, floor with records`;
    const { seconds, requests } = recorded[lap];
    return [
      { what, unit: 's' as const, measured: seconds, floor: floor[lap].seconds },
      { what, unit: 'requests' as const, measured: requests, floor: floor[lap].requests },
    ];
  });
}

/** Whether a row keeps its budget; undefined if it has none. */
export function isWithin({ measured, budget }: Row): boolean | undefined {
  return budget === undefined ? undefined : measured <= budget;
}

const COLUMNS = ['what', 'floor', 'measured', 'ratio', 'budget', '', 'OLM v1'] as const;
/** The columns of text; all others are numbers. */
const TEXTS: ReadonlySet<string> = new Set(['what', '', 'OLM v1']);

/** The rows as a table of text, in columns. */
export function formatTable(rows: readonly Row[]): string {
  const cells = rows.map((row) => {
    const number = (value: number | undefined): string => (value === undefined ? '–' : `${round(value)} ${row.unit}`);
    const ratio = row.floor === undefined || row.floor === 0 ? '–' : (row.measured / row.floor).toFixed(2);
    const verdict = isWithin(row);
    const reported = verdict === undefined ? '' : verdict ? 'ok' : 'over';
    return [
      row.what,
      number(row.floor),
      number(row.measured),
      ratio,
      number(row.budget),
      reported,
      recordedOf(row) ?? '',
    ];
  });
  const all = [COLUMNS, ...cells];
  const widths = COLUMNS.map((_, column) => Math.max(...all.map((line) => (line[column] ?? '').length)));
  return all
    .map((line) =>
      line
        .map((cell, column) => pad(cell, widths[column] ?? 0, column))
        .join('  ')
        .trimEnd(),
    )
    .join('\n');
}

function pad(cell: string, width: number, column: number): string {
  return TEXTS.has(COLUMNS[column] ?? '') ? cell.padEnd(width) : cell.padStart(width);
}

function round(value: number): string {
  return value >= 100 ? value.toFixed(0) : value >= 10 ? value.toFixed(1) : value.toFixed(2);
}
