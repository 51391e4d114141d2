import { defineConfig } from 'vitest/config';
import { LongestFirst } from './scripts/longest-first.ts';
import { byExtent } from './e2e/lib/sample.ts';
import { COMPILE_CACHE } from './e2e/lib/shared.ts';

// for the workers, and for the threads and programs that tests start by the hundred
Object.assign(process.env, COMPILE_CACHE);

/**
 * A limit ends a test that hangs, and judges no speed (`make bench` does): twelve processes may share two processors.
 * Vitest would give up after a second, which a program may take to start, or a timer to run.
 */
const PATIENT = { expect: { poll: { timeout: 60_000 } } };

/** Tests of minutes, which `make test` leaves to targets of their own. */
const LONG = byExtent({ all: [], sample: ['**/*.long.test.ts', '**/*.long.cluster.test.ts'] });

/** Three kinds of tests, distinguished by the name of the file; see CONTRIBUTING.md. */
export default defineConfig({
  test: {
    reporters: ['default', './scripts/closing-line.ts'],
    // stories wait more than they work; with five, two processors are so busy that waits run out
    maxWorkers: 4,
    sequence: { sequencer: LongestFirst },
    // Node runs the files themselves, as it runs the programs; nothing is mocked that would need more
    experimental: { viteModuleRunner: false, nodeLoader: false },
    projects: [
      {
        test: {
          name: 'unit',
          ...PATIENT,
          setupFiles: ['scripts/property-seed.ts'],
          include: ['**/*.test.ts'],
          exclude: ['node_modules/**', 'dist/**', '**/*.cluster.test.ts', '**/*.conformance.test.ts', ...LONG],
          pool: 'threads',
          isolate: false,
          testTimeout: 90_000,
          hookTimeout: 90_000,
        },
      },
      {
        test: {
          name: 'conformance',
          ...PATIENT,
          setupFiles: ['scripts/property-seed.ts'],
          include: ['**/*.conformance.test.ts'],
          exclude: ['node_modules/**', 'dist/**'],
          pool: 'forks',
          testTimeout: 300_000,
          hookTimeout: 300_000,
        },
      },
      {
        test: {
          name: 'cluster',
          ...PATIENT,
          setupFiles: ['scripts/property-seed.ts'],
          include: ['**/*.cluster.test.ts'],
          exclude: ['node_modules/**', 'dist/**', ...LONG],
          globalSetup: ['e2e/lib/say-obstacle.ts', 'e2e/lib/bundle-programs.ts'],
          pool: 'forks',
          // a process loads the libraries once, and keeps its cluster from file to file: each finds it empty
          isolate: false,
          // above the limit of a wait (e2e/lib/until.ts), which names the object that did not come
          testTimeout: 600_000,
          hookTimeout: 600_000,
        },
      },
    ],
  },
});
