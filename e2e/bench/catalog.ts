/**
 * Measures the cost of a catalog of a public one's size from end to end: a Catalog is applied, and the manager pulls
 * its image from a real registry, indexes it and serves it. The manager is bundled as in its image and runs with the
 * same options of Node: Node alone, which would compile TypeScript, would be half of the memory. `make bench` prints it:
 *
 *     node e2e/bench/catalog.ts
 */
import { mkdirSync, mkdtempSync, readdirSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { API_VERSION } from '../../api/names.ts';
import type { Client } from '../../kube/client/client.ts';
import { largeCatalog } from '../lib/large-catalog.ts';
import type { RunningManager } from '../lib/manager.ts';
import { push } from '../lib/publish.ts';
import { formatTable, isWithin, type Row } from './budgets.ts';
import { median } from './cost.ts';
import { usageOf } from './process-usage.ts';
import { openStage, startMeasured, type Stage } from './stage.ts';

/** What one Catalog costs a manager that has just started. */
export interface CatalogCost {
  /** From the moment it is applied until its content is answered over HTTP. */
  readonly servedSeconds: number;
  /** Of all threads, for pulling, indexing and serving the first answer. */
  readonly cpuSeconds: number;
  readonly diskMegabytes: number;
  /** Largest resident size of the process so far. */
  readonly peakMegabytes: number;
  /** The peak of the memory that the kernel could not have reclaimed, sampled every few milliseconds. */
  readonly peakAnonymousMegabytes: number;
  /** Of the process before the Catalog was there. */
  readonly baseMegabytes: number;
  /** The longest time for which the event loop did not turn. */
  readonly longestBlockMs: number;
}

const NAME = 'hub';
const MEGABYTE = 1 << 20;

/** The rows about a large catalog; the middle of several runs, each with a fresh manager. Takes half a minute. */
export async function benchCatalog({ repeat = 3 }: { readonly repeat?: number } = {}): Promise<readonly Row[]> {
  const folder = mkdtempSync(join(tmpdir(), 'slipway-bench-catalog-'));
  try {
    await using stage = await openStage([]);
    const { image, megabytes } = await publishLargeCatalog(stage.cluster.registry);
    const costs: CatalogCost[] = [];
    for (let round = 0; round < repeat; round += 1) {
      const data = join(folder, `data-${round}`);
      costs.push(await measureOnce(stage, { image, data }));
    }
    return rowsOf(megabytes, costs);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

function rowsOf(megabytes: number, costs: readonly CatalogCost[]): readonly Row[] {
  const name = `catalog of ${megabytes} MB`;
  const row = (what: string, field: keyof CatalogCost, more: Pick<Row, 'unit' | 'budget'>): Row => ({
    what: `${name}: ${what}`,
    measured: median(costs.map((cost) => cost[field])) ?? Number.NaN,
    ...more,
  });
  return [
    row('applied → served', 'servedSeconds', { unit: 's', budget: 1.2 }),
    row('processor time', 'cpuSeconds', { unit: 's', budget: 2 }),
    row('disk', 'diskMegabytes', { unit: 'MB', budget: 75 }),
    row('peak memory', 'peakMegabytes', { unit: 'MB', budget: 100 }),
    row('peak memory, anonymous', 'peakAnonymousMegabytes', { unit: 'MB' }),
    row('memory before', 'baseMegabytes', { unit: 'MB' }),
    row('longest hold of the event loop', 'longestBlockMs', { unit: 'ms', budget: 100 }),
  ];
}

/** Pushes it as catalogs are published: a folder for each package. */
async function publishLargeCatalog(registry: string): Promise<{ readonly image: string; readonly megabytes: number }> {
  const files = new Map<string, Uint8Array>();
  let bytes = 0;
  for (const { path, content } of largeCatalog(undefined, false)) {
    files.set(`configs/${path}`, content);
    bytes += content.length;
  }
  const labels = { 'operators.operatorframework.io.index.configs.v1': '/configs' };
  const image = await push(`${registry}/bench/catalog:latest`, { files, labels });
  return { image, megabytes: Math.round(bytes / 1e6) };
}

interface Run {
  readonly image: string;
  readonly data: string;
}

async function measureOnce(stage: Stage, { image, data }: Run): Promise<CatalogCost> {
  const { admin } = stage;
  mkdirSync(data);
  const manager = await startMeasured(stage, { SLIPWAY_DATA_FOLDER: data });
  try {
    await longestBlock(manager); // what is measured begins here
    const before = usageOf(manager.pid);
    const start = performance.now();
    await applyCatalog(admin, image);
    const peakAnonymousMegabytes = await untilServed(manager);
    const servedSeconds = (performance.now() - start) / 1000;
    const after = usageOf(manager.pid);
    return {
      servedSeconds,
      cpuSeconds: after.cpu - before.cpu,
      diskMegabytes: sizeOf(data) / MEGABYTE,
      peakMegabytes: after.peak,
      peakAnonymousMegabytes,
      baseMegabytes: before.resident,
      longestBlockMs: (await longestBlock(manager)) * 1000,
    };
  } finally {
    await removeCatalog(admin);
    await manager.stop();
  }
}

const CATALOG = { apiVersion: API_VERSION, kind: 'Catalog', name: NAME } as const;

async function applyCatalog(admin: Client, image: string): Promise<void> {
  const { apiVersion, kind, name } = CATALOG;
  await admin.create({ apiVersion, kind, metadata: { name }, spec: { source: { image: { ref: image } } } });
}

async function removeCatalog(admin: Client): Promise<void> {
  await admin.delete(CATALOG);
}

const POLL_MS = 5;
const PATIENCE_MS = 60_000;

/** Asks until the catalog is there; the most anonymous megabytes that the manager had meanwhile. */
async function untilServed(manager: RunningManager): Promise<number> {
  const deadline = performance.now() + PATIENCE_MS;
  let most = 0;
  while (performance.now() < deadline) {
    most = Math.max(most, usageOf(manager.pid).anonymous);
    const answer = await fetch(`${manager.url}/catalogs/${NAME}/api/v1/all`, { method: 'HEAD' });
    if (answer.ok) return most;
    await pause(POLL_MS);
  }
  throw new Error(`the catalog is not served within ${PATIENCE_MS / 1000} s:\n${manager.log()}`);
}

/** Seconds since it was last asked. */
async function longestBlock({ url }: RunningManager): Promise<number> {
  const metrics = await (await fetch(`${url}/metrics`)).text();
  return Number(/^nodejs_eventloop_lag_max_seconds (\S+)/m.exec(metrics)?.[1]);
}

function sizeOf(folder: string): number {
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .reduce((sum, entry) => sum + statSync(join(entry.parentPath, entry.name)).size, 0);
}

if (import.meta.main) {
  const rows = await benchCatalog();
  process.stdout.write(`${formatTable(rows)}\n`);
  if (rows.some((row) => isWithin(row) === false)) process.exitCode = 1;
}
