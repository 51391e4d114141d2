/**
 * Measures how a catalog of a public one's size is indexed: `node e2e/bench/catalog-index.ts` prints one line of JSON
 * for each form of the files. The work runs in a process of its own, so that its peak memory is that of the manager
 * doing nothing else; the files come from disk in chunks, as layers come from a registry.
 */
import { execFileSync } from 'node:child_process';
import {
  closeSync,
  mkdirSync,
  mkdtempSync,
  openSync,
  readFileSync,
  readSync,
  readdirSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { monitorEventLoopDelay } from 'node:perf_hooks';
import { buildIndexInWorker } from '../../catalog/index/in-worker.ts';
import { openIndex } from '../../catalog/index/open.ts';
import type { CatalogFile } from '../../catalog/tree.ts';
import { largeCatalog } from '../lib/large-catalog.ts';

/** What one build costs. Bytes are bytes, times milliseconds. */
export interface IndexCost {
  readonly catalogBytes: number;
  readonly buildMs: number;
  /** From the start until the first package is answered. */
  readonly servedMs: number;
  /** Of all threads, user and system. */
  readonly cpuMs: number;
  readonly diskBytes: number;
  /** Largest resident size of the process, Node itself included. */
  readonly peakBytes: number;
  /** Of the process before the build. */
  readonly baseBytes: number;
  /** Longest time for which the event loop was held up. */
  readonly longestBlockMs: number;
  readonly packages: number;
  readonly bundles: number;
}

/** Writes the catalog to a folder and has another process index it. */
export function measureIndexing({ pretty }: { readonly pretty: boolean }): IndexCost {
  const folder = mkdtempSync(join(tmpdir(), 'slipway-bench-'));
  try {
    for (const { path, content } of largeCatalog(undefined, pretty)) {
      mkdirSync(join(folder, dirname(path)));
      writeFileSync(join(folder, path), content);
    }
    return JSON.parse(
      execFileSync(process.execPath, [import.meta.filename, folder], { encoding: 'utf8' }),
    ) as IndexCost;
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

async function measureFolder(folder: string): Promise<IndexCost> {
  const target = join(folder, 'index.db');
  const names = readdirSync(folder).sort();
  const baseBytes = memory('VmRSS');
  const delay = monitorEventLoopDelay({ resolution: 5 });
  delay.enable();
  const cpu = process.cpuUsage();
  const start = performance.now();
  const { packages, bundles } = await buildIndexInWorker({ files: filesIn(folder, names), target });
  const buildMs = performance.now() - start;
  const index = openIndex(target);
  index.package(index.packages()[0]!.name);
  const servedMs = performance.now() - start;
  const { user, system } = process.cpuUsage(cpu);
  delay.disable();
  return {
    catalogBytes: names.reduce((sum, name) => sum + statSync(join(folder, name, 'catalog.json')).size, 0),
    buildMs: Math.round(buildMs),
    servedMs: Math.round(servedMs),
    cpuMs: Math.round((user + system) / 1000),
    diskBytes: statSync(target).size,
    peakBytes: memory('VmHWM'),
    baseBytes,
    longestBlockMs: Math.round(delay.max / 1e6),
    packages,
    bundles,
  };
}

function* filesIn(folder: string, names: readonly string[]): Generator<CatalogFile> {
  for (const name of names) {
    const path = join(name, 'catalog.json');
    yield { path, content: chunksOf(join(folder, path)) };
  }
}

/** All chunks in one buffer, so that reading adds nothing to the memory that is measured. */
function* chunksOf(path: string): Generator<Uint8Array> {
  const file = openSync(path, 'r');
  try {
    for (let read = readSync(file, buffer); read > 0; read = readSync(file, buffer)) yield buffer.subarray(0, read);
  } finally {
    closeSync(file);
  }
}

const buffer = Buffer.alloc(1 << 16);

function memory(field: 'VmRSS' | 'VmHWM'): number {
  return Number(new RegExp(`${field}:\\s+(\\d+) kB`).exec(readFileSync('/proc/self/status', 'utf8'))?.[1]) * 1024;
}

if (import.meta.main) {
  const folder = process.argv[2];
  if (folder !== undefined) process.stdout.write(`${JSON.stringify(await measureFolder(folder))}\n`);
  else
    for (const pretty of [false, true])
      process.stdout.write(`${JSON.stringify({ pretty, ...measureIndexing({ pretty }) })}\n`);
}
