/**
 * Pulls the files of one image in a process of its own and prints the cost, as one line of JSON. Run by the cluster
 * tests: `node measure-pull.ts localhost:5000/big:v1 configs`.
 */
import { monitorEventLoopDelay } from 'node:perf_hooks';
import { CATALOG_LIMITS, pullTree } from '../image.ts';
import { parseReference } from '../reference.ts';
import { createRegistry } from '../registry.ts';

export interface PullCost {
  readonly bytes: number;
  readonly seconds: number;
  readonly cpuSeconds: number;
  /** Resident memory before the pull, and at its highest. */
  readonly startMiB: number;
  readonly peakMiB: number;
  /** Longest time that the event loop was blocked. */
  readonly longestDelayMs: number;
}

const [name = '', folder = ''] = process.argv.slice(2);
process.stdout.write(`${JSON.stringify(await measure(name, folder))}\n`);

async function measure(text: string, folder: string): Promise<PullCost> {
  const registry = createRegistry();
  const delays = monitorEventLoopDelay({ resolution: 5 });
  const startMiB = residentMiB();
  let peakMiB = startMiB;
  const sampler = setInterval(() => (peakMiB = Math.max(peakMiB, residentMiB())), 5);
  const since = performance.now();
  const cpu = process.cpuUsage();
  delays.enable();
  let bytes = 0;
  const tree = await pullTree(registry, parseReference(text), { folders: [folder], limits: CATALOG_LIMITS });
  for await (const { chunks } of tree.files) for await (const chunk of chunks) bytes += chunk.length;
  delays.disable();
  clearInterval(sampler);
  const { user, system } = process.cpuUsage(cpu);
  registry.close();
  return {
    bytes,
    seconds: (performance.now() - since) / 1000,
    cpuSeconds: (user + system) / 1e6,
    startMiB,
    peakMiB,
    longestDelayMs: delays.max / 1e6,
  };
}

/** Sampled, since the kernel's own high-water mark starts at that of the parent process. */
function residentMiB(): number {
  return process.memoryUsage.rss() / (1 << 20);
}
